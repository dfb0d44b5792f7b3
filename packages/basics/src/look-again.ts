import type { Clock } from './clock.ts'

/** Has something looked at again and again. */
export type Looking = Readonly<{
  /** Begins with a look at once; resolves when it is done. */
  start(): Promise<void>
  /** Resolves when nothing more is being done. */
  stop(): Promise<void>
}>

/** `look` says after how many milliseconds it is to be called again; it must not fail. */
export function lookAgain(clock: Pick<Clock, 'after'>, look: () => Promise<number>): Looking {
  let isStopped = false
  let callOff = () => {}
  let looking = Promise.resolve()

  const run = () => {
    looking = look().then((waitMs) => {
      if (!isStopped) callOff = clock.after(waitMs, run)
    })
  }

  return {
    start() {
      run()
      return looking
    },
    async stop() {
      isStopped = true
      callOff()
      await looking
    },
  }
}
