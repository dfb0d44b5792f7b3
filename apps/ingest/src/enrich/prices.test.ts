import { USD1, USDC, USDT } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { aSolTrade, aSwap } from './a-swap.ts'
import { createPrices, PRICE_MAX_AGE_SECONDS, stablePrices } from './prices.ts'

const NOW = 1_790_000_000

/** Prices after these SOL prices were traded at the same second, each by a wallet of its own. */
function pricesAfter(...solPrices: number[]) {
  const prices = createPrices()
  solPrices.forEach((price, index) => {
    prices.observe(aSolTrade(price, 2, `wallet ${index}`), NOW)
  })
  return prices
}

const oneSol = aSwap({ quoteAmount: 1_000_000_000n })

describe('prices', () => {
  it('know nothing of SOL before it was traded against a stable token', () => {
    expect(createPrices().usdValue(oneSol, NOW)).toBeNull()
  })

  it('count each stable quote as a dollar, without any trade', () => {
    for (const quoteTokenMint of [USDC, USDT, USD1]) {
      const swap = aSwap({ quoteTokenMint, quoteAmount: 12_345_678n, quoteDecimals: 6 })

      expect(createPrices().usdValue(swap, NOW)).toBe(12.345678)
      expect(stablePrices.usdValue(swap, null)).toBe(12.345678)
    }
  })

  it('value SOL by the trade before', () => {
    expect(pricesAfter(150).usdValue(oneSol, NOW)).toBe(150)
  })

  it('take the median of the last trades, so that one odd trade moves little', () => {
    expect(pricesAfter(150, 151, 149, 150, 156).usdValue(oneSol, NOW)).toBe(150)
  })

  // Guards the USD value: a wrong price is worse than none.
  it('forget a price that is older than 60 s of block time', () => {
    const prices = pricesAfter(150)

    expect(prices.usdValue(oneSol, NOW + PRICE_MAX_AGE_SECONDS)).toBe(150)
    expect(prices.usdValue(oneSol, NOW + PRICE_MAX_AGE_SECONDS + 1)).toBeNull()
  })

  it('do not value an old trade by a price of much later, as when a recording begins again', () => {
    expect(pricesAfter(150).usdValue(oneSol, NOW - PRICE_MAX_AGE_SECONDS - 1)).toBeNull()
  })

  it('know nothing of a SOL trade without a block time', () => {
    expect(pricesAfter(150).usdValue(oneSol, null)).toBeNull()
  })

  it('do not follow a jump of a single trade', () => {
    expect(pricesAfter(150, 150, 15).usdValue(oneSol, NOW)).toBe(150)
  })

  it('follow a jump that five trades of three wallets confirm', () => {
    const prices = pricesAfter(150, 150, 120, 120.5, 119.8, 120, 120.2)

    expect(prices.usdValue(oneSol, NOW)).toBe(120)
  })

  it('do not follow a jump that one wallet repeats', () => {
    const prices = pricesAfter(150)

    for (let count = 0; count < 50; count++) prices.observe(aSolTrade(15, 100, 'the same'), NOW)

    expect(prices.usdValue(oneSol, NOW)).toBe(150)
  })

  it('do not add up doubted trades that disagree', () => {
    expect(pricesAfter(150, 100, 200, 50, 300, 80, 20).usdValue(oneSol, NOW)).toBe(150)
  })

  it('let a doubt go when a trade at the price comes', () => {
    const prices = pricesAfter(150, 120, 120, 120, 120, 150.3, 120)

    expect(prices.usdValue(oneSol, NOW)).toBeCloseTo(150.15)
  })

  it('ignore trades of less than twenty dollars', () => {
    const prices = createPrices()

    prices.observe(aSolTrade(150, 0.1), NOW)

    expect(prices.usdValue(oneSol, NOW)).toBeNull()
  })

  it('never believe a price that SOL cannot have', () => {
    expect(pricesAfter(1_000_000).usdValue(oneSol, NOW)).toBeNull()
    expect(pricesAfter(0.01).usdValue(aSwap(), NOW)).toBeNull()
  })

  it('learn nothing from a token that is traded against SOL', () => {
    const prices = createPrices()

    prices.observe(aSwap({ quoteAmount: 900_000_000_000n }), NOW)

    expect(prices.usdValue(oneSol, NOW)).toBeNull()
  })

  it('never round a value that is known down to zero', () => {
    const dust = aSwap({ quoteAmount: 1n })

    expect(pricesAfter(150).usdValue(dust, NOW)).toBeCloseTo(1.5e-7, 12)
  })

  it('do not know other quotes', () => {
    expect(pricesAfter(150).usdValue(aSwap({ quoteTokenMint: aSwap().baseTokenMint }), NOW)).toBeNull()
  })
})
