import type { Row } from './row.ts'

/**
 * The rows to draw next, by place. While the stream runs, the list stands at its top, so only the first `visible`
 * places can be seen: they always show the newest rows, and of the others one share a turn. A turn then costs a
 * quarter of drawing all hundred. When the list is held, scrolled or stopped, everything is drawn.
 */
export function nextDrawnRows(
  before: readonly Row[],
  rows: readonly Row[],
  visible: number,
  turn: number,
): readonly Row[] {
  if (before.length !== rows.length) return rows
  return rows.map((row, place) =>
    place < visible || place % SHARES === turn % SHARES ? row : (before[place] ?? row),
  )
}

/** Turns in which every place is drawn once. */
export const SHARES = 20
