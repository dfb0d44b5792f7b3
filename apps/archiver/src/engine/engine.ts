import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@pairwire/basics'
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

/** Heap of its JavaScript in MB; what it needs for files is outside of that. */
const HEAP_MB = 128

/** The bundle has it beside the file that this code is in; in the sources it is TypeScript, which Node 20 reads by tsx. */
const SCRIPT = ['./engine-child.js', './engine-child.ts']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find(existsSync)

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

/** Begins the child. @throws Error where its script is not there */
export function forkScript(): ChildProcess {
  if (SCRIPT === undefined) throw new Error('The script of the engine is not there.')
  const child = fork(SCRIPT, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, ...(SCRIPT.endsWith('.ts') ? ['--import', 'tsx'] : [])],
    // Neither settings nor secrets are its business; the times in a zip are local ones.
    env: { TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  lowerPriority(child.pid)
  return child
}

/** Before it has begun any thread of its own, since each has the priority of the one that began it. */
export function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some systems allow it to nobody; then it works as the others do.
  }
}
