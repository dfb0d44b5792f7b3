import type { Swap } from '@pairwire/contract'
import { includesEverything, matchesFilter } from './matches-filter.ts'
import type { SwapFilter } from './read-swap-filter.ts'

/** An object with a filter; its other members belong to the index while it is in it. */
export type Interested = {
  readonly filter: SwapFilter
  /** Whether to check the filter itself after a match by account: it is narrowed, or may also match by value. */
  isAsked: boolean
  mark: number
  places: Places | undefined
}

/** The lists that an entry is in, with its index in each. */
type Places = Map<List, number>

/** The keys that an entry is filed under. */
type Keys = {
  readonly pools: Iterable<string>
  readonly wallets: Iterable<string>
  readonly mints: Iterable<string>
  readonly exchanges: Iterable<string>
  readonly usdAtLeast: number | null
}

/** Entries that want one thing. Plain arrays, as compact as possible: some are scanned for every swap. */
type List = Interested[]

/** Entries that want swaps worth `usd` or more, and how many are narrowed: without any, no filter is checked. */
type Threshold = { readonly usd: number; readonly list: List; narrowed: number }

/** Marks a filter that names no exchange. */
const ANY_EXCHANGE = ''

/**
 * Finds the filters that want a swap from the swap itself, instead of checking each filter:
 *
 *     pool     -> list       usdAtLeast, ascending: 100 -> list | 500 -> list | 10000 -> list
 *     wallet   -> list                              `--- at most the swap's value ---'
 *     mint     -> list
 *     exchange -> list       of filters that name nothing else to include
 *
 * The lists by value, which are the long ones, come first: an entry is in at most one of them, and its filter tells
 * later whether it was found there. A narrowed filter is also checked itself, and if everything in it has to match, it
 * is filed under only one of its fields. Entries know their positions, so one that leaves is removed without a search,
 * however many want the same: the last of the list takes its position.
 */
export function createInterestIndex<Entry extends Interested>() {
  const pools = new Map<string, List>()
  const wallets = new Map<string, List>()
  const mints = new Map<string, List>()
  const exchanges = new Map<string, List>()
  /** Ascending, each value once. */
  const thresholds: Threshold[] = []
  /** Set on the entries visited for one swap, since some may be found more than once. */
  let lastMark = 0

  /** Returns each account and exchange of the keys, with the map that holds it. */
  function* placesOf(keys: Keys): Generator<[map: Map<string, List>, key: string]> {
    for (const key of keys.pools) yield [pools, key]
    for (const key of keys.wallets) yield [wallets, key]
    for (const key of keys.mints) yield [mints, key]
    for (const key of keys.exchanges) yield [exchanges, key]
  }

  return {
    add(entry: Entry): void {
      const keys = keysOf(entry.filter)
      const places: Places = new Map()
      entry.places = places
      entry.isAsked = entry.filter.narrowing !== undefined || keys.usdAtLeast !== null
      for (const [map, key] of placesOf(keys)) file(entry, places, map, key)
      if (keys.usdAtLeast === null) return

      const at = countBelow(thresholds, keys.usdAtLeast)
      let threshold = thresholds[at]
      if (threshold?.usd !== keys.usdAtLeast) {
        threshold = { usd: keys.usdAtLeast, list: [], narrowed: 0 }
        thresholds.splice(at, 0, threshold)
      }
      append(entry, places, threshold.list)
      if (entry.filter.narrowing) threshold.narrowed++
    },

    remove(entry: Entry): void {
      const { places } = entry
      if (!places) return
      const keys = keysOf(entry.filter)
      for (const [map, key] of placesOf(keys)) unfile(places, map, key)
      entry.places = undefined
      if (keys.usdAtLeast === null) return

      const at = countBelow(thresholds, keys.usdAtLeast)
      const threshold = thresholds[at]! // made with the entry, if not before
      if (entry.filter.narrowing) threshold.narrowed--
      takeOut(places, threshold.list)
      if (threshold.list.length === 0) thresholds.splice(at, 1)
    },

    /** Calls `visit` once for each entry that wants the swap, in no particular order. */
    match(swap: Swap, visit: (entry: Entry) => void): void {
      if (swap.usdValue !== null) {
        for (const threshold of thresholds) {
          if (threshold.usd > swap.usdValue) break
          visitByValue(threshold, swap, visit)
        }
      }
      const pool = pools.size > 0 ? pools.get(swap.ammAccount) : undefined
      const wallet = wallets.size > 0 ? wallets.get(swap.walletAccount) : undefined
      const mint = mints.size > 0 ? mints.get(swap.baseTokenMint) : undefined
      const isMarking = (pool ? 1 : 0) + (wallet ? 1 : 0) + (mint ? 1 : 0) > 1
      const mark = isMarking ? ++lastMark : undefined
      if (pool) visitRest(pool, swap, visit, mark)
      if (wallet) visitRest(wallet, swap, visit, mark)
      if (mint) visitRest(mint, swap, visit, mark)
      if (exchanges.size === 0) return
      // An entry under an exchange is under no other key.
      const exchange = exchanges.get(swap.sourceExchange)
      if (exchange) visitRest(exchange, swap, visit)
      const any = exchanges.get(ANY_EXCHANGE)
      if (any) visitRest(any, swap, visit)
    },
  }
}

/** Visits entries that want a swap of this value; only narrowed ones must be checked. */
function visitByValue<Entry extends Interested>(
  { list, narrowed }: Threshold,
  swap: Swap,
  visit: (entry: Entry) => void,
): void {
  for (let at = 0; at < list.length; at++) {
    const entry = list[at] as Entry // the lists hold entries of this index only
    if (narrowed > 0 && entry.filter.narrowing && !matchesFilter(entry.filter, swap)) continue
    visit(entry)
  }
}

/** Skips entries found by value, and, if they can be found more than once, those with the swap's mark. */
function visitRest<Entry extends Interested>(
  list: List,
  swap: Swap,
  visit: (entry: Entry) => void,
  mark?: number,
): void {
  for (let at = 0; at < list.length; at++) {
    const entry = list[at] as Entry // as above
    if (mark !== undefined) {
      if (entry.mark === mark) continue
      entry.mark = mark
    }
    if (entry.isAsked && !isLeftBehind(entry.filter, swap)) continue
    visit(entry)
  }
}

/** Whether the filter wants the swap and was not found by its value. */
function isLeftBehind(filter: SwapFilter, swap: Swap): boolean {
  const { usdAtLeast, narrowing } = filter
  // If everything has to match, it is filed under its value only if it names nothing else.
  const isByValue = usdAtLeast !== null && !narrowing?.matchAll
  if (isByValue && swap.usdValue !== null && usdAtLeast <= swap.usdValue) return false
  return !narrowing || matchesFilter(filter, swap)
}

const NO_KEYS: Keys = { pools: [], wallets: [], mints: [], exchanges: [], usdAtLeast: null }

/** Returns keys of which every swap that the filter wants has at least one. */
function keysOf(filter: SwapFilter): Keys {
  const { pools, wallets, mints, usdAtLeast, narrowing } = filter
  if (narrowing && includesEverything(filter)) {
    return { ...NO_KEYS, exchanges: narrowing.sourceExchanges ?? [ANY_EXCHANGE] }
  }
  if (!narrowing?.matchAll) return { pools, wallets, mints, usdAtLeast, exchanges: [] }

  // One field is enough if all have to match: the one that usually matches the fewest swaps.
  if (wallets.size > 0) return { ...NO_KEYS, wallets }
  if (pools.size > 0) return { ...NO_KEYS, pools }
  return mints.size > 0 ? { ...NO_KEYS, mints } : { ...NO_KEYS, usdAtLeast }
}

function file(entry: Interested, places: Places, map: Map<string, List>, account: string): void {
  const list = map.get(account)
  if (list) {
    append(entry, places, list)
    return
  }
  // An array of one, as most stay: an empty array would reserve room for seventeen at its first entry.
  const own = [entry]
  places.set(own, 0)
  map.set(account, own)
}

function append(entry: Interested, places: Places, list: List): void {
  places.set(list, list.length)
  list.push(entry)
}

function unfile(places: Places, map: Map<string, List>, account: string): void {
  const list = map.get(account)! // the entry is in it
  takeOut(places, list)
  if (list.length === 0) map.delete(account)
}

/** Removes the entry from the list. */
function takeOut(places: Places, list: List): void {
  const here = places.get(list)!
  const last = list.pop()!
  if (here === list.length) return
  list[here] = last
  last.places!.set(list, here) // an entry in a list is in the index
}

/** Returns how many of the ascending thresholds are less than `usd`. */
function countBelow(thresholds: readonly Threshold[], usd: number): number {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (thresholds[middle]!.usd < usd) low = middle + 1
    else high = middle
  }
  return low
}
