import { type GapEvent, LAST_PLACE, parseCursor } from '@pairwire/contract'

/** Makes the gap for events after the first cursor, up to and including the second. */
export function gapBetween(last: string, next: string): GapEvent {
  const [before, behind] = [parseCursor(last), parseCursor(next)]
  const fromSlot = slotBehind(before)
  const toSlot = behind?.slot ?? fromSlot
  return {
    kind: 'gap',
    cursor: next,
    // In another run the slots may have started again from an earlier one.
    params: { fromSlot: Math.min(fromSlot, toSlot), toSlot, cause: 'deploy', resume_from: null },
  }
}

/** Returns the first slot that may have events after the cursor. */
function slotBehind(cursor: ReturnType<typeof parseCursor>): number {
  if (!cursor) return 0
  return cursor.transactionIndex === LAST_PLACE.transactionIndex ? cursor.slot + 1 : cursor.slot
}
