/**
 * How much is known of one slot on one source.
 *
 * - `open`: transactions may have arrived, nothing else
 * - `sealed`: its block meta arrived, so nothing of it is missing; it is not confirmed yet
 * - `voted`: it is confirmed, its block meta has not arrived
 * - `contested`: it is confirmed, but it is not known yet which of its blocks is meant
 * - `complete`: block meta and confirmation arrived; the block is delivered
 * - `spoiled`: part of it could not be read, or two of its banks cannot be told apart; it never completes here, even if
 *   a bank dies, since part of the rest may have arrived already and be gone
 */
export type SlotState = 'open' | 'sealed' | 'voted' | 'contested' | 'complete' | 'spoiled'

/**
 * An event of a slot. `meta` is the block meta of the block that is meant as far as is known, `rivalMeta` that of
 * another one. `confirmed` is a vote for a block whose meta arrived, `confirmedOther` one for a block whose meta is
 * missing, `undecided` one that does not tell for which of several.
 */
const EVENTS = [
  'meta',
  'rivalMeta',
  'confirmed',
  'confirmedOther',
  'undecided',
  'dead',
  'unreadable',
] as const

/** One of {@link EVENTS}. */
export type SlotEvent = (typeof EVENTS)[number]

/** `forgotten`: nothing of the slot is kept, and it may start over with another bank. */
type NextSlotState = SlotState | 'forgotten'

/** The state after each of {@link EVENTS}. */
type Row<Events extends readonly unknown[]> = { readonly [At in keyof Events]: NextSlotState }

/** Complete and spoiled slots stay so. */
const SLOT_STATES: Readonly<Record<SlotState, 'stays' | Row<typeof EVENTS>>> = {
  open: ['sealed', 'sealed', 'voted', 'voted', 'voted', 'forgotten', 'spoiled'],
  sealed: ['sealed', 'sealed', 'complete', 'voted', 'contested', 'forgotten', 'spoiled'],
  voted: ['complete', 'voted', 'complete', 'voted', 'contested', 'forgotten', 'spoiled'],
  contested: ['contested', 'contested', 'complete', 'voted', 'contested', 'forgotten', 'spoiled'],
  complete: 'stays',
  spoiled: 'stays',
}

/** Returns the state of a slot after an event. */
export function nextSlotState(state: SlotState, event: SlotEvent): NextSlotState {
  const row = SLOT_STATES[state]
  return row === 'stays' ? state : row[EVENTS.indexOf(event)]!
}

/**
 * The state of the chain.
 *
 * - `beginning`: nothing was published, and there is no position to continue from; the first complete block begins
 * - `following`: the next block names the newest published one as its parent, or has not arrived yet
 * - `broken`: complete blocks wait for a missing parent; there is a hole before them
 */
export type ChainState = 'beginning' | 'following' | 'broken'

/**
 * An event of the chain. `follows`: a complete block whose parent is the newest published one. `jumps`: a complete
 * block whose parent is missing. `givenUp`: the hole will not be filled.
 */
export type ChainEvent = 'follows' | 'jumps' | 'givenUp'

/** The state after an event, and the action. */
export const CHAIN_STATES = {
  beginning: {
    follows: { state: 'following', does: 'publish' },
    jumps: { state: 'following', does: 'publish' },
    givenUp: { state: 'beginning', does: 'nothing' },
  },
  following: {
    follows: { state: 'following', does: 'publish' },
    jumps: { state: 'broken', does: 'askForHole' },
    givenUp: { state: 'following', does: 'nothing' },
  },
  broken: {
    follows: { state: 'following', does: 'publish' },
    jumps: { state: 'broken', does: 'wait' },
    givenUp: { state: 'following', does: 'sayGap' },
  },
} as const satisfies Record<ChainState, Record<ChainEvent, { state: ChainState; does: string }>>
