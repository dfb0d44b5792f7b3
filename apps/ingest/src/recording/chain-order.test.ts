import { readRpcTransaction } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { aRecord } from '../testing/a-record.ts'
import { createChainOrder } from './chain-order.ts'

describe('chain order', () => {
  it('places a transaction without slot or index right after the previous one', () => {
    const placeOf = createChainOrder()

    const places = [
      aRecord(1),
      aRecord(2, { slot: 20, transactionIndex: 4 }),
      aRecord(3),
      aRecord(4, { slot: 20 }),
      aRecord(5, { slot: 10 }),
      aRecord(6, { slot: 20, transactionIndex: 1 }),
    ].map((record) => placeOf(readRpcTransaction(record)!))

    expect(places.map(({ slot, index }) => [slot, index])).toEqual([
      [0, -1],
      [20, 4],
      [20, 4],
      [20, 4],
      [10, -1],
      [20, 1],
    ])
  })
})
