import { formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'

/** The cursor after everything of a slot. */
export const cursorOf = (slot: number) => formatCursor({ run: 0, slot, ...LAST_PLACE })

/** The block that ends a slot. */
export function aBlock(slot: number): StreamEvent {
  return { kind: 'latestBlock', cursor: cursorOf(slot), params: { block: slot, blockTime: 1_790_000_000 } }
}
