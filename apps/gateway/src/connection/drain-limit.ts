import { afterWaitAndReading, type Clock } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'

/** A time limit for a connection that has ended. */
export type DrainLimit = ReturnType<typeof createDrainLimit>

/** Calls `cut` when nothing moves for `stalledMs`, and after `drainMs` in total, once sockets were read again. */
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
    /** Starts the limit, unless it is running. */
    begin() {
      if (cancelLimit) return
      cancelLimit = afterWaitAndReading(clock, drainMs, cut)
      extend()
    },
    /** The client has read: the stall limit starts over. */
    extend,
    /** The connection has gone. */
    end() {
      cancelLimit?.()
      cancelStalled?.()
    },
  }
}
