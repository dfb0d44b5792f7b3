import { readLocale } from '../../locale/locale.ts'

/** Whole numbers with grouped digits, US dollars with two decimals, and changes, in the user's locale. */
export const figures = {
  whole: (value: number) => format('whole', value),
  usd: (value: number) => format('usd', value),
  seconds: (ms: number) => format('tenth', ms / 1000),
  /** A share as a signed percentage. */
  change: (share: number) => format('change', share),
} as const

/** A moment's time of day in the user's own zone, to the second: `19:42:10`. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString('en-GB')
}

const OPTIONS = {
  whole: { maximumFractionDigits: 0 },
  tenth: { minimumFractionDigits: 1, maximumFractionDigits: 1 },
  change: {
    style: 'percent',
    signDisplay: 'exceptZero',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  },
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
