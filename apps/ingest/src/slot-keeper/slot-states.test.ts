import { describe, expect, it } from 'vitest'
import type { BlockTransaction } from './block-transaction.ts'
import { type BlockMeta, SlotAssembly } from './slot-assembly.ts'
import { CHAIN_STATES, nextSlotState, type SlotEvent, type SlotState } from './slot-states.ts'

/** The result of each cell of the table. */
const CELLS: { readonly [State in SlotState]: { readonly [Event in SlotEvent]: SlotState | 'forgotten' } } = {
  open: {
    meta: 'sealed',
    rivalMeta: 'sealed',
    confirmed: 'voted',
    confirmedOther: 'voted',
    undecided: 'voted',
    dead: 'forgotten',
    unreadable: 'spoiled',
  },
  sealed: {
    meta: 'sealed',
    rivalMeta: 'sealed',
    confirmed: 'complete',
    confirmedOther: 'voted',
    undecided: 'contested',
    dead: 'forgotten',
    unreadable: 'spoiled',
  },
  voted: {
    meta: 'complete',
    rivalMeta: 'voted',
    confirmed: 'complete',
    confirmedOther: 'voted',
    undecided: 'contested',
    dead: 'forgotten',
    unreadable: 'spoiled',
  },
  contested: {
    meta: 'contested',
    rivalMeta: 'contested',
    confirmed: 'complete',
    confirmedOther: 'voted',
    undecided: 'contested',
    dead: 'forgotten',
    unreadable: 'spoiled',
  },
  complete: {
    meta: 'complete',
    rivalMeta: 'complete',
    confirmed: 'complete',
    confirmedOther: 'complete',
    undecided: 'complete',
    dead: 'complete',
    unreadable: 'complete',
  },
  spoiled: {
    meta: 'spoiled',
    rivalMeta: 'spoiled',
    confirmed: 'spoiled',
    confirmedOther: 'spoiled',
    undecided: 'spoiled',
    dead: 'spoiled',
    unreadable: 'spoiled',
  },
}

describe('the table of slot states', () => {
  for (const state of Object.keys(CELLS) as SlotState[]) {
    for (const event of Object.keys(CELLS[state]) as SlotEvent[]) {
      const wanted = CELLS[state][event]

      it(`${state} with ${event} leads to ${wanted}`, () => {
        expect(nextSlotState(state, event)).toBe(wanted)
      })
    }
  }
})

const metaOf = (bankId: number): BlockMeta => ({
  ...{ slot: 5, bankId, blockhash: `hash ${bankId}`, blockTime: 1_790_000_000 },
  ...{ parentSlot: 4, parentBlockhash: 'hash 4' },
})

/** The update for each event of a slot whose block is that of bank 1. */
const TOLD: { readonly [Event in Exclude<SlotEvent, 'undecided'>]: (assembly: SlotAssembly) => void } = {
  meta: (assembly) => assembly.addMeta(metaOf(1)),
  rivalMeta: (assembly) => assembly.addMeta(metaOf(2)),
  confirmed: (assembly) => assembly.confirm(5, 1),
  confirmedOther: (assembly) => assembly.confirm(5, 3),
  dead: (assembly) => assembly.kill(5, 0),
  unreadable: (assembly) => assembly.spoil(5),
}

/** Whether a slot of one transaction completes with these events. */
function completes(...events: (keyof typeof TOLD)[]): boolean {
  let isComplete = false
  const assembly = new SlotAssembly({
    complete: () => {
      isComplete = true
    },
    late: () => {},
    rival: () => {},
  })
  assembly.connect(1_000, true)
  const transaction = { signature: new Uint8Array(64), index: 0 } as BlockTransaction
  assembly.addTransaction(5, 1, 0, transaction)
  for (const event of events) TOLD[event](assembly)
  return isComplete
}

describe('a slot', () => {
  it.each([
    [['meta'], false],
    [['confirmed'], false],
    [['meta', 'confirmed'], true],
    [['confirmed', 'meta'], true],
    [['confirmed', 'rivalMeta'], false],
    [['confirmed', 'rivalMeta', 'meta'], true],
    [['meta', 'confirmedOther'], false],
    [['meta', 'rivalMeta', 'confirmed'], true],
    [['unreadable', 'meta', 'confirmed'], false],
    [['meta', 'unreadable', 'confirmed'], false],
    [['unreadable', 'dead', 'meta', 'confirmed'], false],
    [['meta', 'dead', 'confirmed'], false],
    [['confirmed', 'dead', 'meta', 'confirmed'], true],
  ] as const)('after %j is complete: %s', (events, isComplete) => {
    expect(completes(...events)).toBe(isComplete)
  })
})

describe('the table of chain states', () => {
  it.each([
    ['beginning', 'follows', 'following', 'publish'],
    ['beginning', 'jumps', 'following', 'publish'],
    ['beginning', 'givenUp', 'beginning', 'nothing'],
    ['following', 'follows', 'following', 'publish'],
    ['following', 'jumps', 'broken', 'askForHole'],
    ['following', 'givenUp', 'following', 'nothing'],
    ['broken', 'follows', 'following', 'publish'],
    ['broken', 'jumps', 'broken', 'wait'],
    ['broken', 'givenUp', 'following', 'sayGap'],
  ] as const)('%s with %s leads to %s and to %s', (state, event, wanted, does) => {
    expect(CHAIN_STATES[state][event]).toEqual({ state: wanted, does })
  })
})
