import type { Clock } from './clock.ts'

/** Has something looked at again and again. */
export type Looking = ReturnType<typeof lookAgain>

/** `look` says after how many milliseconds it is to be called again; it must not fail. */
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
    /** Begins with a look at once; resolves when it is done. */
    start(): Promise<void> {
      run()
      return looking
    },
    /** Resolves when nothing more is being done. */
    async stop(): Promise<void> {
      isStopped = true
      callOff()
      await looking
    },
  }
}
