import { type Clock, type FollowingController, followSignals } from '@pairwire/basics'

/** Follows a signal, and also aborts `ms` from now. The caller must abort it in the end. */
export function limitedTo(ms: number, clock: Pick<Clock, 'wait'>, signal: AbortSignal): FollowingController {
  const limited = followSignals(signal)
  void clock.wait(ms, limited.signal).then(() => limited.abort())
  return limited
}
