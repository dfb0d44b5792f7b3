import type { Swap } from '@pairwire/contract'
import type { SwapFilter } from './filter.ts'

/** Something with a filter; `mark` and `places` belong to the index while it is in it. */
export type Interested = {
  readonly filter: SwapFilter
  mark: number
  places: Places | undefined
}

/** The lists that an entry is in, in the order of its filter, and where it stands in each. */
type Places = { readonly lists: List[]; readonly at: number[] }

/**
 * Who wants one thing: an array, since it is gone through for every swap. `places[n]` says which of its own places
 * the entry `n` has here.
 */
type List = Interested[] & { places: number[] }

/**
 * Which filters want a swap, found from the swap instead of by asking each filter:
 *
 *     pool   -> list       usdAtLeast, ascending: 100 -> list | 500 -> list | 10000 -> list
 *     wallet -> list                              `--- at most the swap's value ---'
 *     mint   -> list
 *
 * Lists and entries know their places in one another, so whoever leaves is not searched for, however many want the
 * same: the last of the list takes the place.
 */
export type InterestIndex<Entry extends Interested> = Readonly<{
  add(entry: Entry): void
  remove(entry: Entry): void
  /** Calls `visit` once for each entry that wants the swap, in no particular order. */
  match(swap: Swap, visit: (entry: Entry) => void): void
}>

/** An empty index. */
export function createInterestIndex<Entry extends Interested>(): InterestIndex<Entry> {
  const pools = new Map<string, List>()
  const wallets = new Map<string, List>()
  const mints = new Map<string, List>()
  /** Ascending, each once, with its list in the same place of the second array. */
  const thresholds: number[] = []
  const thresholdLists: List[] = []
  /** Marks an entry as visited for the present swap, since it may be reached by several ways. */
  let round = 0

  const visitAll = (list: readonly Interested[], visit: (entry: Entry) => void) => {
    for (let at = 0; at < list.length; at++) {
      const entry = list[at] as Entry // in the lists are entries of this index only
      if (entry.mark === round) continue
      entry.mark = round
      visit(entry)
    }
  }

  return {
    add(entry) {
      const { filter } = entry
      const places: Places = { lists: [], at: [] }
      entry.places = places
      for (const account of filter.pools) file(entry, places, pools, account)
      for (const account of filter.wallets) file(entry, places, wallets, account)
      for (const account of filter.mints) file(entry, places, mints, account)
      if (filter.usdAtLeast === null) return

      const at = countBelow(thresholds, filter.usdAtLeast)
      const list = thresholds[at] === filter.usdAtLeast ? thresholdLists[at] : undefined
      const filed = fileIn(list, entry, places)
      if (list) return
      thresholds.splice(at, 0, filter.usdAtLeast)
      thresholdLists.splice(at, 0, filed)
    },

    remove(entry) {
      const { filter, places } = entry
      if (!places) return
      entry.places = undefined
      let place = 0
      for (const account of filter.pools) if (isEmptied(places, place++)) pools.delete(account)
      for (const account of filter.wallets) if (isEmptied(places, place++)) wallets.delete(account)
      for (const account of filter.mints) if (isEmptied(places, place++)) mints.delete(account)
      if (filter.usdAtLeast !== null && isEmptied(places, place)) {
        const at = countBelow(thresholds, filter.usdAtLeast)
        thresholds.splice(at, 1)
        thresholdLists.splice(at, 1)
      }
    },

    match(swap, visit) {
      round++
      const pool = pools.get(swap.ammAccount)
      if (pool) visitAll(pool, visit)
      const wallet = wallets.get(swap.walletAccount)
      if (wallet) visitAll(wallet, visit)
      const mint = mints.get(swap.baseTokenMint)
      if (mint) visitAll(mint, visit)
      if (swap.usdValue === null) return
      for (let at = 0; at < thresholds.length && thresholds[at]! <= swap.usdValue; at++) {
        visitAll(thresholdLists[at]!, visit)
      }
    },
  }
}

function file(entry: Interested, places: Places, map: Map<string, List>, account: string): void {
  const list = map.get(account)
  const filed = fileIn(list, entry, places)
  if (!list) map.set(account, filed)
}

/** Puts the entry into the list, or into one of its own. */
function fileIn(list: List | undefined, entry: Interested, places: Places): List {
  const place = places.lists.length
  if (list) {
    places.at.push(list.length)
    places.lists.push(list)
    list.places.push(place)
    list.push(entry)
    return list
  }
  // Arrays of one, which most stay: an empty one would take room for seventeen with its first.
  const own = [entry] as Interested[] as List // the line below makes it one
  own.places = [place]
  places.at.push(0)
  places.lists.push(own)
  return own
}

/** Takes an entry out of the list at `place`; whether the list has nobody left. */
function isEmptied({ lists, at }: Places, place: number): boolean {
  const list = lists[place]!
  const last = list.pop()!
  const placeOfLast = list.places.pop()!
  const here = at[place]!
  if (here < list.length) {
    list[here] = last
    list.places[here] = placeOfLast
    last.places!.at[placeOfLast] = here // who is in a list is in the index
  }
  return list.length === 0
}

/** How many of the ascending thresholds are less than `usd`. */
function countBelow(thresholds: readonly number[], usd: number): number {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (thresholds[middle]! < usd) low = middle + 1
    else high = middle
  }
  return low
}
