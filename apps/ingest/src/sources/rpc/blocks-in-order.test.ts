import { expect, it } from 'vitest'
import { createHastyClock } from '../../testing/live-chain.ts'
import { hashOf } from '../../testing/slot-updates.ts'
import { blocksInOrder } from './blocks-in-order.ts'
import type { BlockAnswer } from './read-block.ts'

// Guards the stream: a node that lacks one block must not hold up all others.
it('continues behind a block of the live chain that the endpoint never gives, so that the hole is seen', async () => {
  const clock = createHastyClock(100)
  const stopping = new AbortController()
  const read = async (slot: number): Promise<BlockAnswer> => {
    if (slot === 3) return { kind: 'notYet' }
    const hashes = { blockhash: hashOf(slot), parentBlockhash: hashOf(slot - 1) }
    return { kind: 'block', block: { slot, parentSlot: slot - 1, ...hashes, blockTime: 1, transactions: [] } }
  }
  const head = { limit: () => 8, moved: (signal: AbortSignal) => clock.wait(1_000, signal) }
  void clock.wait(60_000, stopping.signal).then(() => stopping.abort())

  const slots: number[] = []
  const { signal } = stopping
  for await (const { slot } of blocksInOrder({ fromSlot: 1, read, head, clock, signal })) {
    slots.push(slot)
    if (slot === 8) break
  }
  stopping.abort()

  expect(slots).toEqual([1, 2, 4, 5, 6, 7, 8])
})
