import type { Clock } from '@pairwire/basics'

/** Milliseconds by which the clocks' difference may change without a step: they are not read at the same instant. */
const CLOCK_STEP_MS = 1_000

/**
 * Milliseconds of a clock to wait for dates with: it jumps forward when the wall clock is set forward, and never steps
 * back.
 */
export function forwardClock(clock: Clock): () => number {
  /** By how much the wall clock was ahead of the monotonic one at the last look. */
  let ahead = clock.now() - clock.elapsed()
  /** By how much the wall clock was set forward in total. */
  let stepped = 0

  return () => {
    const stepMs = clock.now() - clock.elapsed() - ahead
    if (Math.abs(stepMs) >= CLOCK_STEP_MS) {
      ahead += stepMs
      stepped += Math.max(stepMs, 0)
    }
    return clock.elapsed() + stepped
  }
}
