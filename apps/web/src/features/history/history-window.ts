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

/** Formats a size in bytes, `1.2 GB`. */
export function sizeWords(bytes: number, locale: string = readLocale()): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 4)
  const unit = `${['', 'kilo', 'mega', 'giga', 'tera'][step]}byte`
  const size = { style: 'unit', unit, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, size).format(bytes / 1_000 ** step)
}

function formatHour(time: string, locale: string): string {
  return `${formatDate(time, locale, 'UTC')} ${time.slice(11, 16)}`
}
