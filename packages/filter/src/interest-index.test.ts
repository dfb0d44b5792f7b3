import { type Swap, WRAPPED_SOL } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createInterestIndex, type Interested } from './interest-index.ts'
import { matchesFilter } from './matches-filter.ts'
import type { SwapFilter } from './read-swap-filter.ts'

const address = (number: number) => `address${number}`
const aSwap = (change: Partial<Swap>): Swap => ({
  sourceExchange: 'pumpswap',
  ammAccount: address(1),
  baseTokenMint: address(2),
  quoteTokenMint: WRAPPED_SOL,
  walletAccount: address(3),
  quotePrice: '0.000000123456789',
  usdValue: null,
  baseAmount: '1000000',
  quoteAmount: '123',
  swapType: 'buy',
  quoteTokenLiquidity: '',
  ...change,
})

// Few accounts, so that filters and swaps match often and in several ways.
const account = fc.integer({ min: 1, max: 6 }).map(address)
const accounts = fc.uniqueArray(account, { maxLength: 3 }).map((list) => new Set(list))
const usd = fc.constantFrom(0, 0.01, 99.99, 100, 10_000)
const lists = { pools: accounts, wallets: accounts, mints: accounts }
const exchanges = ['pumpfun', 'pumpswap', 'raydium']
const filter: fc.Arbitrary<SwapFilter> = fc.record({
  ...lists,
  usdAtLeast: fc.option(usd),
  narrowing: fc.option(
    fc.record({
      matchAll: fc.boolean(),
      exclude: fc.record(lists),
      sourceExchanges: fc.option(fc.subarray(exchanges, { minLength: 1 }).map((list) => new Set(list))),
      swapTypes: fc.option(fc.constantFrom(new Set(['buy']), new Set(['sell']), new Set(['buy', 'sell']))),
    }),
    { nil: undefined },
  ),
})
const swap = fc
  .record({
    ammAccount: account,
    walletAccount: account,
    baseTokenMint: account,
    usdValue: fc.option(usd),
    sourceExchange: fc.constantFrom(...exchanges),
    swapType: fc.constantFrom('buy' as const, 'sell' as const),
  })
  .map(aSwap)

describe('interest index', () => {
  it('finds the filters that a full scan finds, each once, while filters come and go', () => {
    const steps = fc.array(fc.tuple(filter, fc.option(fc.nat()), swap), { maxLength: 30 })

    fc.assert(
      fc.property(steps, (steps) => {
        const index = createInterestIndex<Interested & { number: number }>()
        let entries: (Interested & { number: number })[] = []
        for (const [filter, leaving, swap] of steps) {
          const entry = {
            filter,
            isAsked: false,
            mark: 0,
            places: undefined,
            number: entries.length,
          }
          index.add(entry)
          entries.push(entry)
          if (leaving !== null) {
            const at = leaving % entries.length
            index.remove(entries[at]!)
            entries = entries.toSpliced(at, 1)
          }

          const found: unknown[] = []
          index.match(swap, (entry) => found.push(entry))

          const wanted = entries.filter((entry) => matchesFilter(entry.filter, swap))
          expect(found).toHaveLength(wanted.length)
          expect(new Set(found)).toEqual(new Set(wanted))
        }
      }),
      { numRuns: 300 },
    )
  })

  // With thousands on one token, an update of one of them would otherwise search all.
  it('removes an entry without a search, however many want the same', () => {
    const index = createInterestIndex()
    const entries = Array.from({ length: 1_000 }, () =>
      anEntry({ mints: new Set([address(1)]), usdAtLeast: 100 }),
    )
    for (const entry of entries) index.add(entry)
    const searches = (['indexOf', 'findIndex', 'includes', 'splice', 'filter'] as const).map((name) =>
      vi.spyOn(Array.prototype, name),
    )

    for (const entry of entries.slice(0, 500)) {
      index.remove(entry)
      index.add(entry)
    }
    for (const entry of entries.slice(0, 998)) index.remove(entry)
    const searched = searches.map((search) => search.mock.calls.length)
    for (const search of searches) search.mockRestore()
    const found: unknown[] = []
    index.match(aSwap({ baseTokenMint: address(1), usdValue: 100 }), (entry) => found.push(entry))

    expect(searched).toEqual([0, 0, 0, 0, 0])
    expect(new Set(found)).toEqual(new Set(entries.slice(998)))
  })

  it('never treats a swap of unknown value as worth at least 0 dollars', () => {
    const index = createInterestIndex()
    index.add(anEntry({ usdAtLeast: 0 }))
    let found = 0

    index.match(aSwap({ usdValue: null }), () => found++)

    expect(found).toBe(0)
  })
})

function anEntry(change: Partial<SwapFilter>): Interested {
  const nobody = { pools: new Set<string>(), wallets: new Set<string>(), mints: new Set<string>() }
  return {
    filter: { ...nobody, usdAtLeast: null, ...change },
    isAsked: false,
    mark: 0,
    places: undefined,
  }
}
