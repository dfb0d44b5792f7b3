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
  const pools = new Map<string, Set<Entry>>()
  const wallets = new Map<string, Set<Entry>>()
  const mints = new Map<string, Set<Entry>>()
  const thresholds: { usdAtLeast: number; entry: Entry }[] = []
  /** Marks an entry as visited for the present swap, since it may be reached by several ways. */
  let round = 0

  const visitAll = (entries: Set<Entry> | undefined, visit: (entry: Entry) => void) => {
    if (!entries) return
    for (const entry of entries) {
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
        const { usdAtLeast } = filter
        thresholds.splice(countUpTo(thresholds, usdAtLeast), 0, { usdAtLeast, entry })
      }
    },

    remove(entry) {
      const { filter } = entry
      for (const account of filter.pools) unfile(pools, account, entry)
      for (const account of filter.wallets) unfile(wallets, account, entry)
      for (const account of filter.mints) unfile(mints, account, entry)
      if (filter.usdAtLeast !== null) {
        const at = thresholds.findIndex((threshold) => threshold.entry === entry)
        if (at >= 0) thresholds.splice(at, 1)
      }
    },

    match(swap, visit) {
      round++
      visitAll(pools.get(swap.ammAccount), visit)
      visitAll(wallets.get(swap.walletAccount), visit)
      visitAll(mints.get(swap.baseTokenMint), visit)
      if (swap.usdValue === null || thresholds.length === 0) return

      const reached = countUpTo(thresholds, swap.usdValue)
      for (let at = 0; at < reached; at++) {
        const { entry } = thresholds[at]!
        if (entry.mark === round) continue
        entry.mark = round
        visit(entry)
      }
    },
  }
}

function file<Entry>(map: Map<string, Set<Entry>>, account: string, entry: Entry): void {
  const entries = map.get(account)
  if (entries) entries.add(entry)
  else map.set(account, new Set([entry]))
}

function unfile<Entry>(map: Map<string, Set<Entry>>, account: string, entry: Entry): void {
  const entries = map.get(account)
  if (!entries) return
  entries.delete(entry)
  if (entries.size === 0) map.delete(account)
}

/** How many of the ascending thresholds are at most `usd`. */
function countUpTo(thresholds: readonly { usdAtLeast: number }[], usd: number): number {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (thresholds[middle]!.usdAtLeast <= usd) low = middle + 1
    else high = middle
  }
  return low
}
