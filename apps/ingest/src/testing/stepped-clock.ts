import type { Clock } from '../clock.ts'

/** A clock whose waits end when the test lets time go by. */
export type SteppedClock = Clock & {
  /** Lets time go by up to each wait's end in turn, and what follows from it happen. */
  pass(milliseconds: number): Promise<void>
}

/** Starts at `start`, Unix milliseconds. */
export function createSteppedClock(start = Date.UTC(2026, 10, 20)): SteppedClock {
  let elapsed = 0
  const waits = new Set<{ at: number; end(): void }>()
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    now: () => start + elapsed,
    elapsed: () => elapsed,
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        const wait = {
          at: elapsed + milliseconds,
          end: () => {
            waits.delete(wait)
            signal.removeEventListener('abort', wait.end)
            resolve()
          },
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', wait.end, { once: true })
        waits.add(wait)
      }),
    async pass(milliseconds) {
      const until = elapsed + milliseconds
      await settle()
      for (;;) {
        const next = [...waits].reduce<number>((least, { at }) => Math.min(least, at), until + 1)
        if (next > until) break
        elapsed = Math.max(elapsed, next)
        for (const wait of [...waits]) if (wait.at <= elapsed) wait.end()
        await settle()
      }
      elapsed = until
    },
  }
}
