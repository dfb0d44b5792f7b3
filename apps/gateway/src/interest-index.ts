import type { Swap } from '@pairwire/contract'
import type { SwapFilter } from './filter.ts'

/** Something with a filter; `mark` belongs to the index while it is in it. */
export type Interested = {
  readonly filter: SwapFilter
  mark: number
}

/**
 * Which filters want a swap, found from the swap instead of by asking each filter:
 *
 *     pool   -> entries        usdAtLeast, ascending: 100 | 500 | 500 | 10000
 *     wallet -> entries                               `---- at most the swap's value ----'
 *     mint   -> entries
 */
export type InterestIndex<Entry extends Interested> = Readonly<{
  add(entry: Entry): void
  remove(entry: Entry): void
  /** Calls `visit` once for each entry that wants the swap, in no particular order. */
  match(swap: Swap, visit: (entry: Entry) => void): void
}>

/** An empty index. */
export function createInterestIndex<Entry extends Interested>(): InterestIndex<Entry> {
  // Lists, not sets: they are gone through for every swap, and shortened only when a client leaves.
  const pools = new Map<string, Entry[]>()
  const wallets = new Map<string, Entry[]>()
  const mints = new Map<string, Entry[]>()
  /** Ascending, with the entry of each in the same place of the second list. */
  const thresholds: number[] = []
  const thresholdEntries: Entry[] = []
  /** Marks an entry as visited for the present swap, since it may be reached by several ways. */
  let round = 0

  const visitFirst = (entries: readonly Entry[], count: number, visit: (entry: Entry) => void) => {
    for (let at = 0; at < count; at++) {
      const entry = entries[at]!
      if (entry.mark === round) continue
      entry.mark = round
      visit(entry)
    }
  }

  return {
    add(entry) {
      const { filter } = entry
      for (const account of filter.pools) file(pools, account, entry)
      for (const account of filter.wallets) file(wallets, account, entry)
      for (const account of filter.mints) file(mints, account, entry)
      if (filter.usdAtLeast !== null) {
        const at = countUpTo(thresholds, filter.usdAtLeast)
        thresholds.splice(at, 0, filter.usdAtLeast)
        thresholdEntries.splice(at, 0, entry)
      }
    },

    remove(entry) {
      const { filter } = entry
      for (const account of filter.pools) unfile(pools, account, entry)
      for (const account of filter.wallets) unfile(wallets, account, entry)
      for (const account of filter.mints) unfile(mints, account, entry)
      if (filter.usdAtLeast !== null) {
        const at = thresholdEntries.indexOf(entry)
        if (at < 0) return
        thresholds.splice(at, 1)
        thresholdEntries.splice(at, 1)
      }
    },

    match(swap, visit) {
      round++
      const pool = pools.get(swap.ammAccount)
      if (pool) visitFirst(pool, pool.length, visit)
      const wallet = wallets.get(swap.walletAccount)
      if (wallet) visitFirst(wallet, wallet.length, visit)
      const mint = mints.get(swap.baseTokenMint)
      if (mint) visitFirst(mint, mint.length, visit)
      if (swap.usdValue !== null) visitFirst(thresholdEntries, countUpTo(thresholds, swap.usdValue), visit)
    },
  }
}

function file<Entry>(map: Map<string, Entry[]>, account: string, entry: Entry): void {
  const entries = map.get(account)
  if (entries) entries.push(entry)
  else map.set(account, [entry])
}

function unfile<Entry>(map: Map<string, Entry[]>, account: string, entry: Entry): void {
  const entries = map.get(account)
  const at = entries?.indexOf(entry) ?? -1
  if (!entries || at < 0) return

  const last = entries.pop()!
  if (entries.length === 0) map.delete(account)
  else if (last !== entry) entries[at] = last
}

/** How many of the ascending thresholds are at most `usd`. */
function countUpTo(thresholds: readonly number[], usd: number): number {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (thresholds[middle]! <= usd) low = middle + 1
    else high = middle
  }
  return low
}
