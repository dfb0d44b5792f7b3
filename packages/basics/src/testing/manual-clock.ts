import type { Clock } from '../clock.ts'

/** A clock that stands still until it is moved. */
export type ManualClock = Clock & {
  /** Moves time forward by `ms`, calling what becomes due at its time. */
  advance(ms: number): void
  /** Does the same, and lets the effects of each call finish before the next. */
  pass(ms: number): Promise<void>
  /** Sets the wall clock forward or back, without time passing. */
  step(ms: number): void
  /** Resolves when something waits for `ms`, or at once if something does. */
  waitedFor(ms: number): Promise<void>
}

/** Creates a manual clock that begins at `now` (Unix milliseconds). */
export function createManualClock(now = Date.UTC(2026, 10, 20, 12)): ManualClock {
  let began = now
  let elapsed = 0
  const timers = new Set<Timer>()
  const watchers = new Set<() => void>()

  const after = (ms: number, callback: () => void) => {
    const timer = { at: elapsed + ms, ms, callback }
    timers.add(timer)
    for (const look of watchers) look()
    return () => void timers.delete(timer)
  }
  const earliest = () => [...timers].reduce((first, timer) => (timer.at < first.at ? timer : first), NEVER)
  const run = (timer: Timer) => {
    timers.delete(timer)
    elapsed = Math.max(elapsed, timer.at)
    timer.callback()
  }

  return {
    now: () => began + elapsed,
    elapsed: () => elapsed,
    after,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const done = () => {
          cancel()
          signal.removeEventListener('abort', done)
          resolve()
        }
        const cancel = after(ms, done)
        signal.addEventListener('abort', done)
      }),
    advance(ms) {
      const until = elapsed + ms
      for (let timer = earliest(); timer.at <= until; timer = earliest()) run(timer)
      elapsed = until
    },
    async pass(ms) {
      const until = elapsed + ms
      await settle()
      for (let timer = earliest(); timer.at <= until; timer = earliest()) {
        run(timer)
        await settle()
      }
      elapsed = until
    },
    step(ms) {
      began += ms
    },
    waitedFor: (ms) =>
      new Promise((resolve) => {
        const look = () => {
          if (![...timers].some((timer) => timer.ms === ms)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
  }
}

/** A clock that jumps to the end of each wait. */
type JumpingClock = ManualClock & { readonly waits: readonly number[] }

/** Begins at `now`, Unix milliseconds. */
export function createJumpingClock(now = Date.UTC(2026, 10, 20)): JumpingClock {
  const clock = createManualClock(now)
  const waits: number[] = []
  return {
    ...clock,
    waits,
    wait: async (ms) => {
      waits.push(ms)
      clock.advance(ms)
      // Yields the thread, as a real wait does: otherwise an endless source would starve its test.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

type Timer = Readonly<{ at: number; ms: number; callback: () => void }>

const NEVER: Timer = { at: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY, callback: () => {} }

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
