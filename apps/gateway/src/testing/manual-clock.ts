import type { Clock } from '../clock.ts'

/** A clock that stands until it is moved. */
export type ManualClock = Clock & {
  /** Moves time on by `ms`, calling what is due on the way at its time. */
  advance(ms: number): void
  /** Sets the clock of dates forward, or back, without time going by. */
  step(ms: number): void
}

/** A manual clock that begins at `now` (Unix milliseconds). */
export function createManualClock(now = Date.UTC(2026, 10, 20, 12)): ManualClock {
  let elapsed = 0
  let timers: { at: number; callback: () => void }[] = []

  return {
    now: () => now,
    elapsed: () => elapsed,
    after(ms, callback) {
      const timer = { at: elapsed + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance(ms) {
      const until = elapsed + ms
      const to = (moment: number) => {
        now += moment - elapsed
        elapsed = moment
      }
      for (;;) {
        const due = timers.filter(({ at }) => at <= until).sort((first, second) => first.at - second.at)[0]
        if (!due) break
        timers = timers.filter((other) => other !== due)
        to(Math.max(elapsed, due.at))
        due.callback()
      }
      to(until)
    },
    step(ms) {
      now += ms
    },
  }
}
