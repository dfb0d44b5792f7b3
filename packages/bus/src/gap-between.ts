import { type GapEvent, LAST_PLACE, parseCursor } from '@pairwire/contract'

/** The gap that says that what follows the first cursor is not there up to and with the second. */
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

/** The first slot of which something may follow the cursor. */
function slotBehind(cursor: ReturnType<typeof parseCursor>): number {
  if (!cursor) return 0
  return cursor.transactionIndex === LAST_PLACE.transactionIndex ? cursor.slot + 1 : cursor.slot
}
