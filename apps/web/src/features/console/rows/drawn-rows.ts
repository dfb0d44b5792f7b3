import type { Row } from './row.ts'

/**
 * The rows as they are drawn, by place. While the stream runs the list stands at its top, so only the first places
 * can be seen: they show the newest rows. The others are left out of layout and painting until the list is held,
 * scrolled, stopped or quiet; one that has not been seen yet is empty.
 */
export type DrawnRows = Readonly<{
  rows: readonly (Row | undefined)[]
  /** Places from the top that are up to date; those after them are out of sight. */
  shown: number
}>

/** Brings the first `shown` places up to date and leaves the rest as it was. */
export function drawRows(before: DrawnRows, rows: readonly Row[], shown: number): DrawnRows {
  if (shown >= rows.length) return { rows, shown: rows.length }
  return { rows: rows.map((row, place) => (place < shown ? row : before.rows[place])), shown }
}
