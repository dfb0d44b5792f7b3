/**
 * What a publisher is doing. Several may publish the same chain; one of them does, and the others stand by. Nobody
 * hands it over: a message is appended only behind the one that its publisher knows as the newest, so of two that both
 * think it is theirs one is told that it is not.
 *
 *     standby ---- what we have is not in the stream for too long ---> looking ---- knows the newest ---> publishing
 *        ^                                                               ^  |                              |    |
 *        |                                                               +--+-- NATS failed ---------------+    |
 *        +------------------------- somebody else has published since ------+-----------------------------------+
 */
export type PublisherState = 'standby' | 'looking' | 'publishing'

/** What it came to know. */
export type PublisherEvent =
  /** The newest of the stream. */
  | 'found'
  /** What it has for the stream was not published for as long as another publisher would need. */
  | 'silence'
  /** Somebody else has published since it looked. */
  | 'rival'
  /** NATS was away, did not answer, or did not take a message. */
  | 'failed'

type Table = Readonly<Record<PublisherState, Readonly<Record<PublisherEvent, PublisherState>>>>

/** Of one that stands by for others. */
const WITH_OTHERS: Table = {
  standby: { found: 'standby', silence: 'looking', rival: 'standby', failed: 'standby' },
  looking: { found: 'publishing', silence: 'looking', rival: 'standby', failed: 'looking' },
  publishing: { found: 'publishing', silence: 'publishing', rival: 'standby', failed: 'looking' },
}

/** For one that is to be alone: it looks and goes on, even where another one has published. */
const ALONE: Table = {
  ...WITH_OTHERS,
  looking: { ...WITH_OTHERS.looking, rival: 'looking' },
  publishing: { ...WITH_OTHERS.publishing, rival: 'looking' },
}

/** What it does next. */
export function nextState(state: PublisherState, event: PublisherEvent, isAlone: boolean): PublisherState {
  return (isAlone ? ALONE : WITH_OTHERS)[state][event]
}
