import { readLocale } from '../../locale/locale.ts'

/** Whole numbers with grouped digits, and US dollars with two decimals, in the user's locale. */
export const figures = {
  whole: (value: number) => format('whole', value),
  usd: (value: number) => format('usd', value),
  seconds: (ms: number) => format('tenth', ms / 1000),
} as const

const OPTIONS = {
  whole: { maximumFractionDigits: 0 },
  tenth: { minimumFractionDigits: 1, maximumFractionDigits: 1 },
  usd: { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
} as const satisfies Record<string, Intl.NumberFormatOptions>

const formats = new Map<string, Intl.NumberFormat>()

function format(name: keyof typeof OPTIONS, value: number): string {
  let made = formats.get(name)
  if (!made) {
    made = new Intl.NumberFormat(readLocale(), OPTIONS[name])
    formats.set(name, made)
  }
  return made.format(value)
}
