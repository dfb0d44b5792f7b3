/**
 * How much is known of one slot on one source.
 *
 * - `open`: transactions may have come, nothing else
 * - `sealed`: its block meta came, so nothing of it is missing any more; it is not confirmed yet
 * - `voted`: it is confirmed, its block meta has not come
 * - `contested`: it is confirmed, and which of its blocks is meant is not told yet
 * - `complete`: block meta and confirmation are there; the block is handed on
 * - `spoiled`: something of it could not be read, or two banks of it cannot be told apart; it never completes here,
 *   whatever dies of it, since a part of what is left may have come already and be gone
 */
export type SlotState = 'open' | 'sealed' | 'voted' | 'contested' | 'complete' | 'spoiled'

/**
 * What happens to a slot. `meta` is the block meta of the block that is meant as far as is known, `rivalMeta` that of
 * another one. `confirmed` is a vote for a block whose meta is there, `confirmedOther` one for a block whose meta is
 * not there, `undecided` one that does not say for which of several.
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

/** `forgotten`: nothing of the slot is kept, and it may begin anew with another bank. */
type NextSlotState = SlotState | 'forgotten'

/** The state after each of {@link EVENTS}. */
type Row<Events extends readonly unknown[]> = { readonly [At in keyof Events]: NextSlotState }

/** A complete slot and a spoiled one stay so. */
const SLOT_STATES: Readonly<Record<SlotState, 'stays' | Row<typeof EVENTS>>> = {
  open: ['sealed', 'sealed', 'voted', 'voted', 'voted', 'forgotten', 'spoiled'],
  sealed: ['sealed', 'sealed', 'complete', 'voted', 'contested', 'forgotten', 'spoiled'],
  voted: ['complete', 'voted', 'complete', 'voted', 'contested', 'forgotten', 'spoiled'],
  contested: ['contested', 'contested', 'complete', 'voted', 'contested', 'forgotten', 'spoiled'],
  complete: 'stays',
  spoiled: 'stays',
}

/** The state of a slot after an event. */
export function nextSlotState(state: SlotState, event: SlotEvent): NextSlotState {
  const row = SLOT_STATES[state]
  return row === 'stays' ? state : row[EVENTS.indexOf(event)]!
}

/**
 * Where the chain stands.
 *
 * - `beginning`: nothing was published yet, and nobody says where to go on from; the first complete block is the first
 * - `following`: the next block names the newest published one as its parent, or has not come yet
 * - `broken`: complete blocks wait for a parent that has not come; there is a hole before them
 */
export type ChainState = 'beginning' | 'following' | 'broken'

/**
 * What happens to the chain. `follows`: a complete block whose parent is the newest published one. `jumps`: a complete
 * block whose parent is not there. `givenUp`: the hole will not be filled any more.
 */
export type ChainEvent = 'follows' | 'jumps' | 'givenUp'

/** The state after an event, and what is done about it. */
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
