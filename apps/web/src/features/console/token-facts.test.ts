import { describe, expect, it } from 'vitest'
import type { SwapReading } from './feed/read-event.ts'
import type { Row } from './feed/row.ts'
import { MOST_LISTED, swapsOf, tokenFacts } from './token-facts.ts'

let ids = 0
const aSwap = (fields: Partial<SwapReading> = {}): Row => ({
  id: ++ids,
  at: 0,
  text: '',
  symbol: '',
  reading: {
    kind: 'swap',
    isBuy: true,
    exchange: 'pumpfun',
    price: '2',
    usd: 100,
    mint: 'mint',
    quoteMint: 'sol',
    wallet: 'w',
    signature: 's',
    blockTime: null,
    isEarly: false,
    ...fields,
  },
})

describe("a token's facts from the kept swaps", () => {
  it('are the latest price, and its change since the earliest in the same quote', () => {
    const { price, change } = tokenFacts([
      aSwap({ price: '3' }),
      aSwap({ price: '500', quoteMint: 'usdc' }),
      aSwap({ price: '2' }),
    ])

    expect(price).toEqual({ text: '3', quoteMint: 'sol' })
    expect(change).toBeCloseTo(0.5)
  })

  it('count buys and sells, with their dollars if known', () => {
    expect(tokenFacts([aSwap(), aSwap({ usd: null }), aSwap({ isBuy: false, usd: 7 })])).toMatchObject({
      buys: 2,
      sells: 1,
      buysUsd: 100,
      sellsUsd: 7,
    })
  })

  it('list the wallets with the largest volume, and whales', () => {
    const swaps = Array.from({ length: 20 }, (_, index) =>
      aSwap({ wallet: `w${index % 7}`, usd: 1_000 * index }),
    )

    const { wallets, whales } = tokenFacts(swaps)

    expect(wallets.map(({ wallet }) => wallet)).toEqual(['w5', 'w4', 'w3', 'w2', 'w1'])
    expect(wallets[0]).toEqual({ wallet: 'w5', usd: 36_000, swaps: 3 })
    expect(whales).toHaveLength(MOST_LISTED)
    expect(whales.every(({ usd }) => usd! >= 10_000)).toBe(true)
  })

  it('are empty without swaps', () => {
    expect(tokenFacts([])).toMatchObject({
      price: undefined,
      change: undefined,
      buys: 0,
      wallets: [],
      whales: [],
    })
  })

  it('are of that token alone', () => {
    expect(swapsOf('mint', [aSwap(), aSwap({ mint: 'other' })])).toHaveLength(1)
  })
})
