import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotePrice } from './quote-price.ts'

/** A decimal text as an exact fraction. */
function fractionOf(text: string): { numerator: bigint; denominator: bigint } {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text)
  if (!match) throw new Error(`${text} is no decimal number`)
  const [, whole = '', fraction = '', exponent = '0'] = match
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return power >= 0
    ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-power) }
}

const raw = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })
const decimals = fc.integer({ min: 0, max: 18 })
const trades = fc.record({
  baseAmount: raw,
  quoteAmount: raw,
  baseDecimals: decimals,
  quoteDecimals: decimals,
})

describe('quotePrice', () => {
  it('writes a pump.fun price in the usual form', () => {
    const price = quotePrice({
      baseAmount: 34_612_903_225_806n,
      baseDecimals: 6,
      quoteAmount: 1_000_000_000n,
      quoteDecimals: 9,
    })

    expect(price).toBe('0.0000000288909599254431')
  })

  it('rounds half up at the fifteenth digit', () => {
    expect(quotePrice({ baseAmount: 3n, baseDecimals: 0, quoteAmount: 2n, quoteDecimals: 0 })).toBe(
      '0.666666666666667',
    )
  })

  it('carries a rounding into the next power of ten', () => {
    const nearlyOne = {
      baseAmount: 10n ** 16n,
      quoteAmount: 10n ** 16n - 1n,
      baseDecimals: 0,
      quoteDecimals: 0,
    }

    expect(quotePrice(nearlyOne)).toBe('1.00000000')
  })

  it('writes extremes with an exponent', () => {
    const most = { baseAmount: 1n, baseDecimals: 18, quoteAmount: 2n ** 64n - 1n, quoteDecimals: 0 }
    const least = { baseAmount: 2n ** 64n - 1n, baseDecimals: 0, quoteAmount: 1n, quoteDecimals: 18 }

    expect(quotePrice(most)).toBe('1.84467440737096e+37')
    expect(quotePrice(least)).toBe('5.42101086242752e-38')
  })

  it('is within half a unit of the fifteenth digit of the exact quotient, for any amounts', () => {
    fc.assert(
      fc.property(trades, (trade) => {
        const { numerator, denominator } = fractionOf(quotePrice(trade))

        // |price - q/b| <= q/b * 5e-15, multiplied out.
        const exactTop = trade.quoteAmount * 10n ** BigInt(trade.baseDecimals)
        const exactBottom = trade.baseAmount * 10n ** BigInt(trade.quoteDecimals)
        const gap = numerator * exactBottom - exactTop * denominator
        const error = (gap < 0n ? -gap : gap) * 10n ** 15n
        expect(error <= 5n * exactTop * denominator).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('has at least nine significant digits and parses to a number above zero', () => {
    fc.assert(
      fc.property(trades, (trade) => {
        const price = quotePrice(trade)

        const significant = price.replace(/e.*/, '').replace('.', '').replace(/^0+/, '')
        expect(significant.length).toBeGreaterThanOrEqual(9)
        expect(Number(price)).toBeGreaterThan(0)
        expect(price).not.toMatch(/\.(e|$)/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('refuses a trade with a side of zero', () => {
    const trade = { baseAmount: 0n, quoteAmount: 5n, baseDecimals: 6, quoteDecimals: 9 }

    expect(() => quotePrice(trade)).toThrow(RangeError)
    expect(() => quotePrice({ ...trade, baseAmount: 5n, quoteAmount: 0n })).toThrow(RangeError)
  })
})
