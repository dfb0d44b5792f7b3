import { Worker } from 'node:worker_threads'
import { messageOf } from '@pairwire/basics'
import type { FromWorker, PglitePlace, ToWorker } from './pglite-messages.ts'

/** The thread with the embedded database, opened. */
export type PgliteThread = Readonly<{
  tell(message: ToWorker): void
  /** Calls `listener` with the bytes that the database answered to a connection. */
  onBytes(listener: (connection: number, bytes: Uint8Array) => void): void
  /** Calls `listener` once, when the thread has ended, for whatever reason. */
  onEnd(listener: (error: Error) => void): void
  /** Sends `message` and waits for an answer of the type `answer`. @throws Error if none arrives in time */
  ask<Type extends FromWorker['type']>(
    message: ToWorker,
    answer: Type,
    timeoutMs: number,
  ): Promise<MessageOf<Type>>
  terminate(): Promise<void>
}>

type MessageOf<Type> = Extract<FromWorker, { type: Type }>

/** The database could not be opened, or did not answer. `code` is Node's if a system call failed, or `ETIMEDOUT`. */
class PgliteOpenError extends Error {
  readonly code: string | undefined

  constructor(message: string, code: string | undefined) {
    super(message)
    this.name = 'PgliteOpenError'
    this.code = code
  }
}

/** Milliseconds in which the database must open; the first start creates its files, on any disk. */
const OPEN_TIMEOUT_MS = 120_000

/** Starts the thread and waits until its database is open. @throws PgliteOpenError */
export async function startPgliteThread(workerUrl: URL, place: PglitePlace): Promise<PgliteThread> {
  const worker = new Worker(workerUrl, { workerData: place })
  const messageListeners = new Set<(message: FromWorker) => void>()
  const endListeners = new Set<(error: Error) => void>()
  let ended: Error | undefined

  function end(error: Error): void {
    if (ended) return
    ended = error
    for (const listener of endListeners) listener(error)
    endListeners.clear()
  }

  /** The first message of one of the `types`; an error if the thread ends or the time runs out first. */
  function next<Type extends FromWorker['type']>(
    types: readonly Type[],
    timeoutMs: number,
  ): Promise<MessageOf<Type>> {
    const isWanted = (message: FromWorker): message is MessageOf<Type> =>
      types.some((type) => type === message.type)
    return new Promise((resolve, reject) => {
      if (ended) return reject(ended)

      const settle = (how: () => void) => {
        clearTimeout(timer)
        endListeners.delete(onEnd)
        messageListeners.delete(onMessage)
        how()
      }
      const onEnd = (error: Error) => settle(() => reject(error))
      const onMessage = (message: FromWorker) => {
        if (isWanted(message)) settle(() => resolve(message))
      }
      const timer = setTimeout(
        onEnd,
        timeoutMs,
        new PgliteOpenError(`it did not answer within ${Math.round(timeoutMs) / 1000} s`, 'ETIMEDOUT'),
      )
      endListeners.add(onEnd)
      messageListeners.add(onMessage)
    })
  }

  worker.on('message', (message: FromWorker) => {
    for (const listener of messageListeners) listener(message)
  })
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', (status) => end(new Error(`its thread ended with status ${status}`)))

  try {
    const first = await next(['ready', 'failed'], OPEN_TIMEOUT_MS)
    if (first.type === 'failed') throw new PgliteOpenError(first.message, first.code)
  } catch (error) {
    await worker.terminate()
    throw error instanceof PgliteOpenError ? error : new PgliteOpenError(messageOf(error), undefined)
  }

  return {
    tell: (message) => worker.postMessage(message),
    onBytes: (listener) => {
      messageListeners.add((message) => {
        if (message.type === 'bytes') listener(message.connection, message.bytes)
      })
    },
    onEnd: (listener) => {
      if (ended) listener(ended)
      else endListeners.add(listener)
    },
    ask: (message, answer, timeoutMs) => {
      const answered = next([answer], Math.max(0, timeoutMs))
      worker.postMessage(message)
      return answered
    },
    terminate: async () => {
      await worker.terminate()
    },
  }
}
