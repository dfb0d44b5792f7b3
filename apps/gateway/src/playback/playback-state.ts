/**
 * The life of a playback:
 *
 *     opening <--- subscribe, all answered ---> gathering ---- a second ----> playing ---- at its end ----> ended
 *        |                                         |                             ^
 *        |                                         +----- startSimulation -------+
 *        +-- startSimulation --> hurried ------------ all answered --------------+
 *
 * From each of them to `ended` when no subscription is left.
 */
type Phase = 'opening' | 'gathering' | 'hurried' | 'playing' | 'ended'

/** What happens to it. */
export type Input =
  /** A subscribe has come. */
  | 'asked'
  /** The last subscribe that waited has its answer. */
  | 'answered'
  /** A second has passed since. */
  | 'second'
  /** `startSimulation` has come. */
  | 'start'
  /** No subscription is left, and no subscribe waits. */
  | 'emptied'
  /** All was sent, or it may not or cannot go on. */
  | 'finish'

/** What is done about it. */
type Action =
  | 'nothing'
  /** Have `second` come. */
  | 'wait'
  /** Have it not come. */
  | 'stopWaiting'
  | 'play'
  /** Say the last words to each subscription, and let go. */
  | 'close'
  /** Let go. */
  | 'release'

/** What is left out changes nothing. */
const TABLE: Readonly<Record<Phase, Readonly<Partial<Record<Input, readonly [Phase, Action]>>>>> = {
  opening: {
    answered: ['gathering', 'wait'],
    start: ['hurried', 'nothing'],
    emptied: ['ended', 'release'],
  },
  gathering: {
    asked: ['opening', 'stopWaiting'],
    second: ['playing', 'play'],
    start: ['playing', 'play'],
    emptied: ['ended', 'release'],
  },
  hurried: { answered: ['playing', 'play'], emptied: ['ended', 'release'] },
  playing: { finish: ['ended', 'close'], emptied: ['ended', 'release'] },
  ended: {},
}

/** A playback's place in the table. */
type PlaybackState = Readonly<{
  phase(): Phase
  /** Moves on, and says what to do. */
  on(input: Input): Action
}>

/** Begins a life, with its first subscribe. */
export function createPlaybackState(phase: Phase = 'opening'): PlaybackState {
  return {
    phase: () => phase,
    on(input) {
      const [next, action] = TABLE[phase][input] ?? [phase, 'nothing']
      phase = next
      return action
    },
  }
}
