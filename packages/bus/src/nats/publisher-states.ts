/**
 * The states of a publisher. Several may publish the same chain; one of them does, and the others stand by. There is no
 * handover: a message is appended only after the one that its publisher knows as the newest, so of two that both
 * believe they publish, one is refused.
 *
 *     standby ---- what we have is not in the stream for too long ---> looking ---- knows the newest ---> publishing
 *        ^                                                               ^  |                              |    |
 *        |                                                               +--+-- NATS failed ---------------+    |
 *        +------------------------- somebody else has published since ------+-----------------------------------+
 */
export type PublisherState = 'standby' | 'looking' | 'publishing'

/** An event that a publisher notices. */
export type PublisherEvent =
  /** It knows the newest message of the stream. */
  | 'found'
  /** Its slots were missing from the stream for longer than another publisher would need. */
  | 'silence'
  /** Another publisher has published since it looked. */
  | 'rival'
  /** NATS was away, did not answer, or did not take a message. */
  | 'failed'

type Table = Readonly<Record<PublisherState, Readonly<Record<PublisherEvent, PublisherState>>>>

/** For a publisher among others. */
const WITH_OTHERS: Table = {
  standby: { found: 'standby', silence: 'looking', rival: 'standby', failed: 'standby' },
  looking: { found: 'publishing', silence: 'looking', rival: 'standby', failed: 'looking' },
  publishing: { found: 'publishing', silence: 'publishing', rival: 'standby', failed: 'looking' },
}

/** For a single publisher: it looks and continues, even if another one has published. */
const ALONE: Table = {
  ...WITH_OTHERS,
  looking: { ...WITH_OTHERS.looking, rival: 'looking' },
  publishing: { ...WITH_OTHERS.publishing, rival: 'looking' },
}

/** Returns the next state. */
export function nextState(state: PublisherState, event: PublisherEvent, isAlone: boolean): PublisherState {
  return (isAlone ? ALONE : WITH_OTHERS)[state][event]
}
