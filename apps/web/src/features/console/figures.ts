import { readLocale } from '../../locale/locale.ts'

/** Whole numbers with grouped digits, US dollars with two decimals, and changes, in the user's locale. */
export const figures = {
  whole: (value: number) => format('whole', value),
  /** Below half a cent "less than one"; cents up to 100,000, then whole dollars, and four digits from ten million, so that it always fits. */
  usd: (value: number) =>
    value > 0 && value < 0.005
      ? `<${format('usd', 0.01)}`
      : format(value < 1e5 ? 'usd' : value < 1e7 ? 'usdWhole' : 'usdShort', value),
  seconds: (ms: number) => format('tenth', ms / 1000),
  /** Formats a share as a signed percentage, with three digits from 1,000 % on. */
  change: (share: number) => format(share < 10 ? 'change' : 'changeShort', share),
} as const

/** Formats a moment's time of day in the user's time zone, to the second: `19:42:10`. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString('en-GB')
}

const DOLLARS = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const

const TENTH = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const
const CHANGE = { style: 'percent', signDisplay: 'exceptZero' } as const

const OPTIONS = {
  whole: { maximumFractionDigits: 0 },
  tenth: TENTH,
  change: { ...CHANGE, ...TENTH },
  changeShort: { ...CHANGE, notation: 'compact', maximumSignificantDigits: 3 },
  usd: DOLLARS,
  usdWhole: { ...DOLLARS, maximumFractionDigits: 0 },
  usdShort: { ...DOLLARS, notation: 'compact', maximumSignificantDigits: 4 },
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
