import { describe, expect, it } from 'vitest'
import {
  aKeeper,
  confirmed,
  hashOf,
  meta,
  parts,
  play,
  textOf,
  transaction,
  wholeBlock,
} from '../testing/slot-updates.ts'
import type { SlotKeeper, SlotUpdate } from './slot-keeper.ts'

/** The block that is expected after these updates. */
function expected(keeper: SlotKeeper, ...updates: SlotUpdate[]): string | undefined {
  play(keeper, ...updates)
  const block = keeper.takeExpected()
  return block && textOf(block)
}

describe('the block that a slot keeper expects', () => {
  it('is told once it is whole and stands on what was published, and once only', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    expect(expected(keeper, transaction(7, 2), transaction(7, 1))).toBeUndefined()
    expect(expected(keeper, meta(7, 6))).toBe('7:1,2')
    expect(expected(keeper, meta(8, 7))).toBeUndefined()
  })

  it('is told once the block before it is published, where it was whole before that', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), meta(7, 6), transaction(8, 1), meta(8, 7))
    keeper.takeExpected()

    expect(expected(keeper, confirmed(7))).toBe('8:1')
  })

  it('is given with the very transactions with which it is published', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 3), transaction(7, 1), meta(7, 6))

    const block = keeper.takeExpected()
    const [decision] = play(keeper, confirmed(7))

    expect(decision).toMatchObject({ kind: 'publish', block: { slot: 7 } })
    expect(decision?.kind === 'publish' && decision.block.transactions).toBe(block!.transactions)
  })

  it('is published with what came of it after it was told', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 3), meta(7, 6))

    const block = keeper.takeExpected()
    const [decision] = play(keeper, transaction(7, 1), confirmed(7))

    expect(textOf(block!)).toBe('7:3')
    expect(decision?.kind === 'publish' && textOf(decision.block)).toBe('7:1,3')
  })

  it('is none that is built on another block, or of a slot with two', () => {
    const keeper = aKeeper()
    play(keeper, ...parts(6, 5))

    expect(expected(keeper, meta(8, 7))).toBeUndefined()
    expect(expected(keeper, meta(9, 6, 11), meta(9, 6, 12))).toBeUndefined()
    expect(keeper.tip).toEqual({ slot: 6, blockhash: hashOf(6) })
  })

  it('is none before anything was published, and none that died', () => {
    expect(expected(aKeeper(), transaction(7, 1), meta(7, 6))).toBeUndefined()

    const keeper = aKeeper()
    play(keeper, ...parts(6, 5), transaction(7, 1), meta(7, 6), { kind: 'dead', slot: 7, bankId: 0 })
    expect(keeper.takeExpected()).toBeUndefined()
  })

  it('is told behind a hole that is filled or given up', () => {
    const filled = aKeeper()
    play(filled, ...parts(6, 5), transaction(9, 1), meta(9, 8))
    expect(expected(filled, wholeBlock(8, 6))).toBe('9:1')

    const givenUp = aKeeper()
    play(givenUp, ...parts(6, 5), ...parts(9, 8), transaction(10, 1), meta(10, 9))
    givenUp.takeExpected()
    givenUp.giveUp()
    expect(expected(givenUp)).toBe('10:1')
  })
})
