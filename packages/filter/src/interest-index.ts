import type { Swap } from '@pairwire/contract'
import { includesEverything, matchesFilter } from './matches-filter.ts'
import type { SwapFilter } from './read-swap-filter.ts'

/** Something with a filter; the other members belong to the index while it is in it. */
export type Interested = {
  readonly filter: SwapFilter
  /** Whether the filter has to be asked once it is found by an account: it is narrowed, or may be found by value too. */
  isAsked: boolean
  mark: number
  places: Places | undefined
}

/** The lists that an entry is in, and where it stands in each. */
type Places = Map<List, number>

/** What an entry is filed under. */
type Keys = {
  readonly pools: Iterable<string>
  readonly wallets: Iterable<string>
  readonly mints: Iterable<string>
  readonly exchanges: Iterable<string>
  readonly usdAtLeast: number | null
}

/** Who wants one thing. Plain arrays, as close together as they can be: some are gone through for every swap. */
type List = Interested[]

/** Who wants swaps worth `usd` or more, and how many of them are narrowed: where none is, none is looked at for it. */
type Threshold = { readonly usd: number; readonly list: List; narrowed: number }

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
 * that it names has to match it is filed under one of its fields only. An entry knows its places, so
 * one that leaves is not searched for, however many want the same: the last of the list takes its place.
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
  /** Ascending, each value once. */
  const thresholds: Threshold[] = []
  /** Stands on the entries that were visited for one swap, since some may be found more than once. */
  let lastMark = 0

  /** Each of the keys' accounts and exchanges with the map that it stands in. */
  function* placesOf(keys: Keys): Generator<[map: Map<string, List>, key: string]> {
    for (const key of keys.pools) yield [pools, key]
    for (const key of keys.wallets) yield [wallets, key]
    for (const key of keys.mints) yield [mints, key]
    for (const key of keys.exchanges) yield [exchanges, key]
  }

  return {
    add(entry) {
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

    remove(entry) {
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

    match(swap, visit) {
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
      // An entry under an exchange is under nothing else.
      const exchange = exchanges.get(swap.sourceExchange)
      if (exchange) visitRest(exchange, swap, visit)
      const any = exchanges.get(ANY_EXCHANGE)
      if (any) visitRest(any, swap, visit)
    },
  }
}

/** Visits who wants a swap of this value; only those that are narrowed have to be asked. */
function visitByValue<Entry extends Interested>(
  { list, narrowed }: Threshold,
  swap: Swap,
  visit: (entry: Entry) => void,
): void {
  for (let at = 0; at < list.length; at++) {
    const entry = list[at] as Entry // the lists hold entries of one index only
    if (narrowed > 0 && entry.filter.narrowing && !matchesFilter(entry.filter, swap)) continue
    visit(entry)
  }
}

/** Leaves out who was found by value, and, where one may be found more than once, who has the swap's mark. */
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
  // Where all has to match, it stands under its value only if it names nothing else.
  const isByValue = usdAtLeast !== null && !narrowing?.matchAll
  if (isByValue && swap.usdValue !== null && usdAtLeast <= swap.usdValue) return false
  return !narrowing || matchesFilter(filter, swap)
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
  if (list) {
    append(entry, places, list)
    return
  }
  // An array of one, which most stay: an empty one would take room for seventeen with its first.
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

/** Takes the entry of these places out of the list. */
function takeOut(places: Places, list: List): void {
  const here = places.get(list)!
  const last = list.pop()!
  if (here === list.length) return
  list[here] = last
  last.places!.set(list, here) // who is in a list is in the index
}

/** How many of the ascending thresholds are less than `usd`. */
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
