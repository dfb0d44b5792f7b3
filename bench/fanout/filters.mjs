// The hub's index alone: which of 5,000 filters of ten accounts want a swap. No socket, no JSON. Started by itself,
// `node --expose-gc --import tsx filters.mjs <checkout's URL>` prints the median of some runs as JSON.
import { fileURLToPath } from 'node:url'

const FILTERS = 5_000
const MINTS = 20_000
const WALLETS = 50_000
/** Every tenth filter also asks for swaps of at least this many US dollars. */
const WHALE_USD = 10_000
const EVENTS = 200_000
/** Events on which the index is held against asking each filter. */
const CHECKED_EVENTS = 300
const UPDATES = 20_000

/** Events a second of processor time through the index of a checkout, and the filters that an event met on the average. */
export async function measureIndex(root) {
  const { matchesFilter } = await import(new URL('apps/gateway/src/filter.ts', root).href)
  const { createInterestIndex } = await import(new URL('apps/gateway/src/interest-index.ts', root).href)
  const random = createRandom(7)
  // Squared, so that some accounts are asked for and traded far more than others.
  const pick = (count) => Math.floor(random() ** 2 * count)
  const index = createInterestIndex()
  const entries = Array.from({ length: FILTERS }, (_, number) => ({
    isAsked: false,
    mark: 0,
    places: undefined,
    filter: {
      pools: new Set(),
      wallets: new Set(Array.from({ length: 5 }, () => account('w', pick(WALLETS)))),
      mints: new Set(Array.from({ length: 5 }, () => account('m', pick(MINTS)))),
      usdAtLeast: number % 10 === 0 ? WHALE_USD : null,
    },
  }))
  for (const entry of entries) index.add(entry)
  const swaps = Array.from({ length: EVENTS }, () => ({
    ammAccount: account('p', pick(MINTS)),
    walletAccount: account('w', pick(WALLETS)),
    baseTokenMint: account('m', pick(MINTS)),
    usdValue: random() ** 8 * 20_000,
  }))

  for (const swap of swaps.slice(0, CHECKED_EVENTS)) {
    const found = new Set()
    index.match(swap, (entry) => found.add(entry))
    const wanted = entries.filter(({ filter }) => matchesFilter(filter, swap))
    if (found.size !== wanted.length || wanted.some((entry) => !found.has(entry)))
      throw new Error('The index is wrong.')
  }

  globalThis.gc?.()
  let matches = 0
  const before = process.cpuUsage()
  for (const swap of swaps) {
    index.match(swap, () => {
      matches++
    })
  }
  const { user, system } = process.cpuUsage(before)
  const seconds = (user + system) / 1e6
  return { eventsPerSecond: EVENTS / seconds, matchesPerEvent: matches / EVENTS }
}

/** Microseconds of processor time for one filter to be changed, while `clients` have the same ten accounts and value. */
export async function measureUpdates(clients) {
  const { createInterestIndex } = await import('../../apps/gateway/src/interest-index.ts')
  const index = createInterestIndex()
  const accounts = Array.from({ length: 10 }, (_, number) => account('m', number))
  const makeEntry = () => ({
    isAsked: false,
    mark: 0,
    places: undefined,
    filter: { pools: new Set(), wallets: new Set(), mints: new Set(accounts), usdAtLeast: WHALE_USD },
  })
  const entries = Array.from({ length: clients }, makeEntry)
  for (const entry of entries) index.add(entry)
  const changed = Array.from({ length: UPDATES }, makeEntry)

  const before = process.cpuUsage()
  for (const [number, entry] of changed.entries()) {
    const place = (number * 7_919) % clients
    index.remove(entries[place])
    entries[place] = entry
    index.add(entry)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / UPDATES
}

/** A text as long as an address, and in one piece as a decoded one is: put together as needed, it would be measured too. */
function account(kind, number) {
  return Buffer.from(kind + String(number).padStart(43, 'x')).toString('latin1')
}

/** A plain linear congruential generator, so that every run asks the same. */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const runs = []
  for (let run = 0; run < 5; run++) runs.push(await measureIndex(new URL(process.argv[2])))
  runs.sort((first, second) => first.eventsPerSecond - second.eventsPerSecond)
  console.log(JSON.stringify(runs[2]))
}
