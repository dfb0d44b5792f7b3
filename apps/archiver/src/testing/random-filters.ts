import type { Swap } from '@pairwire/contract'
import fc from 'fast-check'
import { hashOf } from './a-stream.ts'

/** Few of each, so that random filters match something. */
const ACCOUNTS = Array.from({ length: 6 }, (_, at) => hashOf(1_000 + at))
const EXCHANGES = ['pumpfun', 'pumpswap', 'raydium', 'raydium_launchlab', 'meteora_dlmm'] as const
const VALUES = [null, 0.01, 1, 99.99, 100, 12_345.678, 1e25] as const

const account = fc.constantFrom(...ACCOUNTS)
const list = fc.option(fc.array(account, { minLength: 1, maxLength: 3 }), { nil: undefined })
const accounts = fc.record({ ammAccount: list, walletAccount: list, baseTokenMint: list })
const exchanges = fc.option(fc.uniqueArray(fc.constantFrom(...EXCHANGES), { minLength: 1 }), {
  nil: undefined,
})
const swapParams = fc.record({
  include: fc.option(
    fc.record({
      ammAccount: list,
      walletAccount: list,
      baseTokenMint: list,
      usdValue: fc.option(fc.constantFrom(0, 0.01, 1, 99.99, 100, 100.01, 1e24, 1e26), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  exclude: fc.option(accounts, { nil: undefined }),
  match: fc.constantFrom(undefined, 'any', 'all'),
  sourceExchange: exchanges,
  swapType: fc.constantFrom(undefined, ['buy'], ['sell'], ['buy', 'sell']),
})
const pairParams = fc.record({
  sourceExchange: exchanges,
  include_launchpad_tokens: fc.constantFrom(undefined, true, false),
})
/** Filters to try; the stream refuses some of them. */
export const filtersToTry = fc.oneof(
  { weight: 4, arbitrary: swapParams.map((params) => ({ kind: 'swap' as const, params })) },
  { weight: 1, arbitrary: pairParams.map((params) => ({ kind: 'newPair' as const, params })) },
)

/** Swaps of a slot: the same on every run; every value occurs in some swap. */
export function randomSwaps(slot: number): Partial<Swap>[] {
  const pick = <Value>(values: readonly Value[], salt: number) =>
    values[(slot * 7_919 + salt * 104_729 + ((slot * salt) >> 3)) % values.length]!
  return Array.from({ length: 5 }, (_, at) => ({
    sourceExchange: pick(EXCHANGES, at + 1),
    ammAccount: pick(ACCOUNTS, at + 2),
    walletAccount: pick(ACCOUNTS, at + 3),
    baseTokenMint: pick(ACCOUNTS, at + 5),
    usdValue: pick(VALUES, at + 7),
    swapType: pick(['buy', 'sell'] as const, at + 11),
    ...(at === 4 ? { quoteTokenLiquidity: '', launchpad: 'pumpfun' } : {}),
  }))
}

/** The value with its prices as numbers: a price can be written in several ways. */
export const withNumbers = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (name, inner) => (name === 'quotePrice' ? Number(inner) : inner))
