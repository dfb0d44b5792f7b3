import { WHALE_USD, WRAPPED_SOL } from '@pairwire/contract'
import type { Account, Holding, Quotes } from './accounts.ts'
import type { Random } from './random.ts'
import type { Order, Venue } from './venue.ts'

/** Slots after which the next trade in a deep pool must be a whale's: 8 s. */
const SLOTS_PER_WHALE = 20
/** Share by which a SOL pool may be off before it is arbitraged. */
const ARBITRAGE_GAP = 0.003

/** The traders' wishes for the tokens of the old pools and of later ones, and the price of SOL that they believe in. */
export function createDemand(
  random: Random,
  quotes: Quotes,
  population: { pick(): Account },
  old: Readonly<{ all: readonly Venue[]; solPrice: number }>,
) {
  /** Prices at which pools opened; curves have none, as their buyers decide. */
  const anchors = new Map<Venue, number>(old.all.map((venue) => [venue, priceOf(venue)]))
  let { solPrice } = old
  let slotNow = 0
  let lastWhaleSlot = 0

  /** Raw quote that closes the gap between SOL's own price and a pool's; 0 while that is not worthwhile. */
  const arbitrage = (pool: Venue): bigint => {
    const gap = Math.abs(solGap(pool))
    return gap > ARBITRAGE_GAP ? BigInt(Math.floor(Number(pool.depth().quote) * gap * 0.5)) : 0n
  }

  /** The share by which SOL's own price exceeds that of one of its pools. */
  const solGap = (pool: Venue) => (solPrice * 1e-3) / priceOf(pool) - 1

  /** A trade's size in raw units of the venue's quote: most are small, a few are a whale's. */
  const size = (venue: Venue): bigint => {
    const closing = isSolPool(venue) ? arbitrage(venue) : 0n
    if (closing > 0n) return closing
    const { quote } = venue.depth()
    const isDeep = quote > (venue.quote === quotes.sol ? 500_000_000_000n : 100_000_000_000n)
    const isWhale = isDeep && (random.chance(0.02) || slotNow - lastWhaleSlot > SLOTS_PER_WHALE)
    const sol = isWhale
      ? random.logNormal(110, 0.5)
      : isDeep
        ? random.logNormal(1.5, 1.4)
        : random.logNormal(0.35, 1.2)
    const unit = venue.quote === quotes.sol ? 1e9 : solPrice * 1e6
    const raw = BigInt(Math.floor(sol * unit))
    const most = quote / (anchors.has(venue) ? 20n : 3n)
    const wanted = raw < 10_000n ? 10_000n : raw > most ? most : raw
    if (Number(wanted) * solPrice > WHALE_USD * 1.1 * unit) lastWhaleSlot = slotNow
    return wanted
  }

  /** The probability that the next trade is a buy: pools of SOL follow its own price, others lean back to their first one. */
  const mood = (venue: Venue): number => {
    if (isSolPool(venue)) return lean(0.5, solGap(venue) * 300)
    const anchor = anchors.get(venue)
    return anchor === undefined ? venue.mood : lean(venue.mood, Math.log(anchor / priceOf(venue)) * 0.8)
  }

  return {
    /** Begins a slot: the price of SOL moves a little. */
    pass: (slot: number) => {
      slotNow = slot
      solPrice *= Math.exp(random.normal() * 0.00015)
    },
    /** US dollars. */
    solPrice: () => solPrice,
    /** A pool opens: from now on its price leans back to its current value. */
    open: (pool: Venue) => void anchors.set(pool, priceOf(pool)),
    forget: (venue: Venue) => void anchors.delete(venue),
    arbitrage,
    size,
    mood,
    /** Draws the next trade at a venue and its wallet; a sell only if there is a holder. */
    decide: (venue: Venue): Pick<Order, 'side' | 'amountIn'> & Readonly<{ wallet: Account }> => {
      const depth = venue.depth()
      const aBuy = () => ({ side: 'buy' as const, wallet: population.pick(), amountIn: size(venue) })
      if (random.chance(mood(venue))) return aBuy()
      if (isSolPool(venue)) {
        const amountIn = (size(venue) * depth.base) / depth.quote
        return { side: 'sell', wallet: population.pick(), amountIn }
      }
      const holding = pickSeller(random, venue)
      if (!holding) return aBuy()
      const wanted = (holding.amount * BigInt(20 + random.integer(81))) / 100n
      const most = depth.base / (anchors.has(venue) ? 25n : 12n)
      return { side: 'sell', wallet: holding.wallet, amountIn: wanted > most ? most : wanted }
    },
  }
}

/** Picks a holder with something to sell; undefined if a few draws find none. */
function pickSeller(random: Random, { base: { holders } }: Venue): Holding | undefined {
  for (let attempt = 0; attempt < 4 && holders.length > 0; attempt++) {
    const holding = random.pick(holders)
    if (holding.amount > 0n) return holding
  }
  return undefined
}

/** Whether the venue trades SOL itself. */
export function isSolPool(venue: Venue): boolean {
  return venue.base.address === WRAPPED_SOL
}

/** Raw quote units per raw base unit. */
function priceOf(venue: Venue): number {
  const { base, quote } = venue.depth()
  return Number(quote) / Number(base)
}

/** Shifts a probability by `pull`, never quite to certainty. */
function lean(chance: number, pull: number): number {
  return Math.min(0.97, Math.max(0.03, chance + pull))
}
