/** Digits that are computed; a double holds 15 of any decimal number. */
const DIGITS = 15
/** Digits that are always written, as the stream promises. */
const LEAST_DIGITS = 9
/** Powers of ten between which a price is written without an exponent. */
const PLAIN_FROM = -12
const PLAIN_TO = 15

/** Both sides of a trade in raw units, with the decimals of their mints. */
type TradeAmounts = Readonly<{
  baseAmount: bigint
  quoteAmount: bigint
  baseDecimals: number
  quoteDecimals: number
}>

/**
 * Quote per base with decimals applied, as a decimal text of 9 to 15 significant digits, rounded half up.
 *
 * @example
 * quotePrice({ baseAmount: 3_000_000n, baseDecimals: 6, quoteAmount: 1_000_000_000n, quoteDecimals: 9 }) // '0.333333333333333'
 * @throws RangeError when an amount is not above zero: there is no price then.
 */
export function quotePrice(amounts: TradeAmounts): string {
  const { baseAmount, quoteAmount, baseDecimals, quoteDecimals } = amounts
  if (baseAmount <= 0n || quoteAmount <= 0n) throw new RangeError('a price needs both amounts above zero')

  const shift = baseDecimals - quoteDecimals
  // The quotient has this power of ten or, after rounding, an adjacent one; the digits show which, except for the
  // smallest, up to which one digit less may have been rounded.
  let exponent = Math.floor(Math.log10(Number(quoteAmount) / Number(baseAmount))) + shift
  let digits = divide(quoteAmount, baseAmount, DIGITS - 1 - exponent + shift)
  if (digits <= LEAST) {
    exponent--
    digits = divide(quoteAmount, baseAmount, DIGITS - 1 - exponent + shift)
  }
  if (digits >= BEYOND) {
    exponent++
    digits = divide(quoteAmount, baseAmount, DIGITS - 1 - exponent + shift)
  }
  return write(trim(String(digits)), exponent)
}

/** The numbers of {@link DIGITS} digits. */
const LEAST = 10n ** BigInt(DIGITS - 1)
const BEYOND = 10n ** BigInt(DIGITS)

/** numerator / denominator * 10^shift, rounded half up to a whole number. */
function divide(numerator: bigint, denominator: bigint, shift: number): bigint {
  const scaled = shift > 0 ? numerator * powerOfTen(shift) : numerator
  const divisor = shift < 0 ? denominator * powerOfTen(-shift) : denominator
  return (scaled * 2n + divisor) / (divisor * 2n)
}

function powerOfTen(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent)
}

/** Those that nearly every price needs. */
const POWERS_OF_TEN = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent))

function trim(digits: string): string {
  let end = digits.length
  while (end > LEAST_DIGITS && digits.charCodeAt(end - 1) === 48) end--
  return digits.slice(0, end)
}

/** Writes `digits` with the point after the first one, times ten to the `exponent`. */
function write(digits: string, exponent: number): string {
  if (exponent < PLAIN_FROM || exponent >= PLAIN_TO) {
    return `${digits[0]}.${digits.slice(1)}e${exponent < 0 ? '' : '+'}${exponent}`
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  if (exponent + 1 >= digits.length) return digits.padEnd(exponent + 1, '0')
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
}
