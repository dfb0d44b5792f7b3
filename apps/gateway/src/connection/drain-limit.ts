import { afterWaitAndReading, type Clock } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'

/** Bounds how long a connection that has ended may take. */
export type DrainLimit = ReturnType<typeof createDrainLimit>

/** Calls `cut` when nothing moves for `stalledMs`, and after `drainMs` in all; before it sockets are read once more. */
export function createDrainLimit(
  clock: Clock,
  { drainMs, stalledMs }: Pick<GatewayLimits, 'drainMs' | 'stalledMs'>,
  cut: () => void,
) {
  let cancelLimit: (() => void) | undefined
  let cancelStalled: (() => void) | undefined

  const extend = () => {
    cancelStalled?.()
    cancelStalled = afterWaitAndReading(clock, stalledMs, cut)
  }

  return {
    /** Starts the time, if it has not started. */
    begin() {
      if (cancelLimit) return
      cancelLimit = afterWaitAndReading(clock, drainMs, cut)
      extend()
    },
    /** The client reads: it may stall anew. */
    extend,
    /** The connection has gone. */
    end() {
      cancelLimit?.()
      cancelStalled?.()
    },
  }
}
