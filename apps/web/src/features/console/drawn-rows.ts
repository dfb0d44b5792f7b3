import type { Row } from './row.ts'

/**
 * The rows as they are drawn, by place. While the stream runs the list stands at its top, so only the first places
 * can be seen: they show the newest rows, and the others are left out of layout and painting until the list is held,
 * scrolled, stopped or quiet.
 */
export type DrawnRows = Readonly<{
  rows: readonly Row[]
  /** Places from the top that are up to date; those after them are out of sight. */
  shown: number
}>

/** Brings the first `shown` places up to date and leaves the rest, up to `places`, as it was. */
export function drawRows(before: DrawnRows, rows: readonly Row[], shown: number, places: number): DrawnRows {
  if (shown >= rows.length) return { rows, shown: rows.length }
  const drawn = rows.slice(0, places).map((row, place) => (place < shown ? row : (before.rows[place] ?? row)))
  return { rows: drawn, shown }
}
