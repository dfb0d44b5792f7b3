import type { ChildProcess } from 'node:child_process'
import type { Clock } from '@pairwire/basics'
import { forkScript } from './fork-script.ts'
import type { Answer, EngineAsk, FromEngine, Question, ToEngine } from './messages.ts'

/** Makes files and looks into them, in a child process that is there while there is work. */
export type Engine = Readonly<{
  /** Rejects with what went wrong there, also when the child dies of it. */
  ask<Ask extends EngineAsk>(ask: Ask, question: Question<Ask>): Promise<Answer<Ask>>
  /** Ends the child; what it was asked fails. Later asks fail too. */
  close(): void
}>

/** Milliseconds without work after which the child ends, and its memory is free again. */
const IDLE_MS = 60_000

/** Makes an engine; the child begins with the first thing that is asked, `begin` is for tests. */
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
      const message = { id, ask, question } as ToEngine // one of them, as the types of both go together
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
    this.#callOffEnd = this.#clock.after(IDLE_MS, () => this.#child?.disconnect())
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
    for (const id of [...this.#waiting.keys()]) {
      this.#settle(id, (waiting) => waiting.reject(new EngineEndedError(why)))
    }
  }
}

/** The child ended before it had answered. */
export class EngineEndedError extends Error {
  constructor(why: string) {
    super(`The process that makes files ended: ${why}.`)
    this.name = 'EngineEndedError'
  }
}
