import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesFilter, type SwapFilter } from './filter.ts'
import { createInterestIndex } from './interest-index.ts'
import { address, aSwap } from './testing/events.ts'

// Few accounts, so that filters and swaps meet often and in several ways at once.
const account = fc.integer({ min: 1, max: 6 }).map(address)
const accounts = fc.uniqueArray(account, { maxLength: 3 }).map((list) => new Set(list))
const usd = fc.constantFrom(0, 0.01, 99.99, 100, 10_000)
const filter: fc.Arbitrary<SwapFilter> = fc.record({
  pools: accounts,
  wallets: accounts,
  mints: accounts,
  usdAtLeast: fc.option(usd),
})
const swap = fc
  .record({ ammAccount: account, walletAccount: account, baseTokenMint: account, usdValue: fc.option(usd) })
  .map((change) => aSwap(change).params.swap)

describe('interest index', () => {
  it('finds the filters that a scan of all of them finds, each once, while filters come and go', () => {
    const steps = fc.array(fc.tuple(filter, fc.boolean(), swap), { maxLength: 30 })

    fc.assert(
      fc.property(steps, (steps) => {
        const index = createInterestIndex<{ filter: SwapFilter; mark: number; number: number }>()
        let entries: { filter: SwapFilter; mark: number; number: number }[] = []
        for (const [filter, removesOldest, swap] of steps) {
          const entry = { filter, mark: 0, number: entries.length }
          index.add(entry)
          entries.push(entry)
          if (removesOldest) {
            index.remove(entries[0]!)
            entries = entries.slice(1)
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

  it('never takes a swap of unknown value for one of at least 0 dollars', () => {
    const index = createInterestIndex()
    index.add({ filter: { pools: new Set(), wallets: new Set(), mints: new Set(), usdAtLeast: 0 }, mark: 0 })
    let found = 0

    index.match(aSwap({ usdValue: null }).params.swap, () => found++)

    expect(found).toBe(0)
  })
})
