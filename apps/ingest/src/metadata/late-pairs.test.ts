import { encodeBase58, type PairUpdateMessage } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { aNewPair } from '../testing/a-new-pair.ts'
import type { KnownToken } from '../tokens/known-token.ts'
import { createLatePairs } from './late-pairs.ts'

const MINT = encodeBase58(new Uint8Array(32).fill(9))

/** A pair of the one token. */
const aPair = (number: number) => aNewPair(number, MINT)

/** The token with a name. */
const named: KnownToken = {
  ...{ mint: MINT, decimals: 6, supply: 1_000n, name: 'Nine', symbol: 'NINE', uri: null },
  ...{ mintAuthority: null, freezeAuthority: null, metadataAccount: null, firstSlot: 7, firstSeen: null },
  ...{ launchpad: null, description: null, asOf: { run: 0, slot: 7, transactionIndex: 3 } },
}

describe('late pairs', () => {
  function follow() {
    let now = 0
    const told: PairUpdateMessage[] = []
    const late = createLatePairs(
      () => now,
      (update) => told.push(update),
    )
    const pass = (ms: number) => {
      now += ms
    }
    return { late, pass, told }
  }

  // Anyone can create a pool, and any number for one token.
  it('of one token are each followed for their own minute, however many there are', () => {
    const { late, pass, told } = follow()
    for (let number = 1; number <= 90; number++) {
      late.track(aPair(number))
      pass(1_000)
    }

    late.update(named)

    const expected = Array.from({ length: 60 }, (_, at) => `cursor ${31 + at}`)
    expect(told.map(({ cursor }) => cursor)).toEqual(expected)
    expect(late.shares()).toMatchObject({ pairs: 30, nameWithin60s: 0 })
  })

  it('are no longer followed once the minute of the last is over', () => {
    const { late, pass, told } = follow()
    late.track(aPair(1))
    pass(30_000)
    late.track(aPair(2))
    pass(60_001)

    late.update(named)

    expect(told).toEqual([])
    expect(late.follows(MINT)).toBe(false)
  })
})
