import { readKept } from '../components/kept.ts'

const DEFAULT = 'en-GB'

/** The locale stored in this browser under `locale`; en-GB when there is none or it is not a locale. */
export function readLocale(stored: string | null | undefined = readKept('locale')): string {
  try {
    return stored ? (Intl.getCanonicalLocales(stored)[0] ?? DEFAULT) : DEFAULT
  } catch {
    return DEFAULT
  }
}

/**
 * A date in short month format, `12 Dec 2026` in en-GB, in the user's time zone; empty if it is not a date.
 *
 * @param date RFC 3339 text or a Date.
 */
export function formatDate(date: string | Date, locale: string = readLocale(), timeZone?: string): string {
  const time = typeof date === 'string' ? new Date(date) : date
  if (Number.isNaN(time.getTime())) return ''
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone,
  }).format(time)
}

/** The day and month alone, `12 Nov` in en-GB; empty if it is not a date. */
export function formatDay(date: Date, locale: string = readLocale(), timeZone?: string): string {
  if (Number.isNaN(date.getTime())) return ''
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone }).format(date)
}

/** A number with its digits grouped. */
export function formatNumber(value: number | bigint, locale: string = readLocale()): string {
  return new Intl.NumberFormat(locale).format(value)
}

/** A number with its noun, `1 day` or `1,204 days`; `many` is the plural of one that does not end in s. */
export function formatCount(count: number, noun: string, many: string = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : many}`
}

/** Bytes in the largest unit that they fill, `1.2 GB`. */
export function formatBytes(bytes: number, locale: string = readLocale()): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = Math.round((bytes / 1_000 ** power) * 10) / 10
  return `${formatNumber(value, locale)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}
