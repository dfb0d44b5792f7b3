import { formatCursor, type StreamEvent, WEBHOOK_LIMITS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bodyOf, Collected } from './collected.ts'

/** A new pair whose name makes its frame so large. */
const aNewPair = (slot: number, bytes: number) =>
  ({
    kind: 'newPair',
    cursor: formatCursor({ run: 1_760_000_000_000, slot, transactionIndex: 1_999, eventIndex: 99 }),
    params: { slot, signature: 's', blockTime: 1, pair: { name: 'x'.repeat(bytes) } },
  }) as unknown as StreamEvent

describe('the events of a message', () => {
  // Guards receivers, whose servers refuse a larger body whole.
  it('fill its body to the size that is promised, and no further', () => {
    const { messageBytes, eventsMost } = WEBHOOK_LIMITS
    for (const bytes of [2_300, 2_500, 2_600, 3_000, 40_000]) {
      const collected = new Collected('newPair', eventsMost, false)
      let slot = 400_000_000
      while (collected.take(aNewPair(slot, bytes), 0, 0)) slot++

      const { bounds, frames } = collected.message()
      const parts = { id: `wh_${'0'.repeat(20)}`, simulated: true }
      const { body } = bodyOf({ ...bounds, at: Date.UTC(2026, 0) }, frames, parts)
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(messageBytes)
      if (frames.length < eventsMost)
        expect(Buffer.byteLength(body)).toBeGreaterThan(messageBytes - bytes - 1_024)
    }
  })

  it('are a single one if that is larger', () => {
    const collected = new Collected('newPair', 9, false)

    expect(collected.take(aNewPair(1, WEBHOOK_LIMITS.messageBytes), 0, 0)).toBe(true)
    expect(collected.take(aNewPair(2, 1), 0, 0)).toBe(false)
  })
})
