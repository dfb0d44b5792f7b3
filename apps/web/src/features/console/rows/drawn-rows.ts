import type { Row } from '../feed/row.ts'

/**
 * The rows as drawn, by position. While the stream runs, the list is at its top, so only the first positions are
 * visible: they show the newest rows. The others are excluded from layout and painting until the list is held,
 * scrolled, stopped or quiet; an unseen one is empty.
 */
export type DrawnRows = Readonly<{
  rows: readonly (Row | undefined)[]
  /** Positions from the top that are up to date; later ones are out of sight. */
  shown: number
}>

/** Updates the first `shown` positions and leaves the rest unchanged. */
export function drawRows(before: DrawnRows, rows: readonly Row[], shown: number): DrawnRows {
  if (shown >= rows.length) return { rows, shown: rows.length }
  return { rows: rows.map((row, place) => (place < shown ? row : before.rows[place])), shown }
}
