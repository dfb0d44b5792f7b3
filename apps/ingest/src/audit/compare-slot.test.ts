import { afterEach, expect, it, vi } from 'vitest'
import type { BlockTransaction } from '../slot-keeper/block-transaction.ts'
import { expectedOf } from './compare-slot.ts'

afterEach(() => void vi.restoreAllMocks())

// Guards the sockets of the same process: a slot of six hundred swaps takes tens of milliseconds to decode again.
it('yields the thread to others while a full block is decoded', async () => {
  let milliseconds = 0
  let longest = 0
  let began = 0
  const beginTurn = () => {
    began = milliseconds
    turn = setImmediate(beginTurn)
  }
  let turn = setImmediate(beginTurn)
  // Each transaction takes one millisecond.
  vi.spyOn(performance, 'now').mockImplementation(() => {
    longest = Math.max(longest, ++milliseconds - began)
    return milliseconds
  })

  const transaction = (index: number) =>
    ({
      ...{ signature: new Uint8Array(64), index, failed: false, calls: [] },
      ...{ decoded: { events: [] }, prepared: { signature: '', swaps: [] } },
    }) as unknown as BlockTransaction
  const events = await expectedOf({
    ...{ slot: 7, blockhash: 'seven', parentSlot: 6, parentBlockhash: 'six', blockTime: 1 },
    transactions: Array.from({ length: 50 }, (_, index) => transaction(index)),
  })
  clearImmediate(turn)

  expect(events).toHaveLength(1)
  expect(milliseconds).toBeGreaterThan(50)
  expect(longest).toBeLessThanOrEqual(10)
})
