import { formatDate, readLocale } from '../../locale/locale.ts'

/** Formats a range of history, `13 Nov 2026 19:00 to 20 Nov 2026 19:00 UTC` in en-GB. Both ends are RFC 3339. */
export function formatWindow(
  { from, to }: Readonly<{ from: string; to: string }>,
  locale: string = readLocale(),
): string {
  return `${formatHour(from, locale)} to ${formatHour(to, locale)} UTC`
}

/** Formats the start of the hour named `YYYYMMDD-HHMMSS`, `20 Nov 2026 18:00`. */
export function hourWords(name: string, locale: string = readLocale()): string {
  return formatHour(name.replace(/(\d{4})(\d\d)(\d\d)-(\d\d).*/, '$1-$2-$3T$4:00:00Z'), locale)
}

function formatHour(time: string, locale: string): string {
  return `${formatDate(time, locale, 'UTC')} ${time.slice(11, 16)}`
}
