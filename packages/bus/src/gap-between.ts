import { type GapEvent, LAST_PLACE, parseCursor } from '@pairwire/contract'

/** Makes the gap for events after the first cursor, up to and including the second. */
export function gapBetween(last: string, next: string): GapEvent {
  const fromSlot = slotBehind(last)
  const toSlot = parseCursor(next)?.slot ?? fromSlot
  return {
    kind: 'gap',
    cursor: next,
    // In another run the slots may have started again from an earlier one.
    params: { fromSlot: Math.min(fromSlot, toSlot), toSlot, cause: 'deploy', resume_from: null },
  }
}

/** Returns the first slot that may have events after the cursor; 0 if that is none. */
export function slotBehind(cursor: string): number {
  const place = parseCursor(cursor)
  if (!place) return 0
  return place.transactionIndex === LAST_PLACE.transactionIndex ? place.slot + 1 : place.slot
}
