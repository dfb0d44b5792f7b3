import { describe, expect, it } from 'vitest'
import type { SwapReading } from '../feed/read-event.ts'
import { createActiveTokens, MOST_WATCHED } from './active-tokens.ts'

const NOW = 1_795_201_702_000
const noSymbol = () => ''

const aSwap = (change: Partial<SwapReading> = {}): SwapReading => ({
  kind: 'swap',
  isBuy: true,
  exchange: 'pumpfun',
  price: '1',
  usd: null,
  mint: 'mint',
  quoteMint: 'sol',
  wallet: '',
  signature: '',
  blockTime: null,
  ...change,
})

describe('active tokens', () => {
  it('returns the five busiest mints, the busiest first, with buys and sells separate', () => {
    const tokens = createActiveTokens()
    for (let mint = 1; mint <= 7; mint++)
      for (let swap = 0; swap < mint; swap++) tokens.add(aSwap({ mint: `m${mint}`, isBuy: swap > 1 }), NOW)

    const read = tokens.read(NOW, (mint) => (mint === 'm7' ? 'HARB' : ''))

    expect(read.map(({ mint }) => mint)).toEqual(['m7', 'm6', 'm5', 'm4', 'm3'])
    expect(read[0]).toMatchObject({ symbol: 'HARB', buys: 5, sells: 2 })
  })

  it('forgets what is older than a minute', () => {
    const tokens = createActiveTokens()
    tokens.add(aSwap(), NOW)
    tokens.add(aSwap({ mint: 'other' }), NOW + 30_000)

    expect(tokens.read(NOW + 55_000, noSymbol)).toHaveLength(2)
    expect(tokens.read(NOW + 63_000, noSymbol).map(({ mint }) => mint)).toEqual(['other'])
    expect(tokens.read(NOW + 200_000, noSymbol)).toEqual([])
  })

  it('keeps the last price of every three seconds, oldest first', () => {
    const tokens = createActiveTokens()
    for (const [second, price] of ['1', '2', '0.5', '4'].entries())
      tokens.add(aSwap({ price }), NOW + second * 3_000)

    expect(tokens.read(NOW + 12_000, noSymbol)[0]!.prices).toEqual([1, 2, 0.5, 4])
  })

  it('draws no line through prices in different tokens, nor through invalid prices', () => {
    const tokens = createActiveTokens()
    tokens.add(aSwap({ price: '1' }), NOW)
    tokens.add(aSwap({ price: '150', quoteMint: 'usdc' }), NOW + 3_000)
    tokens.add(aSwap({ price: '' }), NOW + 6_000)

    expect(tokens.read(NOW + 6_000, noSymbol)[0]).toMatchObject({ prices: [1], buys: 3 })
  })

  it('drops the mint traded longest ago when too many are watched', () => {
    const tokens = createActiveTokens()
    tokens.add(aSwap({ mint: 'first' }), NOW)
    tokens.add(aSwap({ mint: 'second' }), NOW)
    tokens.add(aSwap({ mint: 'first' }), NOW)
    for (let index = 0; index < MOST_WATCHED - 1; index++) tokens.add(aSwap({ mint: `m${index}` }), NOW)
    for (let index = 0; index < 3; index++) tokens.add(aSwap({ mint: 'second' }), NOW)

    const read = tokens.read(NOW, noSymbol)

    expect(read.find(({ mint }) => mint === 'second')).toMatchObject({ buys: 3 })
    expect(read[0]!.mint).toBe('second')
    expect(read.find(({ mint }) => mint === 'first')).toBeUndefined()
  })

  it('returns nothing for swaps without a mint', () => {
    const tokens = createActiveTokens()
    tokens.add(aSwap({ mint: '' }), NOW)

    expect(tokens.read(NOW, noSymbol)).toEqual([])
  })
})
