import { describe, expect, it } from 'vitest'
import {
  aKeeper,
  aTransaction,
  confirmed,
  connected,
  hashOf,
  meta,
  parts,
  play,
  told,
  transaction,
  wholeBlock,
} from '../testing/slot-updates.ts'
import { type SlotDecision, SlotKeeper, type SlotUpdate } from './slot-keeper.ts'

describe('SlotKeeper', () => {
  it('publishes a slot once its block meta has arrived and it is confirmed, sorted by index', () => {
    const keeper = aKeeper()

    expect(told(play(keeper, transaction(7, 4), transaction(7, 1), meta(7, 6), transaction(7, 2)))).toEqual(
      [],
    )
    expect(told(play(keeper, confirmed(7)))).toEqual(['7:1,2,4'])
  })

  it('publishes a slot that was confirmed before its block meta arrived', () => {
    expect(told(play(aKeeper(), transaction(7, 1), confirmed(7), meta(7, 6)))).toEqual(['7:1'])
  })

  it('treats a slot as confirmed when a confirmed block names it as its parent', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    expect(told(play(keeper, transaction(7, 1), meta(7, 6), meta(8, 7), confirmed(8)))).toEqual(['7:1', '8:'])
  })

  it('works without votes if a server sends none: a block meta then confirms its parent', () => {
    const keeper = aKeeper()

    expect(told(play(keeper, transaction(7, 1), meta(7, 6), meta(8, 7), meta(9, 8)))).toEqual(['7:1', '8:'])
  })

  it('does not treat a fork as confirmed because an unconfirmed block names it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    expect(told(play(keeper, meta(7, 6), meta(8, 7), ...parts(9, 6)))).toEqual(['9:'])
  })

  it('continues from one block to the next if a server names no parents', () => {
    const orphan = (slot: number): SlotUpdate[] => [
      transaction(slot, 1),
      { ...meta(slot, 0), parentBlockhash: '' } as SlotUpdate,
      confirmed(slot),
    ]

    expect(told(play(aKeeper(), ...orphan(6), ...orphan(7), ...orphan(9)))).toEqual(['6:1', '7:1', '9:1'])
  })

  it('treats slots that no block names as parent as skipped', () => {
    expect(told(play(aKeeper(), ...parts(6, 5), ...parts(9, 6), ...parts(10, 9)))).toEqual([
      '6:',
      '9:',
      '10:',
    ])
  })

  it('drops duplicate blocks by blockhash, and transactions by index', () => {
    const keeper = aKeeper()
    const once = parts(7, 6, 1, 2)

    expect(told(play(keeper, ...once, ...once, connected, ...once, wholeBlock(7, 6, 1, 2)))).toEqual([
      '7:1,2',
    ])
  })

  it('waits for a late block instead of continuing without it', () => {
    const keeper = aKeeper()

    expect(told(play(keeper, ...parts(6, 5), ...parts(8, 7)))).toEqual(['6:'])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
    expect(told(play(keeper, ...parts(7, 6, 3)))).toEqual(['7:3', '8:'])
    expect(keeper.hole).toBeUndefined()
  })

  it('fills a hole with whole blocks, wherever they come from', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(10, 9))

    expect(told(play(keeper, wholeBlock(9, 7, 2), wholeBlock(7, 6, 1)))).toEqual(['7:1', '9:2', '10:'])
  })

  it('reports a gap for what is given up, and continues after it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(10, 8))

    expect(told(keeper.giveUp())).toEqual(['gap 7-8', '10:'])
    expect(told(play(keeper, ...parts(11, 10)))).toEqual(['11:'])
  })

  it('gives up only the older part of a hole on request', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(100, 99))

    expect(told(keeper.giveUp(79))).toEqual(['gap 7-79'])
    expect(keeper.hole).toEqual({ fromSlot: 80, toSlot: 99 })
    expect(told(play(keeper, wholeBlock(81, 78), wholeBlock(99, 81)))).toEqual(['81:', '99:', '100:'])
  })

  it('continues from its last position, and reports what is missing since', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) })

    expect(told(play(keeper, ...parts(9, 8)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 8 })
  })

  it('gives nothing up while nothing is missing', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    expect(keeper.giveUp()).toEqual([])
  })

  it('keeps the banks of a slot apart and publishes the one that is confirmed', () => {
    const keeper = aKeeper()
    const decided = play(
      keeper,
      transaction(7, 0, 11),
      transaction(7, 0, 12),
      transaction(7, 1, 12),
      meta(7, 6, 11),
      meta(7, 6, 12),
      confirmed(7, 12),
    )

    expect(decided).toHaveLength(1)
    expect(decided[0]).toMatchObject({ kind: 'publish', block: { blockhash: hashOf(7, 12) } })
    expect(told(decided)).toEqual(['7:0,1'])
  })

  it('waits for a child to decide between two blocks when the vote does not', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    const undecided = play(
      keeper,
      transaction(7, 0, 11),
      transaction(7, 0, 12),
      meta(7, 6, 11),
      meta(7, 6, 12),
      confirmed(7),
    )
    const decided = play(keeper, meta(8, 7, 0, 12), confirmed(8))

    expect(undecided).toEqual([])
    expect(decided[0]).toMatchObject({ kind: 'publish', block: { blockhash: hashOf(7, 12) } })
    expect(told(decided)).toEqual(['7:0', '8:'])
  })

  it('forgets a bank that died and takes the next one of the same slot', () => {
    const keeper = aKeeper()
    const decided = play(
      keeper,
      transaction(7, 0, 1),
      transaction(7, 9, 1),
      { kind: 'dead', slot: 7, bankId: 0 },
      transaction(7, 0, 2),
      meta(7, 6),
      confirmed(7),
    )

    expect(told(decided)).toEqual(['7:0'])
  })

  it.each([0, 9])(
    'treats a slot that lost something as a hole, even if one of its banks dies (%i)',
    (bankId) => {
      const keeper = aKeeper()
      play(keeper, ...parts(6, 5), transaction(7, 0, 2), { kind: 'unreadable', slot: 7 })
      play(keeper, { kind: 'dead', slot: 7, bankId }, transaction(7, 1, 2), meta(7, 6, 2), confirmed(7))

      expect(told(play(keeper, ...parts(8, 7)))).toEqual([])
      expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
    },
  )

  it('publishes nothing of a slot whose banks it cannot tell apart: it is a hole', () => {
    const keeper = aKeeper()
    const ours = aTransaction(7, 0, 2)
    play(keeper, ...parts(6, 5), transaction(7, 0))
    play(keeper, { kind: 'transaction', slot: 7, bankId: 0, index: 0, transaction: ours })

    expect(told(play(keeper, meta(7, 6), confirmed(7), ...parts(8, 7)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
  })

  it('treats a slot with an unreadable part as a hole', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 0), { kind: 'unreadable', slot: 7 })

    expect(told(play(keeper, meta(7, 6), confirmed(7), ...parts(8, 7)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
    expect(told(play(keeper, wholeBlock(7, 6, 0, 1)))).toEqual(['7:0,1', '8:'])
  })

  it('treats all slots in progress as holes when unreadable bytes belong to an unknown slot', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 0), transaction(8, 0), {
      kind: 'unreadable',
      slot: undefined,
    })

    expect(
      told(play(keeper, meta(7, 6), confirmed(7), meta(8, 7), confirmed(8), ...parts(9, 8), ...parts(10, 9))),
    ).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 9 })
  })

  // Guards against silently losing a transaction: the bytes may be the first of the next slot.
  it('also treats the next slot that begins as a hole when unreadable bytes belong to an unknown slot', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 0), { kind: 'unreadable', slot: undefined })

    expect(told(play(keeper, meta(7, 6), confirmed(7), ...parts(8, 7, 1), ...parts(9, 8, 1)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 8 })
  })

  // Guards a transaction of the slot after an empty one that arrived early and could not be read.
  it('treats two slots as holes if the first that ends has none of our transactions', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), { kind: 'unreadable', slot: undefined })

    expect(told(play(keeper, ...parts(7, 6), ...parts(8, 7, 1), ...parts(9, 8, 1)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 8 })
  })

  // Guards a slot whose transactions all passed before the connection existed.
  it('does not treat a slot as empty if its child ended before it at the start of a connection', () => {
    const keeper = new SlotKeeper()

    const decided = play(
      keeper,
      { kind: 'connected', from: undefined },
      ...[meta(8, 7), meta(7, 6), confirmed(7), confirmed(8)],
      ...parts(9, 8, 2),
    )

    expect(told(decided)).toEqual(['9:2'])
  })

  it('raises an alarm for another block of a published slot, and delivers nothing twice', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(7, 6, 1))

    const decided = play(keeper, transaction(7, 1, 3), meta(7, 6, 3), confirmed(7, 3), ...parts(8, 7))

    expect(told(decided)).toEqual(['otherBlock 7', '8:'])
  })

  it('raises an alarm when the next block does not build on what was published, and continues with it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(7, 6))

    expect(told(play(keeper, meta(8, 7, 0, 3), confirmed(8)))).toEqual([])
    expect(told(keeper.giveUp())).toEqual(['otherBlock 7', '8:'])
  })

  it('reports a published slot as incomplete when a transaction arrives after it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(7, 6, 1))

    expect(told(play(keeper, transaction(7, 1), transaction(7, 2), transaction(7, 3)))).toEqual(['late 7'])
  })

  it('reports a published slot as incomplete when it comes again with more transactions', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(7, 6, 1), ...parts(8, 7))

    const whole = parts(7, 6, 1, 2)
    const decided = [...whole, ...whole].flatMap((update) => keeper.take(1, update))

    expect(told([...decided, ...play(keeper, connected, ...whole)])).toEqual(['late 7'])
  })

  it('also waits for the next block once a source has sent a transaction after the end of its slot', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(7, 6, 1), transaction(7, 2))

    expect(told(play(keeper, ...parts(8, 7, 1), transaction(8, 2)))).toEqual([])
    expect(told(play(keeper, meta(9, 8), confirmed(9)))).toEqual(['8:1,2'])
  })

  it('takes each slot from the source that completes it first', () => {
    const keeper = aKeeper()
    const first = parts(7, 6, 1)
    const second = parts(8, 7, 2)

    const decided = [
      ...first.flatMap((update) => keeper.take(0, update)),
      ...first.flatMap((update) => keeper.take(1, update)),
      ...second.flatMap((update) => keeper.take(1, update)),
      ...second.flatMap((update) => keeper.take(0, update)),
    ]

    expect(told(decided)).toEqual(['7:1', '8:2'])
  })

  it('publishes the fuller one of a block that two sources complete while it waits behind a hole', () => {
    for (const sizes of [
      [1, 2],
      [2, 1],
    ]) {
      const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) }, 4)
      const decided = sizes.flatMap((size, source) =>
        parts(8, 7, ...[1, 2].slice(0, size)).flatMap((update) => keeper.take(source, update)),
      )

      expect(told([...decided, ...play(keeper, ...parts(7, 6, 1, 2))])).toEqual(['7:1,2', '8:1,2'])
    }
  })

  it('never mixes two connections', () => {
    const keeper = aKeeper()
    play(keeper, transaction(7, 1), transaction(7, 5, 3), connected)

    expect(told(play(keeper, ...parts(7, 6, 1, 2)))).toEqual(['7:1,2'])
  })

  // Guards against half a slot: a stream joined in the middle of one ends it like a complete one.
  it('does not mistake the rest of a slot for the slot when a connection begins in its middle', () => {
    const keeper = new SlotKeeper()

    const decided = play(
      keeper,
      { kind: 'connected', from: undefined },
      transaction(7, 3),
      transaction(8, 0),
      ...[meta(7, 6), confirmed(7), transaction(8, 1), meta(8, 7), confirmed(8)],
      ...parts(9, 8, 2),
    )

    expect(told(decided)).toEqual(['9:2'])
  })

  it('trusts only a replay that begins where it was requested', () => {
    const tip = { slot: 6, blockhash: hashOf(6) }
    const honest = new SlotKeeper(tip)
    const deaf = new SlotKeeper(tip)
    const asked: SlotUpdate = { kind: 'connected', from: 6 }

    expect(told(play(honest, asked, ...parts(6, 5, 1), ...parts(7, 6, 1)))).toEqual(['7:1'])
    expect(told(play(deaf, asked, ...parts(7, 6, 1), ...parts(8, 7, 1)))).toEqual([])
    expect(deaf.hole).toEqual({ fromSlot: 7, toSlot: 7 })
  })

  it('stays within its limit, and fetches again what it forgot', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) }, 3)

    expect(told(play(keeper, ...parts(8, 7, 0, 1), ...parts(9, 8, 0), ...parts(10, 9, 0)))).toEqual([
      'tooMuchHeld 9',
    ])
    expect(told(play(keeper, wholeBlock(7, 6)))).toEqual(['7:', '8:0,1'])
    expect(keeper.hole).toEqual({ fromSlot: 9, toSlot: 9 })
  })

  it('stays within its limit with a server that never ends a block', () => {
    const keeper = aKeeper(undefined, 100)
    const decided: SlotDecision[] = []
    for (let slot = 0; slot < 1_000; slot++) decided.push(...play(keeper, transaction(slot, 0)))

    expect(decided.filter(({ kind }) => kind === 'alarm')).toHaveLength(900)
  })

  it('remembers only a few thousand slots of a server that confirms slots endlessly', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) })
    play(keeper, confirmed(7), transaction(7, 1))
    for (let slot = 8; slot < 5_000; slot++) keeper.take(0, confirmed(slot))

    expect(told(play(keeper, meta(7, 6)))).toEqual([])
    play(keeper, ...parts(5_000, 4_999), ...parts(5_001, 5_000))
    expect(told(keeper.giveUp())).toEqual(['gap 7-4999', '5000:', '5001:'])
  })

  it('distinguishes eight blocks of one slot, and no more', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) })
    for (let bank = 1; bank <= 8; bank++) keeper.take(0, meta(7, 6, bank))
    const ninth = told(play(keeper, meta(7, 6, 9), confirmed(7, 9)))

    expect(ninth).toEqual([])
    expect(told(play(keeper, confirmed(7, 8)))).toEqual(['7:'])
  })

  it('does not mistake the rest of a slot for the slot when it had no room for the beginning', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) }, 3)

    play(
      keeper,
      transaction(7, 0),
      transaction(8, 0),
      transaction(8, 1),
      transaction(8, 2),
      transaction(7, 1),
    )

    expect(told(play(keeper, meta(7, 6), confirmed(7)))).toEqual([])
    expect(told(play(keeper, meta(8, 7), confirmed(8)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
  })
})
