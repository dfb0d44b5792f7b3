import type { Clock } from '@pairwire/basics'

/** Milliseconds by which the two clocks may differ from before without a step: they are not read in one moment. */
const CLOCK_STEP_MS = 1_000

/**
 * Milliseconds of a clock to wait for dates by: it goes on with the one of dates where that is set forward, and never
 * steps back.
 */
export function forwardClock(clock: Clock): () => number {
  /** By how much the clock of dates was ahead of the other one when it was last looked at. */
  let ahead = clock.now() - clock.elapsed()
  /** By how much it has been set forward in all. */
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
