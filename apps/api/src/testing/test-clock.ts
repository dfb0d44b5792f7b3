import type { SenderClock } from '../mail-sender.ts'

/** A clock that stands still until a test moves it. */
export type TestClock = SenderClock &
  Readonly<{
    /** Moves the clock, from one wait's end to the next, and lets what waits go on. */
    advance(milliseconds: number): Promise<void>
    /** Resolves when somebody waits for `milliseconds`, or does so already. */
    waitedFor(milliseconds: number): Promise<void>
  }>

/** @param startMs Unix milliseconds at which it stands */
export function createTestClock(startMs: number): TestClock {
  let nowMs = startMs
  const waits = new Map<object, { untilMs: number; lengthMs: number; end(): void }>()
  const watchers = new Set<() => void>()

  return {
    now: () => nowMs,

    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const key = {}
        const end = () => {
          waits.delete(key)
          resolve()
        }
        waits.set(key, { untilMs: nowMs + milliseconds, lengthMs: milliseconds, end })
        signal.addEventListener('abort', end, { once: true })
        for (const look of watchers) look()
      }),

    async advance(milliseconds) {
      nowMs += milliseconds
      for (const { untilMs, end } of [...waits.values()]) if (untilMs <= nowMs) end()
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
