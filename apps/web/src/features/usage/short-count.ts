import { formatNumber, readLocale } from '../../locale/locale.ts'

const MILLION = 1_000_000

/** A count for a summary: grouped digits, from a million on `2.41 M`, from a billion on `1.20 B`. */
export function shortCount(count: number, locale: string = readLocale()): string {
  if (count < MILLION) return new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }).format(count)
  const [size, unit] = count < 1_000 * MILLION ? [MILLION, 'M'] : [1_000 * MILLION, 'B']
  const figures = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  // Truncated, not rounded: 999,999,999 is not yet a billion.
  return `${figures.format(Math.floor((count / size) * 100) / 100)} ${unit}`
}

/** A count for a table: every digit as long as it fits a phone's column; from a billion on `1.20 B`. */
export function tableCount(count: number, locale: string = readLocale()): string {
  return count < 1_000 * MILLION ? formatNumber(count, locale) : shortCount(count, locale)
}
