/**
 * The life of a playback:
 *
 *     opening <--- subscribe, all answered ---> gathering ---- a second ----> playing ---- at its end ----> ended
 *        |                                         |                             ^
 *        |                                         +----- startSimulation -------+
 *        +-- startSimulation --> hurried ------------ all answered --------------+
 *
 * Each phase leads to `ended` when no subscription is left.
 */
type Phase = 'opening' | 'gathering' | 'hurried' | 'playing' | 'ended'

/** An input of a playback. */
export type Input =
  /** A subscribe has arrived. */
  | 'asked'
  /** The last waiting subscribe was answered. */
  | 'answered'
  /** A second has passed since then. */
  | 'second'
  /** `startSimulation` has arrived. */
  | 'start'
  /** No subscription is left, and no subscribe is waiting. */
  | 'emptied'
  /** Everything was sent, or the playback may not or cannot continue. */
  | 'finish'

/** The action for an input. */
type Action =
  | 'nothing'
  /** Start the timer for `second`. */
  | 'wait'
  /** Stop that timer. */
  | 'stopWaiting'
  | 'play'
  /** Send each subscription its closing frame, and release. */
  | 'close'
  /** Release the playback. */
  | 'release'

/** Missing cells change nothing. */
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

/** Creates the state of a new playback, with its first subscribe. */
export function createPlaybackState(phase: Phase = 'opening') {
  return {
    phase: () => phase,
    /** Moves to the next state, and returns the action. */
    on(input: Input): Action {
      const [next, action] = TABLE[phase][input] ?? [phase, 'nothing']
      phase = next
      return action
    },
  }
}
