import type { Commitment, StreamKind } from '@pairwire/contract'
import type { Interest } from '@pairwire/filter'

/** Where events come from: live, at a commitment, or a playback. */
export type Origin = Commitment | 'playback'

/** A client's standing request on a stream. Changed parameters make a new one with the same id. */
export type Subscription = Readonly<{
  id: number
  kind: StreamKind
  origin: Origin
  interest: Interest
}> & {
  /** Whether its meter has refused it an event: a gap or a place behind that would say that it has it. It is about to end. */
  isOver?: boolean
}

/** The allowance of a capped stream, shared by all subscriptions of an account that use it. */
export type Meter = Readonly<{
  /** Takes one event; false when none is left. */
  take(): boolean
  /** Gives back events that were taken but not sent. */
  giveBack(count: number): void
}>
