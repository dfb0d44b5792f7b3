import { type Clock, systemClock } from '@pairwire/basics'

/** A clock that stands still between turns of the loop, except for time that a test lets pass. */
export function createTurnClock(): {
  clock: Clock
  /** Lets that many milliseconds pass. */
  pass(ms: number): void
  /** Runs one turn of the loop: what is due when it begins. */
  turn(): void
} {
  let now = 0
  let timers: { at: number; callback: () => void }[] = []
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    elapsed: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
  return {
    clock,
    pass(ms) {
      now += ms
    },
    turn() {
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { callback } of due) callback()
    },
  }
}
