import { BoundedMap } from '@pairwire/basics/bounded-map'
import type { SwapReading } from '../feed/read-event.ts'
import type { ActiveToken } from '../feed/worker-messages.ts'

/** Tokens that are shown. */
export const MOST_SHOWN = 5
/** Tokens watched at once; the one traded longest ago is dropped. */
export const MOST_WATCHED = 2_000

type Watched = {
  /** The slice that was last written. */
  newest: number
  buys: Uint32Array
  sells: Uint32Array
  /** Last price of each slice; NaN without one. */
  prices: Float64Array
  /** The quote of the prices: prices in another token do not belong to the same line. */
  quoteMint: string
}

/** Result of {@link createActiveTokens}. */
export type ActiveTokens = ReturnType<typeof createActiveTokens>

/** The busiest tokens of the last minute. Times are Unix milliseconds and are passed in. */
export function createActiveTokens() {
  /** The one traded longest ago comes first. */
  const watched = new BoundedMap<string, Watched>(MOST_WATCHED)

  return {
    add({ mint, isBuy, price, quoteMint }: SwapReading, now: number): void {
      if (mint === '') return
      const slice = Math.floor(now / SLICE_MS)
      const token = watched.get(mint) ?? newToken(slice, quoteMint)
      watched.set(mint, token)

      advance(token, slice)
      const at = slice % SLICES
      const side = isBuy ? token.buys : token.sells
      side[at] = side[at]! + 1
      if (token.quoteMint !== quoteMint && token.prices.every(Number.isNaN)) token.quoteMint = quoteMint
      if (token.quoteMint === quoteMint && Number(price) > 0) token.prices[at] = Number(price)
    },
    /** The busiest first, at most {@link MOST_SHOWN}. `symbolOf` names a mint, or returns `''`. */
    read(now: number, symbolOf: (mint: string) => string): ActiveToken[] {
      const slice = Math.floor(now / SLICE_MS)
      const busy: { mint: string; token: Watched; buys: number; sells: number }[] = []
      for (const [mint, token] of watched) {
        advance(token, slice)
        const buys = sum(token.buys)
        const sells = sum(token.sells)
        if (buys + sells > 0) busy.push({ mint, token, buys, sells })
        else watched.delete(mint)
      }
      return busy
        .sort((a, b) => b.buys + b.sells - a.buys - a.sells || (a.mint < b.mint ? -1 : 1))
        .slice(0, MOST_SHOWN)
        .map(({ mint, token, buys, sells }) => ({
          mint,
          symbol: symbolOf(mint),
          buys,
          sells,
          prices: inOrder(token.prices, slice).filter((price) => !Number.isNaN(price)),
        }))
    },
  }
}

/** A minute in slices of three seconds: as many points as a small sparkline can show. */
const SLICES = 20
const SLICE_MS = 3_000

function newToken(slice: number, quoteMint: string): Watched {
  return {
    newest: slice,
    buys: new Uint32Array(SLICES),
    sells: new Uint32Array(SLICES),
    prices: new Float64Array(SLICES).fill(Number.NaN),
    quoteMint,
  }
}

/** Empties the slices that are older than a minute. */
function advance(token: Watched, slice: number) {
  const gone = Math.min(SLICES, slice - token.newest)
  for (let step = 0; step < gone; step++) {
    const at = (slice - step) % SLICES
    token.buys[at] = token.sells[at] = 0
    token.prices[at] = Number.NaN
  }
  token.newest = Math.max(token.newest, slice)
}

/** Oldest first. */
function inOrder(prices: Float64Array, slice: number): number[] {
  return Array.from(prices, (_, index) => prices[(slice + 1 + index) % SLICES]!)
}

function sum(counts: Uint32Array): number {
  return counts.reduce((a, b) => a + b, 0)
}
