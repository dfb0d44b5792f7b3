/**
 * The position of an event in the stream of one deployment. Opaque to clients; internally four zero-padded decimal numbers,
 * so that the order of texts is the order of events:
 *
 *     run (9) - slot (12) - transaction index (6) - event index (4)
 *
 * The run number rises at every start of a recorded source and at every loop of it, so no cursor repeats.
 */
type Cursor = string

/** The numbers of a cursor: `run`, `slot`, `transactionIndex` within the block, `eventIndex` within the transaction. */
export type CursorParts = Readonly<{
  run: number
  slot: number
  transactionIndex: number
  eventIndex: number
}>

/** The index of a block's own event: after everything in it. Higher indexes are for later statements about the block. */
export const LAST_PLACE = { transactionIndex: 999_999, eventIndex: 9_000 } as const

/** The greatest index of an event in a cursor. */
const LAST_EVENT = 9_999

/** Characters of a cursor that identify its slot. */
const SLOT_LENGTH = 22

/** The cursor of these parts, each an integer that fits its width. */
export function formatCursor(parts: CursorParts): Cursor {
  return `${formatSlot(parts)}-${pad(parts.transactionIndex, 6)}-${pad(parts.eventIndex, 4)}`
}

/** The parts of `text`, or `undefined` if it is not a cursor of ours. */
export function parseCursor(text: string): CursorParts | undefined {
  const match = /^(\d{9})-(\d{12})-(\d{6})-(\d{4})$/.exec(text)
  if (!match) return undefined
  const [run, slot, transactionIndex, eventIndex] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ]
  return { run, slot, transactionIndex, eventIndex }
}

/** The common prefix of the cursors of one slot: these texts sort as the slots do, run by run. */
export function slotOf(cursor: Cursor): string {
  return cursor.slice(0, SLOT_LENGTH)
}

/** The same for a slot without a cursor at hand. */
export function formatSlot({ run, slot }: Pick<CursorParts, 'run' | 'slot'>): string {
  if (run !== formatted.run || slot !== formatted.slot) {
    formatted = { run, slot, text: `${pad(run, 9)}-${pad(slot, 12)}` }
  }
  return formatted.text
}

/** The last result, since the events of a slot come together. */
let formatted = { run: -1, slot: -1, text: '' }

/** The position just before `cursor`: events after it begin with the event of `cursor` itself. */
export function cursorBefore(cursor: Cursor): Cursor {
  const digits = cursor.replaceAll('-', '')
  const before = String(BigInt(digits) - 1n).padStart(digits.length, '0')
  return `${before.slice(0, 9)}-${before.slice(9, 21)}-${before.slice(21, 27)}-${before.slice(27)}`
}

/** The position just after `cursor`, in the same slot, if it is a block's or a gap's. */
export function cursorBehind(cursor: Cursor): Cursor {
  const eventIndex = Math.min(Number(cursor.slice(-4)) + 1, LAST_EVENT)
  return `${cursor.slice(0, -4)}${pad(eventIndex, 4)}`
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
