/**
 * A price with four significant digits, exact if it has fewer. From four on, zeros after the point are counted:
 * 0.0000004265 is `0.0`, six zeros, `4265`.
 */
type PriceForm = Readonly<{
  /** The text before the counted zeros, or the whole price when none are counted. */
  head: string
  /** Zeros after the point; 0 when they are written out. */
  zeros: number
  tail: string
}>

/**
 * Formats a decimal string, including scientific notation, without converting it to a float.
 *
 * @returns `undefined` if it is no plain number.
 */
export function formatPrice(price: string): PriceForm | undefined {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(price.trim())
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  if (whole === '' && fraction === '') return undefined

  const all = whole + fraction
  const digits = all.replace(/^0+/, '')
  if (digits === '') return { head: '0', zeros: 0, tail: '' }
  /** Digits before the decimal point; negative for zeros after it. */
  const point = whole.length + Number(exponent) - (all.length - digits.length)

  const rounded = roundTo(digits, Math.max(SIGNIFICANT, point))
  const place = point + rounded.carry
  const kept = rounded.digits
  const minus = sign === '-' ? '-' : ''

  if (place <= -COUNTED_FROM) return { head: `${minus}0.0`, zeros: -place, tail: trimZeros(kept, digits) }
  if (place <= 0) {
    return { head: `${minus}0.${'0'.repeat(-place)}${trimZeros(kept, digits)}`, zeros: 0, tail: '' }
  }
  const before = kept.slice(0, place).padEnd(place, '0')
  const after = trimZeros(kept.slice(place), digits.slice(point))
  return { head: minus + group(before) + (after && `.${after}`), zeros: 0, tail: '' }
}

const SIGNIFICANT = 4
const COUNTED_FROM = 4

/** Rounds half up to `count` digits. `carry` is 1 when the number grew by a digit. */
function roundTo(digits: string, count: number): { digits: string; carry: 0 | 1 } {
  if (digits.length <= count) return { digits, carry: 0 }
  const kept = digits.slice(0, count)
  if ((digits[count] ?? '0') < '5') return { digits: kept, carry: 0 }
  const up = String(BigInt(kept) + 1n)
  return up.length > count ? { digits: up.slice(0, count), carry: 1 } : { digits: up, carry: 0 }
}

/** Trailing zeros mean nothing when the price itself has no more digits; a rounded price keeps them. */
function trimZeros(kept: string, exact: string): string {
  return exact.replace(/0+$/, '').length <= kept.length ? kept.replace(/0+$/, '') : kept
}

function group(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}
