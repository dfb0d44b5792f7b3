import type { SenderClock } from '../mail-sender.ts'

/** A clock that stands still until a test moves it. */
export type TestClock = SenderClock &
  Readonly<{
    /** Moves the clock, from one wait's end to the next, and lets what waits go on. */
    advance(milliseconds: number): Promise<void>
    /** Sets the clock back. What waits goes on waiting for as long as it would have. */
    setBack(milliseconds: number): void
    /** Resolves when somebody waits for `milliseconds`, or does so already. */
    waitedFor(milliseconds: number): Promise<void>
  }>

/** @param startMs Unix milliseconds at which it stands */
export function createTestClock(startMs: number): TestClock {
  let elapsedMs = 0
  let offsetMs = startMs
  const waits = new Map<object, { untilMs: number; lengthMs: number; end(): void }>()
  const watchers = new Set<() => void>()

  return {
    now: () => offsetMs + elapsedMs,
    elapsed: () => elapsedMs,

    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const key = {}
        const end = () => {
          waits.delete(key)
          resolve()
        }
        waits.set(key, { untilMs: elapsedMs + milliseconds, lengthMs: milliseconds, end })
        signal.addEventListener('abort', end, { once: true })
        for (const look of watchers) look()
      }),

    setBack: (milliseconds) => {
      offsetMs -= milliseconds
    },

    async advance(milliseconds) {
      elapsedMs += milliseconds
      for (const { untilMs, end } of [...waits.values()]) if (untilMs <= elapsedMs) end()
    },

    waitedFor: (milliseconds) =>
      new Promise((resolve) => {
        const look = () => {
          if (![...waits.values()].some(({ lengthMs }) => lengthMs === milliseconds)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
  }
}
