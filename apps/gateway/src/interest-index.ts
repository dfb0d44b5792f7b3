import type { Swap } from '@pairwire/contract'
import { includesEverything, matchesFilter, type SwapFilter } from './filter.ts'

/** Something with a filter; the other members belong to the index while it is in it. */
export type Interested = {
  readonly filter: SwapFilter
  /** Whether the filter has to be asked once it is found. */
  isNarrowed: boolean
  /** Whether it is found by its value in US dollars too, where a swap is worth it. */
  isByValue: boolean
  mark: number
  places: Places | undefined
}

/** The lists that an entry is in, in the order of its keys, and where it stands in each. */
type Places = { readonly keys: Keys; readonly lists: List[]; readonly at: number[] }

/** What an entry is filed under. */
type Keys = {
  readonly pools: Iterable<string>
  readonly wallets: Iterable<string>
  readonly mints: Iterable<string>
  readonly exchanges: Iterable<string>
  readonly usdAtLeast: number | null
}

/**
 * Who wants one thing: an array, since it is gone through for every swap. `places[n]` says which of its own places
 * the entry `n` has here, and `narrowed` how many entries are: where none is, none has to be looked at for it.
 */
type List = Interested[] & { places: number[]; narrowed: number }

/**
 * Which filters want a swap, found from the swap instead of by asking each filter:
 *
 *     pool     -> list       usdAtLeast, ascending: 100 -> list | 500 -> list | 10000 -> list
 *     wallet   -> list                              `--- at most the swap's value ---'
 *     mint     -> list
 *     exchange -> list       of filters that name nothing else to include
 *
 * The lists of the value come first, which are the long ones: an entry stands in one of them at most, and who was found
 * there is told by its filter afterwards. A filter that is narrowed is asked as well once it is found, and where all
 * that it names has to match it is filed under one of its fields only. Lists and entries know their places in one
 * another, so whoever leaves is not searched for, however many want the same: the last of the list takes the place.
 */
type InterestIndex<Entry extends Interested> = Readonly<{
  add(entry: Entry): void
  remove(entry: Entry): void
  /** Calls `visit` once for each entry that wants the swap, in no particular order. */
  match(swap: Swap, visit: (entry: Entry) => void): void
}>

/** Stands for the exchange of a filter that names none. */
const ANY_EXCHANGE = ''

/** An empty index. */
export function createInterestIndex<Entry extends Interested>(): InterestIndex<Entry> {
  const pools = new Map<string, List>()
  const wallets = new Map<string, List>()
  const mints = new Map<string, List>()
  const exchanges = new Map<string, List>()
  /** Ascending, each once, with its list in the same place of the second array. */
  const thresholds: number[] = []
  const thresholdLists: List[] = []
  /** Marks an entry as visited for the present swap, since it may be reached by several ways. */
  let round = 0

  const visitByValue = (list: List, swap: Swap, visit: (entry: Entry) => void) => {
    const isAsked = list.narrowed > 0
    for (let at = 0; at < list.length; at++) {
      const entry = list[at] as Entry // in the lists are entries of this index only
      if (isAsked && entry.isNarrowed && !matchesFilter(entry.filter, swap)) continue
      visit(entry)
    }
  }

  /** Leaves out who was found by value, and marks who is found where it may be found once more. */
  const visitRest = (list: List, swap: Swap, visit: (entry: Entry) => void, isMarking: boolean) => {
    for (let at = 0; at < list.length; at++) {
      const entry = list[at] as Entry
      if (isMarking) {
        if (entry.mark === round) continue
        entry.mark = round
      }
      if ((entry.isByValue || entry.isNarrowed) && !isLeftBehind(entry, swap)) continue
      visit(entry)
    }
  }

  return {
    add(entry) {
      const keys = keysOf(entry.filter)
      const places: Places = { keys, lists: [], at: [] }
      entry.places = places
      entry.isNarrowed = entry.filter.narrowing !== undefined
      entry.isByValue = keys.usdAtLeast !== null
      for (const account of keys.pools) file(entry, places, pools, account)
      for (const account of keys.wallets) file(entry, places, wallets, account)
      for (const account of keys.mints) file(entry, places, mints, account)
      for (const exchange of keys.exchanges) file(entry, places, exchanges, exchange)
      if (keys.usdAtLeast === null) return

      const at = countBelow(thresholds, keys.usdAtLeast)
      const list = thresholds[at] === keys.usdAtLeast ? thresholdLists[at] : undefined
      const filed = fileIn(list, entry, places)
      if (list) return
      thresholds.splice(at, 0, keys.usdAtLeast)
      thresholdLists.splice(at, 0, filed)
    },

    remove(entry) {
      const { places } = entry
      if (!places) return
      entry.places = undefined
      const { keys } = places
      let place = 0
      for (const account of keys.pools) if (isEmptied(places, place++)) pools.delete(account)
      for (const account of keys.wallets) if (isEmptied(places, place++)) wallets.delete(account)
      for (const account of keys.mints) if (isEmptied(places, place++)) mints.delete(account)
      for (const exchange of keys.exchanges) if (isEmptied(places, place++)) exchanges.delete(exchange)
      if (keys.usdAtLeast !== null && isEmptied(places, place)) {
        const at = countBelow(thresholds, keys.usdAtLeast)
        thresholds.splice(at, 1)
        thresholdLists.splice(at, 1)
      }
    },

    match(swap, visit) {
      if (swap.usdValue !== null) {
        for (let at = 0; at < thresholds.length && thresholds[at]! <= swap.usdValue; at++) {
          visitByValue(thresholdLists[at]!, swap, visit)
        }
      }
      const pool = pools.size > 0 ? pools.get(swap.ammAccount) : undefined
      const wallet = wallets.size > 0 ? wallets.get(swap.walletAccount) : undefined
      const mint = mints.size > 0 ? mints.get(swap.baseTokenMint) : undefined
      const isMarking = (pool ? 1 : 0) + (wallet ? 1 : 0) + (mint ? 1 : 0) > 1
      if (isMarking) round++
      if (pool) visitRest(pool, swap, visit, isMarking)
      if (wallet) visitRest(wallet, swap, visit, isMarking)
      if (mint) visitRest(mint, swap, visit, isMarking)
      if (exchanges.size === 0) return
      // Who is filed under an exchange is so under nothing else.
      const exchange = exchanges.get(swap.sourceExchange)
      if (exchange) visitRest(exchange, swap, visit, false)
      const any = exchanges.get(ANY_EXCHANGE)
      if (any) visitRest(any, swap, visit, false)
    },
  }
}

/** Whether it wants the swap and was not found by its value. */
function isLeftBehind({ isByValue, isNarrowed, filter }: Interested, swap: Swap): boolean {
  const { usdAtLeast } = filter
  if (isByValue && usdAtLeast !== null && swap.usdValue !== null && usdAtLeast <= swap.usdValue) return false
  return !isNarrowed || matchesFilter(filter, swap)
}

const NO_KEYS: Keys = { pools: [], wallets: [], mints: [], exchanges: [], usdAtLeast: null }

/** Keys of which each swap that the filter wants has one at least. */
function keysOf(filter: SwapFilter): Keys {
  const { pools, wallets, mints, usdAtLeast, narrowing } = filter
  if (narrowing && includesEverything(filter)) {
    return { ...NO_KEYS, exchanges: narrowing.sourceExchanges ?? [ANY_EXCHANGE] }
  }
  if (!narrowing?.matchAll) return { pools, wallets, mints, usdAtLeast, exchanges: [] }

  // One field is enough where all have to match: the one that the fewest swaps meet, as a rule.
  if (wallets.size > 0) return { ...NO_KEYS, wallets }
  if (pools.size > 0) return { ...NO_KEYS, pools }
  return mints.size > 0 ? { ...NO_KEYS, mints } : { ...NO_KEYS, usdAtLeast }
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
    if (entry.isNarrowed) list.narrowed++
    return list
  }
  // Arrays of one, which most stay: an empty one would take room for seventeen with its first.
  const own = [entry] as Interested[] as List // the line below makes it one
  own.places = [place]
  own.narrowed = entry.isNarrowed ? 1 : 0
  places.at.push(0)
  places.lists.push(own)
  return own
}

/** Takes an entry out of the list at `place`; whether the list has nobody left. */
function isEmptied({ lists, at }: Places, place: number): boolean {
  const list = lists[place]!
  const here = at[place]!
  if (list[here]!.isNarrowed) list.narrowed--
  const last = list.pop()!
  const placeOfLast = list.places.pop()!
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
