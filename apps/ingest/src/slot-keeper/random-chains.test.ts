import { inCi } from '@pairwire/basics/testing/in-ci'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  aKeeper,
  aTransaction,
  confirmed,
  hashOf,
  meta,
  parts,
  textOf,
  transaction,
} from '../testing/slot-updates.ts'
import { tortureKeeper } from '../testing/torture-keeper.ts'
import type { ChainBlock } from './slot-assembly.ts'
import type { SlotDecision, SlotUpdate } from './slot-keeper.ts'

describe('SlotKeeper, on random chains', () => {
  // Guards against silently publishing an incomplete slot.
  it('publishes no incomplete block, whatever streams lose, mix up, repeat and break off', () => {
    for (let seed = 1; seed <= 600; seed++) expect(tortureKeeper(seed), `seed ${seed}`).toEqual([])
  })

  // Guards the promise of the stream: complete, in order, each event once, and gaps reported.
  it('publishes the chain complete and in order, whatever is repeated, reordered, lost, forked or cut', () => {
    fc.assert(
      fc.property(anyChain, anySchedule, (chain, schedule) => {
        const outcome = run(chain, schedule)

        expect(outcome.problems).toEqual([])
      }),
      { numRuns: inCi(2_000, 500) },
    )
  })
})

/** A slot of a random chain: how many slots are skipped before it, its indexes, and its other banks. */
type RandomSlot = { skipped: number; indexes: number[]; fork: 'none' | 'orphan' | 'secondBank' }

const anyChain = fc.array(
  fc.record({
    skipped: fc.constantFrom(0, 0, 0, 1, 3),
    indexes: fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 5 }),
    fork: fc.constantFrom('none', 'none', 'none', 'orphan', 'secondBank' as const),
  }),
  { minLength: 2, maxLength: 25 },
) as fc.Arbitrary<RandomSlot[]>

type Schedule = {
  seed: number
  sendsVotes: boolean
  lostVotes: number
  lostMetas: number
  repeats: number
  reach: number
  cuts: number
  canReplay: boolean
  canFill: boolean
}

const anySchedule: fc.Arbitrary<Schedule> = fc.record({
  seed: fc.integer({ min: 1, max: 0x7fffffff }),
  sendsVotes: fc.constant(true),
  lostVotes: fc.constantFrom(0, 0.2, 1),
  lostMetas: fc.constantFrom(0, 0, 0.2),
  repeats: fc.constantFrom(0, 0.3),
  reach: fc.constantFrom(0, 3, 12),
  cuts: fc.constantFrom(0, 1, 4),
  canReplay: fc.boolean(),
  canFill: fc.boolean(),
})

/** Plays a chain through a keeper with these faults, and compares the output with the chain. */
function run(chain: RandomSlot[], schedule: Schedule) {
  let state = schedule.seed
  const random = () => {
    state = (Math.imul(state, 48271) >>> 0) % 0x7fffffff
    return state / 0x7fffffff
  }
  const blocks: ChainBlock[] = []
  const groups: SlotUpdate[][] = []
  let slot = 100
  let parent = { slot: 99, bank: 0 }
  for (const { skipped, indexes, fork } of chain) {
    slot += 1 + skipped
    const bank = fork === 'secondBank' ? 2 : 0
    const group: SlotUpdate[] = indexes.map((index) => transaction(slot, index, bank))
    if (fork === 'secondBank') {
      for (const index of indexes) group.push(transaction(slot, index, 1))
      group.push(meta(slot, parent.slot, 1, parent.bank))
    }
    shuffle(group, schedule.reach, random)
    const [ended] = [meta(slot, parent.slot, bank, parent.bank)]
    if (random() >= schedule.lostMetas || slot === 100) group.push(ended!)
    if (random() >= schedule.lostVotes || fork === 'secondBank') group.push(confirmed(slot, bank))
    if (fork === 'orphan' && skipped > 0) {
      group.push(transaction(slot - 1, 3, 9), meta(slot - 1, parent.slot, 9, parent.bank))
      group.push({ kind: 'dead', slot: slot - 1, bankId: random() < 0.5 ? 0 : 9 })
    }
    blocks.push({
      slot,
      blockhash: hashOf(slot, bank),
      parentSlot: parent.slot,
      parentBlockhash: hashOf(parent.slot, parent.bank),
      blockTime: 1_790_000_000 + slot,
      transactions: [...indexes].sort((a, b) => a - b).map((index) => aTransaction(slot, index, bank)),
    })
    groups.push(group)
    parent = { slot, bank }
  }
  // A final vote for the whole chain, so that nothing stays open without a child.
  const last = blocks.at(-1)!
  const faulty = groups.length
  groups.push([meta(last.slot + 1, last.slot, 0, parent.bank), confirmed(last.slot + 1)])
  for (const more of [2, 3]) groups.push(parts(last.slot + more, last.slot + more - 1))

  const keeper = aKeeper({ slot: 99, blockhash: hashOf(99) })
  const decisions: SlotDecision[] = []
  const take = (update: SlotUpdate) => decisions.push(...keeper.take(0, update))
  const fill = () => {
    const { hole } = keeper
    if (!hole || !schedule.canFill) return
    for (const block of blocks) {
      if (block.slot >= hole.fromSlot && block.slot <= hole.toSlot) take({ kind: 'block', block })
    }
  }
  let cuts = schedule.cuts
  for (let at = 0; at < groups.length; at++) {
    for (const update of groups[at]!) {
      take(update)
      if (random() < schedule.repeats) take(update)
      if (cuts > 0 && at < faulty && random() < 0.05) {
        cuts--
        take({ kind: 'connected', from: keeper.tip!.slot })
        // A replay begins with the tip; a server without replay continues in the middle of the slot.
        if (!schedule.canReplay) continue
        const tip = keeper.tip!.slot
        at = blocks.findLastIndex(({ slot }) => slot <= tip) - 1
        if (at < -1) {
          for (const each of parts(99, 98)) take(each)
          at = -1
        }
        break
      }
    }
    fill()
    if (keeper.hole && random() < 0.5) decisions.push(...keeper.giveUp())
  }
  while (keeper.hole) {
    fill()
    decisions.push(...keeper.giveUp())
  }

  const published = decisions.flatMap((decision) => (decision.kind === 'publish' ? [decision.block] : []))
  const gaps = decisions.flatMap((decision) => (decision.kind === 'gap' ? [decision] : []))
  const problems: string[] = []
  const expected = new Map(blocks.map((block) => [block.slot, block]))
  let before = 99
  for (const block of published) {
    if (block.slot <= before) problems.push(`${block.slot} after ${before}`)
    before = block.slot
    const truth = expected.get(block.slot)
    if (block.slot > last.slot) continue
    if (!truth) problems.push(`${block.slot} is not on the chain`)
    else if (truth.blockhash !== block.blockhash) problems.push(`${block.slot} is another block`)
    else if (textOf(truth) !== textOf(block)) problems.push(`${textOf(block)} is not ${textOf(truth)}`)
    expected.delete(block.slot)
  }
  for (const missing of expected.keys()) {
    if (!gaps.some(({ fromSlot, toSlot }) => missing >= fromSlot && missing <= toSlot)) {
      problems.push(`${missing} is missing without a gap`)
    }
  }
  for (const { fromSlot, toSlot } of gaps) {
    if (published.some((block) => block.slot >= fromSlot && block.slot <= toSlot)) {
      problems.push(`the gap ${fromSlot}-${toSlot} covers published slots`)
    }
  }
  if (schedule.canFill && gaps.some(({ fromSlot }) => fromSlot <= last.slot))
    problems.push('a gap although everything could be filled')
  return { problems, decisions }
}

/** Moves each element by at most `reach` positions. */
function shuffle<Item>(items: Item[], reach: number, random: () => number): void {
  const order = items.map((item, at) => ({ item, key: at + random() * reach }))
  order.sort((left, right) => left.key - right.key)
  for (const [at, { item }] of order.entries()) items[at] = item
}
