// The index of filters alone: which of 5,000 filters of ten accounts want a swap. No socket, no JSON.

import { product } from '../harness/product.mjs'
import { median } from '../harness/results.mjs'
import { serve } from '../harness/serve.mjs'

const { matchesFilter } = await product('packages/filter/src/matches-filter.ts', 'apps/gateway/src/filter.ts')
const { createInterestIndex } = await product(
  'packages/filter/src/interest-index.ts',
  'apps/gateway/src/interest-index.ts',
)

const RUNS = 5
const FILTERS = 5_000
const MINTS = 20_000
const WALLETS = 50_000
/** Every tenth filter also asks for swaps of at least this many US dollars. */
const WHALE_USD = 10_000
const EVENTS = 200_000
/** Events on which the index is compared with asking each filter. */
const CHECKED_EVENTS = 300

const runs = Array.from({ length: RUNS }, measureIndex)
serve({
  eventsPerSecond: median(runs, 'eventsPerSecond'),
  matchesPerEvent: median(runs, 'matchesPerEvent'),
})

/** Events per second of processor time through the index, and the mean number of filters that match an event. */
function measureIndex() {
  const random = createRandom(7)
  // Squared, so that some accounts are filtered and traded far more often than others.
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

/** A text as long as an address, and flat like a decoded one: a lazily joined string would be measured too. */
function account(kind, number) {
  return Buffer.from(kind + String(number).padStart(43, 'x')).toString('latin1')
}

/** A plain linear congruential generator, so that every run uses the same numbers. */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
