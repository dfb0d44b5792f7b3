import type { ChildProcess } from 'node:child_process'
import type { Clock } from '@pairwire/basics'
import { forkScript } from './fork-script.ts'
import type { Answer, EngineAsk, FromEngine, Question, ToEngine } from './messages.ts'

/** Makes and reads files of hours, in a child process that lives while there is work. */
export type Engine = Readonly<{
  /** Rejects with the error from the child, or if the child dies. */
  ask<Ask extends EngineAsk>(ask: Ask, question: Question<Ask>): Promise<Answer<Ask>>
  /** Ends the child; pending and later requests reject. */
  close(): void
}>

/** Milliseconds without work after which the child ends and frees its memory. */
const IDLE_MS = 60_000

/** Creates an engine; its child starts with the first request. `begin` is for tests. */
export function createEngine(clock: Pick<Clock, 'after'>, begin = forkScript): Engine {
  return new ChildEngine(clock, begin)
}

type Waiting = { resolve(answer: never): void; reject(error: Error): void }

class ChildEngine implements Engine {
  readonly #clock: Pick<Clock, 'after'>
  readonly #begin: () => ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | undefined
  #lastId = 0
  #isClosed = false
  #callOffEnd = () => {}

  constructor(clock: Pick<Clock, 'after'>, begin: () => ChildProcess) {
    this.#clock = clock
    this.#begin = begin
  }

  ask<Ask extends EngineAsk>(ask: Ask, question: Question<Ask>): Promise<Answer<Ask>> {
    if (this.#isClosed) return Promise.reject(new EngineEndedError('it is closed'))
    this.#callOffEnd()
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      const message = { id, ask, question } as ToEngine // one of them, since the types of both match
      this.#child ??= this.#start()
      this.#child.send(message, (error) => {
        if (error) this.#settle(id, (waiting) => waiting.reject(error))
      })
    })
  }

  close(): void {
    this.#isClosed = true
    this.#callOffEnd()
    this.#child?.kill('SIGKILL')
  }

  #start(): ChildProcess {
    const child = this.#begin()
    child.on('message', (message: FromEngine) => this.#take(message))
    child.on('error', (error) => this.#ended(child, error.message))
    child.on('exit', (code, signal) => this.#ended(child, `${signal ?? `status ${code}`}`))
    return child
  }

  #take(message: FromEngine): void {
    this.#settle(message.id, (waiting) => {
      if ('answer' in message) waiting.resolve(message.answer as never)
      else waiting.reject(new Error(message.fault))
    })
    if (this.#waiting.size > 0) return
    this.#callOffEnd = this.#clock.after(IDLE_MS, () => {
      this.#child?.disconnect()
      this.#child = undefined
    })
  }

  #settle(id: number, how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (waiting) how(waiting)
  }

  #ended(child: ChildProcess, why: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#callOffEnd()
    for (const waiting of this.#waiting.values()) waiting.reject(new EngineEndedError(why))
    this.#waiting.clear()
  }
}

/** The child ended before it answered. */
export class EngineEndedError extends Error {
  constructor(why: string) {
    super(`The process that makes files ended: ${why}.`)
    this.name = 'EngineEndedError'
  }
}
