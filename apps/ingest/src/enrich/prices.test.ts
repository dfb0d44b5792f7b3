import { EXCHANGES, PAIR_EXCHANGES, USD1, USDC, USDT } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { aSolPool, blockMoment, ONE_SOL } from '../testing/a-market.ts'
import { aSolTrade, aSwap } from '../testing/a-swap.ts'
import { KNOWN_SOL_POOLS } from './known-pools.ts'
import { LEAST_DEPTH_USD, PRICE_MAX_AGE_SECONDS } from './pool-price.ts'
import { createPrices, type Prices, stableValue } from './prices.ts'

const START = blockMoment(0)
const NEXT = blockMoment(1)
const [KNOWN_1 = '', KNOWN_2 = '', KNOWN_3 = ''] = KNOWN_SOL_POOLS

const after = (seconds: number) => ({
  slot: START.slot + 1_000 + seconds,
  blockTime: START.blockTime + seconds,
})

/** Two wallets trade in a pool at this price, which gives the pool a vote. */
function vote(prices: Prices, pool: string, price: number, moment = START, usd = 4_000_000) {
  const traded = aSolPool(pool, price, usd)
  prices.observe(traded.trade(100, `${pool} wallet 1`), moment)
  prices.observe(traded.trade(-100, `${pool} wallet 2`), moment)
}

/** Prices after unknown pools had these prices in the first block. */
function pricesAfter(...solPrices: number[]) {
  const prices = createPrices()
  for (const [at, price] of solPrices.entries()) vote(prices, `pool ${at}`, price)
  return prices
}

const solPriceOf = (prices: Prices, moment = NEXT) => prices.usdValue(ONE_SOL, moment)

describe('prices', () => {
  it('know nothing of SOL before it was traded against a stable token', () => {
    expect(solPriceOf(createPrices())).toBeNull()
  })

  it('value each stable quote at a dollar, without any trade', () => {
    for (const quoteTokenMint of [USDC, USDT, USD1]) {
      const swap = aSwap({ quoteTokenMint, quoteAmount: 12_345_678n, quoteDecimals: 6 })

      expect(createPrices().usdValue(swap, START)).toBe(12.345678)
      expect(stableValue(swap)).toBe(12.345678)
    }
    expect(stableValue(ONE_SOL)).toBeNull()
  })

  it('never round a known value to zero', () => {
    const dust = aSwap({ quoteAmount: 1n })

    expect(pricesAfter(150, 150).usdValue(dust, NEXT)).toBeCloseTo(1.5e-7, 11)
  })
})

// Guards values: a proprietary AMM's holdings are inventory, unrelated to its price.
describe('trades on exchanges without new pairs', () => {
  it('set no price, of SOL or of another token, whatever their vaults hold', () => {
    for (const exchange of EXCHANGES.filter((each) => !PAIR_EXCHANGES.includes(each))) {
      const prices = createPrices()
      for (const pool of ['pool 1', 'pool 2']) {
        const traded = aSolPool(pool, 150, 4_000_000)
        for (const wallet of ['wallet 1', 'wallet 2']) {
          prices.observe({ ...traded.trade(100, wallet), exchange }, START)
        }
      }
      const own = {
        ...aSolPool('pool 3', 2, 4_000_000).trade(100, 'wallet'),
        baseTokenMint: 'a token',
        exchange,
      }
      prices.usdValue(aSwap({ quoteTokenMint: 'a token' }), START)
      prices.observe(own, START)

      expect(solPriceOf(prices), exchange).toBeNull()
      expect(prices.usdValue(aSwap({ quoteTokenMint: 'a token' }), NEXT), exchange).toBeNull()
    }
  })
})

describe('the price of SOL', () => {
  it('is believed once two pools agree, from the next block on', () => {
    const prices = pricesAfter(150, 150.3)

    expect(solPriceOf(prices, START)).toBeNull()
    expect(solPriceOf(prices)).toBeCloseTo(150.15, 1)
  })

  it('is believed as soon as its block has ended, before any trade of the next', () => {
    const prices = pricesAfter(150, 150.3)

    const during = prices.knownUsdValue(ONE_SOL, START.blockTime)
    prices.endBlock(START)

    expect(during).toBeNull()
    expect(prices.knownUsdValue(ONE_SOL, START.blockTime)).toBeCloseTo(150.15, 1)
  })

  it('is reported as unknown after a minute of blocks without a trade', () => {
    const prices = pricesAfter(150, 150.3)
    const { slot, blockTime } = START
    prices.endBlock(START)
    prices.endBlock({ slot: slot + 150, blockTime: blockTime + 60 })
    const known = prices.read().usdPerSol
    prices.endBlock({ slot: slot + 151, blockTime: blockTime + 61 })

    expect(known).toBeCloseTo(150.15, 1)
    expect(prices.read().usdPerSol).toBeNull()
  })

  it.each([[[150]], [[150, 160]], [[150, 155, 160]]])('is not believed for pools at %j', (solPrices) => {
    expect(solPriceOf(pricesAfter(...solPrices))).toBeNull()
  })

  it('is not believed for a single wallet, in any number of pools', () => {
    const prices = createPrices()

    for (let pool = 0; pool < 10; pool++) {
      for (let trade = 0; trade < 10; trade++) {
        prices.observe(aSolPool(`pool ${pool}`, 150).trade(100, 'the same'), START)
      }
    }

    expect(solPriceOf(prices)).toBeNull()
  })

  it('is that of the reserves after the trade, not the price paid', () => {
    const prices = createPrices()
    const pools = ['pool 1', 'pool 2'].map((address) => aSolPool(address, 150, 1_000_000))

    for (const pool of pools) {
      prices.observe(pool.trade(500, 'wallet 1'), START)
      prices.observe(pool.trade(500, 'wallet 2'), START)
    }

    const [pool] = pools
    expect(pool!.price()).toBeCloseTo(150.3, 1)
    expect(solPriceOf(prices)! / pool!.price()).toBeCloseTo(1, 3)
  })

  it('is the median by size of three pools that partly agree', () => {
    expect(solPriceOf(pricesAfter(150, 150.1, 160))).toBeCloseTo(150.1, 2)
  })

  it('follows a jump that two pools make', () => {
    const prices = pricesAfter(150, 150)

    for (const pool of ['pool 0', 'pool 1']) {
      for (let wallet = 0; wallet < 5; wallet++) {
        prices.observe(aSolPool(pool, 120, 4_000_000).trade(100, `${pool} new wallet ${wallet}`), NEXT)
      }
    }

    expect(solPriceOf(prices, blockMoment(2))).toBeCloseTo(120, 1)
  })

  // Guards the USD value: a wrong price is worse than none.
  it('is unknown 60 s of block time after its last trade', () => {
    const prices = pricesAfter(150, 150)

    expect(solPriceOf(prices, after(PRICE_MAX_AGE_SECONDS))).toBeCloseTo(150, 1)
    expect(solPriceOf(prices, after(PRICE_MAX_AGE_SECONDS + 1))).toBeNull()
  })

  it('is unknown 60 s after its pools diverged, however much one of them is traded', () => {
    const prices = pricesAfter(150, 150)

    for (let block = 1; block < 160; block++) vote(prices, 'pool 0', 170, blockMoment(block))

    expect(solPriceOf(prices, blockMoment(160))).toBeNull()
  })

  it('values no much older trade, as when a recording starts over', () => {
    const prices = pricesAfter(150, 150)
    const before = { slot: START.slot - 200, blockTime: START.blockTime - PRICE_MAX_AGE_SECONDS }

    expect(solPriceOf(prices, before)).toBeCloseTo(150, 1)
    expect(solPriceOf(prices, { ...before, blockTime: before.blockTime - 1 })).toBeNull()
  })

  it('is believed for blocks out of order, too', () => {
    const prices = createPrices()

    for (const [slot, wallet] of [
      [3, 'wallet 1'],
      [1, 'wallet 2'],
      [2, 'wallet 3'],
    ] as const) {
      for (const pool of ['pool 1', 'pool 2']) {
        prices.observe(aSolPool(pool, 150, 4_000_000).trade(100, wallet), blockMoment(slot))
      }
    }

    expect(solPriceOf(prices, blockMoment(3))).toBeCloseTo(150, 1)
  })

  it('ignores shallow pools and small trades', () => {
    const shallow = createPrices()
    for (const pool of ['pool 1', 'pool 2']) vote(shallow, pool, 150, START, LEAST_DEPTH_USD * 0.9)
    const small = createPrices()
    for (const pool of ['pool 1', 'pool 2']) {
      for (const wallet of ['wallet 1', 'wallet 2'])
        small.observe(aSolPool(pool, 150).trade(19, wallet), START)
    }

    expect(solPriceOf(shallow)).toBeNull()
    expect(solPriceOf(small)).toBeNull()
  })

  it.each([1_000_000, 0.01])('is never %d dollars, an impossible value of SOL', (price) => {
    expect(solPriceOf(pricesAfter(price, price))).toBeNull()
  })

  it('is that of the known pools alone, if two of them have a vote', () => {
    const prices = pricesAfter(170, 170, 170, 170, 170)
    expect(solPriceOf(prices)).toBeCloseTo(170, 1)

    vote(prices, KNOWN_1, 150, NEXT)
    vote(prices, KNOWN_2, 150, NEXT)

    expect(solPriceOf(prices, blockMoment(2))).toBeCloseTo(150, 1)
  })

  it('uses the price paid in known pools of concentrated liquidity, and ignores other such pools', () => {
    const paid = (pools: readonly string[]) => {
      const prices = createPrices()
      for (const ammAccount of pools) {
        for (const wallet of ['wallet 1', 'wallet 2']) {
          const exchange = 'orca_whirlpool'
          prices.observe({ ...aSolTrade(150, 2, wallet), ammAccount, exchange }, START)
        }
      }
      return solPriceOf(prices)
    }

    expect(paid([KNOWN_2, KNOWN_3])).toBe(150)
    expect(paid(['pool 1', 'pool 2'])).toBeNull()
  })

  it('reports its pools, their spread and its age', () => {
    const prices = createPrices()
    expect(prices.read()).toEqual({ usdPerSol: null, ageSeconds: null, spread: null, pools: [] })

    vote(prices, KNOWN_1, 150)
    vote(prices, 'pool 1', 150.3)
    solPriceOf(prices, after(7))

    expect(prices.read()).toMatchObject({
      usdPerSol: expect.closeTo(150.15, 1),
      ageSeconds: 7,
      spread: expect.closeTo(0.002, 4),
      pools: [
        { address: KNOWN_1, exchange: 'raydium', isKnown: true, usdPerSol: expect.closeTo(150, 1) },
        { address: 'pool 1', exchange: 'raydium', isKnown: false, usdPerSol: expect.closeTo(150.3, 1) },
      ],
    })
    solPriceOf(prices, after(61))
    expect(prices.read()).toEqual({ usdPerSol: null, ageSeconds: null, spread: null, pools: [] })
  })
})

describe('the price of any other quote', () => {
  const COIN = 'F9Lw3ki3hJ7PF9HQXsBzoY8GyE6sPoEZZdXJBsTTD2rk'

  /** A trade of the coin in its own pool, which holds a million of it against `quote`. */
  const inOwnPool = (quote: bigint, fields: Partial<DecodedSwap> = {}) =>
    aSwap({
      exchange: 'pumpswap',
      ammAccount: 'own pool',
      baseTokenMint: COIN,
      quoteAmount: 1_000_000_000n,
      baseTokenLiquidity: 1_000_000_000_000n,
      quoteTokenLiquidity: quote,
      ...fields,
    })
  const inUsdc = (usd: number, ammAccount = 'own pool') =>
    inOwnPool(BigInt(usd) * 1_000_000n, { quoteTokenMint: USDC, quoteDecimals: 6, ammAccount })
  /** A swap of some token for a hundred of the coin. */
  const swap = aSwap({ quoteTokenMint: COIN, quoteDecimals: 6, quoteAmount: 100_000_000n })

  /** Prices that know SOL at 150 dollars and were asked for the coin once. */
  function pricesThatWatch() {
    const prices = pricesAfter(150, 150)
    expect(prices.usdValue(swap, START)).toBeNull()
    return prices
  }

  /** Two wallets trade alternately, once per block, starting with `block`. */
  const trade = (prices: Prices, trade: DecodedSwap, block = 1, blocks = 3) => {
    for (let at = 0; at < blocks; at++) {
      prices.observe({ ...trade, walletAccount: `wallet ${at % 2}` }, blockMoment(block + at))
    }
  }
  const valueAt = (prices: Prices, block: number) => prices.usdValue(swap, blockMoment(block))

  it('comes through SOL from its own pool, from the block after its third', () => {
    const prices = pricesThatWatch()

    trade(prices, inOwnPool(500_000_000_000n)) // 500 SOL for a million

    expect(valueAt(prices, 3)).toBeNull()
    expect(valueAt(prices, 4)).toBeCloseTo(100 * 0.0005 * 150, 1)
  })

  // Guards values: anyone can make a thousand tokens and quote a pool in each.
  it('stays known to trades in it, however many other tokens are asked for', () => {
    const prices = pricesThatWatch()
    trade(prices, inUsdc(50_000))
    expect(valueAt(prices, 4)).toBeCloseTo(5, 6)

    for (let at = 0; at < 1_500; at++) {
      prices.usdValue({ ...swap, quoteTokenMint: `token ${at}` }, blockMoment(4))
      if (at % 500 === 0) prices.usdValue(swap, blockMoment(4))
    }

    expect(valueAt(prices, 4)).toBeCloseTo(5, 6)
  })

  it('comes from its own pool against a stable token, too', () => {
    const prices = pricesThatWatch()

    trade(prices, inUsdc(50_000))

    expect(valueAt(prices, 4)).toBeCloseTo(5, 6)
  })

  it('comes through two pools at most', () => {
    const other = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1w'
    const prices = pricesThatWatch()
    prices.usdValue(aSwap({ quoteTokenMint: other }), START)

    trade(prices, inOwnPool(500_000_000_000n, { quoteTokenMint: other }))
    trade(prices, inOwnPool(500_000_000_000n, { baseTokenMint: other }))

    expect(valueAt(prices, 4)).toBeNull()
  })

  it('is that of the deepest pool', () => {
    const prices = pricesThatWatch()

    trade(prices, inUsdc(51_000))
    trade(prices, { ...inUsdc(50_000, 'another pool'), baseTokenLiquidity: 980_000_000_000n })

    expect(valueAt(prices, 4)).toBeCloseTo(5.1, 6)
  })

  it('is not changed by a later trade in a shallow pool', () => {
    const prices = pricesThatWatch()

    trade(prices, inUsdc(50_000))
    trade(prices, inOwnPool(1_000_000_000n, { ammAccount: 'another pool' }))

    expect(valueAt(prices, 4)).toBeCloseTo(5, 6)
  })

  // Guards the USD value: a loan to a pool for one transaction costs only fees.
  it('is moved by no pool that is deep for only one block, whatever is traded there and by whom', () => {
    const prices = pricesThatWatch()
    trade(prices, inUsdc(50_000), 1, 4)
    const lent = { ...inUsdc(5_000_000, 'lent pool'), baseTokenLiquidity: 100_000_000n }

    for (const wallet of ['attacker 1', 'attacker 2', 'attacker 3']) {
      prices.observe({ ...lent, quoteAmount: 1n, walletAccount: wallet }, blockMoment(5))
      prices.observe({ ...lent, walletAccount: wallet }, blockMoment(5))
    }

    expect(valueAt(prices, 6)).toBeCloseTo(5, 6)
  })

  it('is unknown while another pool, deep for several blocks, disagrees', () => {
    const prices = pricesThatWatch()
    trade(prices, inUsdc(50_000), 1, 6)

    trade(prices, { ...inUsdc(5_000_000, 'lent pool'), baseTokenLiquidity: 100_000_000n }, 4)

    expect(valueAt(prices, 7)).toBeNull()
  })

  it('is unknown from a single wallet', () => {
    const prices = pricesThatWatch()

    for (let block = 1; block < 9; block++) prices.observe(inUsdc(50_000), blockMoment(block))

    expect(valueAt(prices, 9)).toBeNull()
  })

  it('values no swap above what its own pool held at its lowest', () => {
    const prices = pricesThatWatch()
    trade(prices, inUsdc(50_000))
    trade(prices, inUsdc(52_000), 4, 2)

    const all = { ...swap, quoteAmount: 900_000_000_000n }
    expect(prices.usdValue(all, blockMoment(6))).toBeCloseTo(45_000, -4)
    expect(prices.usdValue({ ...all, quoteAmount: 1_100_000_000_000n }, blockMoment(6))).toBeNull()
  })

  it.each([
    ['a shallow pool', inUsdc(9_000)],
    ['small trades', { ...inUsdc(50_000), quoteAmount: 19_000_000n }],
    ['a curve, whose price includes virtual reserves', { ...inUsdc(50_000), exchange: 'pumpfun' as const }],
    ['a pool that does not report its reserves', { ...inUsdc(50_000), baseTokenLiquidity: null }],
  ])('is unknown from %s', (_, each) => {
    const prices = pricesThatWatch()

    trade(prices, each)

    expect(valueAt(prices, 4)).toBeNull()
  })

  it('is known as soon as its block has ended, before any trade of the next', () => {
    const prices = pricesThatWatch()
    trade(prices, inUsdc(50_000))

    const during = prices.knownUsdValue(swap, START.blockTime)
    prices.endBlock(blockMoment(3))

    expect(during).toBeNull()
    expect(prices.knownUsdValue(swap, START.blockTime)).toBeCloseTo(5, 6)
  })

  it('is unknown 60 s of block time after the last trade of its own pool', () => {
    const prices = pricesThatWatch()
    trade(prices, inUsdc(50_000), -2)

    expect(prices.usdValue(swap, after(PRICE_MAX_AGE_SECONDS))).toBeCloseTo(5, 6)
    expect(prices.usdValue(swap, after(PRICE_MAX_AGE_SECONDS + 1))).toBeNull()
  })
})
