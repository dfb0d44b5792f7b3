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
  it('publishes a slot once its block meta came and it is confirmed, sorted by index', () => {
    const keeper = aKeeper()

    expect(told(play(keeper, transaction(7, 4), transaction(7, 1), meta(7, 6), transaction(7, 2)))).toEqual(
      [],
    )
    expect(told(play(keeper, confirmed(7)))).toEqual(['7:1,2,4'])
  })

  it('publishes a slot that was confirmed before its block meta came', () => {
    expect(told(play(aKeeper(), transaction(7, 1), confirmed(7), meta(7, 6)))).toEqual(['7:1'])
  })

  it('takes a slot for confirmed that a confirmed block names as its parent', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    expect(told(play(keeper, transaction(7, 1), meta(7, 6), meta(8, 7), confirmed(8)))).toEqual(['7:1', '8:'])
  })

  it('lives without votes where a server sends none: then a block meta confirms its parent', () => {
    const keeper = aKeeper()

    expect(told(play(keeper, transaction(7, 1), meta(7, 6), meta(8, 7), meta(9, 8)))).toEqual(['7:1', '8:'])
  })

  it('does not take a fork for confirmed because a block that nobody confirmed names it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    expect(told(play(keeper, meta(7, 6), meta(8, 7), ...parts(9, 6)))).toEqual(['9:'])
  })

  it('goes on from one block to the next where a server names no parents', () => {
    const orphan = (slot: number): SlotUpdate[] => [
      transaction(slot, 1),
      { ...meta(slot, 0), parentBlockhash: '' } as SlotUpdate,
      confirmed(slot),
    ]

    expect(told(play(aKeeper(), ...orphan(6), ...orphan(7), ...orphan(9)))).toEqual(['6:1', '7:1', '9:1'])
  })

  it('takes slots that nobody names as parent for skipped', () => {
    expect(told(play(aKeeper(), ...parts(6, 5), ...parts(9, 6), ...parts(10, 9)))).toEqual([
      '6:',
      '9:',
      '10:',
    ])
  })

  it('drops what it has by the blockhash, and a transaction by its index', () => {
    const keeper = aKeeper()
    const once = parts(7, 6, 1, 2)

    expect(told(play(keeper, ...once, ...once, connected, ...once, wholeBlock(7, 6, 1, 2)))).toEqual([
      '7:1,2',
    ])
  })

  it('waits for a block that comes late rather than going on without it', () => {
    const keeper = aKeeper()

    expect(told(play(keeper, ...parts(6, 5), ...parts(8, 7)))).toEqual(['6:'])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
    expect(told(play(keeper, ...parts(7, 6, 3)))).toEqual(['7:3', '8:'])
    expect(keeper.hole).toBeUndefined()
  })

  it('fills a hole from whole blocks, wherever they come from', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(10, 9))

    expect(told(play(keeper, wholeBlock(9, 7, 2), wholeBlock(7, 6, 1)))).toEqual(['7:1', '9:2', '10:'])
  })

  it('says a gap for what is given up, and goes on behind it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(10, 8))

    expect(told(keeper.giveUp())).toEqual(['gap 7-8', '10:'])
    expect(told(play(keeper, ...parts(11, 10)))).toEqual(['11:'])
  })

  it('gives up only the older part of a hole when it is told so', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(100, 99))

    expect(told(keeper.giveUp(79))).toEqual(['gap 7-79'])
    expect(keeper.hole).toEqual({ fromSlot: 80, toSlot: 99 })
    expect(told(play(keeper, wholeBlock(81, 78), wholeBlock(99, 81)))).toEqual(['81:', '99:', '100:'])
  })

  it('goes on from where it stood, and says what is missing since', () => {
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

  it('waits for a child to say which of two blocks is meant when the vote does not', () => {
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

  it.each([0, 9])('takes a slot that lost something for a hole, though a bank of it dies (%i)', (bankId) => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 0, 2), { kind: 'unreadable', slot: 7 })
    play(keeper, { kind: 'dead', slot: 7, bankId }, transaction(7, 1, 2), meta(7, 6, 2), confirmed(7))

    expect(told(play(keeper, ...parts(8, 7)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
  })

  it('publishes nothing of a slot whose banks it cannot tell apart: that is a hole', () => {
    const keeper = aKeeper()
    const ours = aTransaction(7, 0, 2)
    play(keeper, ...parts(6, 5), transaction(7, 0))
    play(keeper, { kind: 'transaction', slot: 7, bankId: 0, index: 0, transaction: ours })

    expect(told(play(keeper, meta(7, 6), confirmed(7), ...parts(8, 7)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
  })

  it('takes a slot of which something could not be read for a hole', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 0), { kind: 'unreadable', slot: 7 })

    expect(told(play(keeper, meta(7, 6), confirmed(7), ...parts(8, 7)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 7 })
    expect(told(play(keeper, wholeBlock(7, 6, 0, 1)))).toEqual(['7:0,1', '8:'])
  })

  it('takes all that is under way for holes when nobody knows of which slot the bytes were', () => {
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

  // Guards against a transaction that is lost without a word: the bytes may be the first of the next slot.
  it('takes the next slot that begins for a hole, too, when nobody knows of which slot the bytes were', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 0), { kind: 'unreadable', slot: undefined })

    expect(told(play(keeper, meta(7, 6), confirmed(7), ...parts(8, 7, 1), ...parts(9, 8, 1)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 8 })
  })

  // Guards a transaction of the slot after an empty one, which came early and could not be read.
  it('takes two slots for holes where the first that ends has nothing of ours in it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), { kind: 'unreadable', slot: undefined })

    expect(told(play(keeper, ...parts(7, 6), ...parts(8, 7, 1), ...parts(9, 8, 1)))).toEqual([])
    expect(keeper.hole).toEqual({ fromSlot: 7, toSlot: 8 })
  })

  // Guards a slot all of whose transactions went by before the connection was there.
  it('does not take a slot for empty whose child was ended before it where a connection begins', () => {
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

  it('raises an alarm when the next block does not build on what was published, and goes on with it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), ...parts(7, 6))

    expect(told(play(keeper, meta(8, 7, 0, 3), confirmed(8)))).toEqual([])
    expect(told(keeper.giveUp())).toEqual(['otherBlock 7', '8:'])
  })

  it('says of a published slot that it was not whole when a transaction comes after it', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(7, 6, 1))

    expect(told(play(keeper, transaction(7, 1), transaction(7, 2), transaction(7, 3)))).toEqual(['late 7'])
  })

  it('says of a published slot that it was not whole when it comes again with more transactions', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(7, 6, 1), ...parts(8, 7))

    const whole = parts(7, 6, 1, 2)
    const decided = [...whole, ...whole].flatMap((update) => keeper.take(1, update))

    expect(told([...decided, ...play(keeper, connected, ...whole)])).toEqual(['late 7'])
  })

  it('waits for the next block, too, once a source has sent a transaction after what ends its slot', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(7, 6, 1), transaction(7, 2))

    expect(told(play(keeper, ...parts(8, 7, 1), transaction(8, 2)))).toEqual([])
    expect(told(play(keeper, meta(9, 8), confirmed(9)))).toEqual(['8:1,2'])
  })

  it('takes each slot from whoever completes it first', () => {
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

  it('mixes nothing of two connections', () => {
    const keeper = aKeeper()
    play(keeper, transaction(7, 1), transaction(7, 5, 3), connected)

    expect(told(play(keeper, ...parts(7, 6, 1, 2)))).toEqual(['7:1,2'])
  })

  // Guards against half a slot: a stream that is joined in the middle of one ends it as if it were whole.
  it('does not take the rest of a slot for the slot where a connection begins in its middle', () => {
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

  it('believes a replay that begins where it was asked to, and no other', () => {
    const tip = { slot: 6, blockhash: hashOf(6) }
    const honest = new SlotKeeper(tip)
    const deaf = new SlotKeeper(tip)
    const asked: SlotUpdate = { kind: 'connected', from: 6 }

    expect(told(play(honest, asked, ...parts(6, 5, 1), ...parts(7, 6, 1)))).toEqual(['7:1'])
    expect(told(play(deaf, asked, ...parts(7, 6, 1), ...parts(8, 7, 1)))).toEqual([])
    expect(deaf.hole).toEqual({ fromSlot: 7, toSlot: 7 })
  })

  it('holds no more than it may, and fetches again what it forgot', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) }, 3)

    expect(told(play(keeper, ...parts(8, 7, 0, 1), ...parts(9, 8, 0), ...parts(10, 9, 0)))).toEqual([
      'tooMuchHeld 9',
    ])
    expect(told(play(keeper, wholeBlock(7, 6)))).toEqual(['7:', '8:0,1'])
    expect(keeper.hole).toEqual({ fromSlot: 9, toSlot: 9 })
  })

  it('holds no more than it may of a server that never ends a block', () => {
    const keeper = aKeeper(undefined, 100)
    const decided: SlotDecision[] = []
    for (let slot = 0; slot < 1_000; slot++) decided.push(...play(keeper, transaction(slot, 0)))

    expect(decided.filter(({ kind }) => kind === 'alarm')).toHaveLength(900)
  })

  it('remembers no more of a server that confirms slots without end than a few thousand', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) })
    play(keeper, confirmed(7), transaction(7, 1))
    for (let slot = 8; slot < 5_000; slot++) keeper.take(0, confirmed(slot))

    expect(told(play(keeper, meta(7, 6)))).toEqual([])
    play(keeper, ...parts(5_000, 4_999), ...parts(5_001, 5_000))
    expect(told(keeper.giveUp())).toEqual(['gap 7-4999', '5000:', '5001:'])
  })

  it('tells eight blocks of one slot apart, and no more', () => {
    const keeper = aKeeper({ slot: 6, blockhash: hashOf(6) })
    for (let bank = 1; bank <= 8; bank++) keeper.take(0, meta(7, 6, bank))
    const ninth = told(play(keeper, meta(7, 6, 9), confirmed(7, 9)))

    expect(ninth).toEqual([])
    expect(told(play(keeper, confirmed(7, 8)))).toEqual(['7:'])
  })

  it('does not take the rest of a slot for the slot of which it had no room for the beginning', () => {
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
