import { formatDate, readLocale } from '../../locale/locale.ts'

const HOUR_MS = 3_600_000

/** A stretch of history: whole hours in UTC, from `from` up to but without `to`. */
type HistoryWindow = Readonly<{ from: Date; to: Date }>

/** The last `hours` whole hours before `now` (milliseconds); the hour that runs is not among them. */
export function historyWindow(hours: number, now: number): HistoryWindow {
  const end = Math.floor(now / HOUR_MS) * HOUR_MS
  return { from: new Date(end - hours * HOUR_MS), to: new Date(end) }
}

/** The window in words, `13 Nov 2026 19:00 to 20 Nov 2026 19:00 UTC` in en-GB. */
export function formatWindow({ from, to }: HistoryWindow, locale: string = readLocale()): string {
  return `${formatHour(from, locale)} to ${formatHour(to, locale)} UTC`
}

/** Milliseconds until the next whole hour, when the window moves. */
export function untilNextHour(now: number): number {
  return HOUR_MS - (now % HOUR_MS)
}

function formatHour(time: Date, locale: string): string {
  return `${formatDate(time, locale, 'UTC')} ${time.toISOString().slice(11, 16)}`
}
