import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { createFlushBarrier } from './flush-barrier.ts'
import type { DatabaseLog } from './open-database.ts'
import type { FromWorker, ToWorker } from './pglite-messages.ts'
import { PgliteStream } from './pglite-stream.ts'

/** The embedded database, running in its thread. */
export type Pglite = Readonly<{
  /** A new connection, for node-postgres's `stream`. */
  connect(): Duplex
  barrier(): Promise<void>
  healthy(): boolean
  onFailure(listener: (error: Error) => void): () => void
  /** Writes a dump, then closes the database and its thread. */
  close(): Promise<void>
}>

/** Milliseconds in which the embedded database must have opened; a first start on a slow disk takes seconds. */
const OPEN_TIMEOUT_MS = 120_000

/** Milliseconds left for the dump and for the clean close each, which a shutdown waits for. */
const CLOSE_TIMEOUT_MS = 2_000

/**
 * Starts the embedded database on `folder` in a worker. A folder that cannot be opened is put aside and the
 * newest dump taken instead, which the log says loudly.
 *
 * @throws Error when there is no dump to fall back on
 */
export async function openPglite(
  { folder, workerUrl }: { folder: string; workerUrl: URL },
  log: DatabaseLog,
): Promise<Pglite> {
  const worker = new Worker(workerUrl, { workerData: { folder } })
  const streams = new Map<number, PgliteStream>()
  const failureListeners = new Set<(error: Error) => void>()
  const messageListeners = new Set<(message: FromWorker) => void>()
  let connections = 0
  let state: 'open' | 'closing' | 'lost' = 'open'

  function tell(message: ToWorker): void {
    worker.postMessage(message)
  }

  function lose(error: Error): void {
    if (state === 'lost') return
    const unexpected = state === 'open'
    state = 'lost'
    for (const stream of streams.values()) stream.destroy(error)
    streams.clear()
    if (!unexpected) return
    log(`The embedded database is lost: ${error.message}.`)
    for (const listener of failureListeners) listener(error)
  }

  /** The first message that `wanted` takes; an error when the thread ends or the time is over before. */
  function next<Message extends FromWorker>(
    wanted: (message: FromWorker) => message is Message,
    timeoutMs: number,
  ): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(() => reject(new Error('the embedded database did not answer'))),
        timeoutMs,
      )
      const onExit = () => settle(() => reject(new Error('the thread of the embedded database ended')))
      const onMessage = (message: FromWorker) => {
        if (wanted(message)) settle(() => resolve(message))
      }
      function settle(how: () => void): void {
        clearTimeout(timer)
        worker.off('exit', onExit)
        messageListeners.delete(onMessage)
        how()
      }
      worker.once('exit', onExit)
      messageListeners.add(onMessage)
    })
  }

  worker.on('message', (message: FromWorker) => {
    if (message.type === 'bytes') streams.get(message.connection)?.receive(message.bytes)
    for (const listener of messageListeners) listener(message)
  })
  worker.on('error', (error) => lose(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', (code) => lose(new Error(`its thread ended with status ${code}`)))

  try {
    const first = await next(
      (message): message is Extract<FromWorker, { type: 'ready' | 'failed' }> =>
        message.type === 'ready' || message.type === 'failed',
      OPEN_TIMEOUT_MS,
    )
    if (first.type === 'failed') throw new Error(first.message)
    if (first.restored) {
      log(
        `THE DATABASE IN ${folder} COULD NOT BE OPENED AND WAS RESTORED FROM ITS LAST DUMP. What was written since ` +
          `is missing; the unreadable folder was kept as ${first.restored.aside} (${first.restored.reason}).`,
      )
    }
  } catch (error) {
    state = 'closing'
    await worker.terminate()
    throw new Error(
      `The database in ${folder} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
    )
  }

  async function close(): Promise<void> {
    if (state !== 'open') return
    state = 'closing'
    try {
      tell({ type: 'dump' })
      const dumped = await next((message) => isOf(message, 'dumped'), CLOSE_TIMEOUT_MS)
      if (dumped.error !== undefined) log(`The database could not be dumped: ${dumped.error}.`)
      tell({ type: 'close' })
      await next((message) => isOf(message, 'closed'), CLOSE_TIMEOUT_MS)
    } catch (error) {
      log(`The embedded database was not closed cleanly: ${error instanceof Error ? error.message : error}.`)
    }
    await worker.terminate()
  }

  return {
    connect: () => {
      const connection = ++connections
      const stream = new PgliteStream(
        (bytes) => tell({ type: 'bytes', connection, bytes }),
        () => {
          streams.delete(connection)
          tell({ type: 'gone', connection })
        },
      )
      if (state === 'lost') stream.destroy(new Error('the embedded database is lost'))
      else streams.set(connection, stream)
      return stream
    },
    barrier: createFlushBarrier(join(folder, 'cluster', 'pg_wal')),
    healthy: () => state === 'open',
    onFailure: (listener) => {
      failureListeners.add(listener)
      return () => failureListeners.delete(listener)
    },
    close,
  }
}

function isOf<Type extends FromWorker['type']>(
  message: FromWorker,
  type: Type,
): message is Extract<FromWorker, { type: Type }> {
  return message.type === type
}
