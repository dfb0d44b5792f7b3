import type { Clock } from './clock.ts'

/** Runs a function repeatedly. */
export type Looking = ReturnType<typeof lookAgain>

/** `look` returns the milliseconds until its next call; it must not fail. */
export function lookAgain(clock: Pick<Clock, 'after'>, look: () => Promise<number>) {
  let isStopped = false
  let callOff = () => {}
  let looking = Promise.resolve()

  const run = () => {
    looking = look().then((waitMs) => {
      if (!isStopped) callOff = clock.after(waitMs, run)
    })
  }

  return {
    /** Starts with a call at once; resolves when it is done. */
    start(): Promise<void> {
      run()
      return looking
    },
    /** Resolves when no call is running. */
    async stop(): Promise<void> {
      isStopped = true
      callOff()
      await looking
    },
  }
}
