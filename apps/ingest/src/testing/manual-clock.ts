import type { Clock } from '../clock.ts'

/** A clock for tests: it stands still but while somebody waits, and then it jumps to the end of the wait. */
export type ManualClock = Clock & {
  readonly waits: readonly number[]
  advance(milliseconds: number): void
  /** Sets the clock forward, or back, without time going by. */
  step(milliseconds: number): void
}

/** Starts at `start`, Unix milliseconds. */
export function createManualClock(start = Date.UTC(2026, 10, 20)): ManualClock {
  let now = start
  let elapsed = 0
  const waits: number[] = []
  return {
    waits,
    now: () => now,
    elapsed: () => elapsed,
    wait: async (milliseconds) => {
      waits.push(milliseconds)
      now += milliseconds
      elapsed += milliseconds
      // Lets go of the thread, as a real wait does: a source without an end must not starve its test.
      await new Promise((resolve) => setImmediate(resolve))
    },
    advance: (milliseconds) => {
      now += milliseconds
      elapsed += milliseconds
    },
    step: (milliseconds) => {
      now += milliseconds
    },
  }
}
