import { DAY_MS } from '@pairwire/contract'

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A day in words, in UTC: `20 Dec 2026`. */
export const dayText = (moment: Date): string => DAY.format(moment)

/** A day and its minute: `4 Feb 2026, 12:00 UTC`. */
export const minuteText = (moment: Date): string =>
  `${dayText(moment)}, ${moment.toISOString().slice(11, 16)} UTC`

/** The UTC day of a moment in Unix milliseconds: `2026-12-20`. */
export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The last `count` UTC days, oldest first; the last is that of `now`. */
export const lastDays = (count: number, now: number): string[] =>
  Array.from({ length: count }, (_, index) => utcDay(now - (count - 1 - index) * DAY_MS))
