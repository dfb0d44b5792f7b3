import { HOUR_MS, hourStart } from '@pairwire/contract'

/** Hours from `from` (inclusive) to `to` (exclusive), both in Unix milliseconds. */
export type HourSpan = Readonly<{ from: number; to: number }>

/** Reads two flags of a verb; `usual` replaces those that are not set. @throws Error with a sentence for people */
export function readHourSpan(
  flags: Readonly<{ from?: string | undefined; to?: string | undefined }>,
  usual?: HourSpan,
): HourSpan {
  const from = flags.from === undefined ? usual?.from : readHour('--from', flags.from)
  const to = flags.to === undefined ? usual?.to : readHour('--to', flags.to)
  if (from === undefined) throw new Error('--from: is missing.')
  if (to === undefined) throw new Error('--to: is missing.')
  if (to <= from) throw new Error('--to: must be after --from.')
  return { from, to }
}

/** The starts of the hours of a span. */
export function hoursOf({ from, to }: HourSpan): number[] {
  return Array.from({ length: (to - from) / HOUR_MS }, (_, hour) => from + hour * HOUR_MS)
}

/** RFC 3339 in UTC, or the name of an hour. */
function readHour(name: string, text: string): number {
  // As a name: `Date.parse` takes 30 February for 2 March.
  const at = hourStart(text.replace(/^(.{4})-(..)-(..)T(?<hour>..):00(:00)?Z$/, '$1$2$3-$<hour>0000'))
  if (at === undefined) throw new Error(`${name}: must be a whole hour in UTC, as in 2026-11-23T13:00:00Z.`)
  return at
}
