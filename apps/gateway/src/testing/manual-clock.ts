import type { Clock } from '../clock.ts'

/** A clock that stands until it is moved. */
export type ManualClock = Clock & {
  /** Moves time on by `ms`, calling what is due on the way at its time. */
  advance(ms: number): void
}

/** A manual clock that begins at `now` (Unix milliseconds). */
export function createManualClock(now = Date.UTC(2026, 10, 20, 12)): ManualClock {
  const start = now
  let timers: { at: number; callback: () => void }[] = []

  return {
    now: () => now,
    elapsed: () => now - start,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance(ms) {
      const until = now + ms
      for (;;) {
        const due = timers.filter(({ at }) => at <= until).sort((first, second) => first.at - second.at)[0]
        if (!due) break
        timers = timers.filter((other) => other !== due)
        now = Math.max(now, due.at)
        due.callback()
      }
      now = until
    },
  }
}
