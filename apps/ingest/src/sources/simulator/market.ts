import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@pairwire/decoders/write'
import {
  type Account,
  createAccount,
  createPopulation,
  createQuotes,
  createToken,
  type Token,
} from './accounts.ts'
import { type Composed, createComposer, type Place } from './composer.ts'
import { createPumpfunCurve, type PumpfunVenue } from './pumpfun-curve.ts'
import { createRandom } from './random.ts'
import type { Venue } from './venue.ts'
import { inventName } from './words.ts'

/** A made-up market that trades as the clock goes. */
export type Market = Readonly<{
  /** The transactions of the next block, in order; slots rise from call to call. */
  block(slot: number, blockTime: number): readonly Composed[]
}>

/** `stream` sets one run of a seed apart from another, so that no signature comes twice. */
export type MarketOptions = Readonly<{ seed: number; stream: number; swapsPerSecond: number }>

const WALLETS = 4_000
/** Slots between two launches, on average: 3 s. */
const SLOTS_PER_LAUNCH = 7.5
const SLOTS_PER_SECOND = 2.5

/** A market at its first block, with tokens that are already traded. */
export function createMarket(options: MarketOptions): Market {
  const random = createRandom(options.seed, options.stream)
  const quotes = createQuotes()
  const population = createPopulation(random, WALLETS)
  const curves: PumpfunVenue[] = []
  const solPrice = 168.4
  let due = 0

  const tradeSize = (venue: Venue): bigint => {
    const sol = random.logNormal(0.35, 1.3)
    const raw = venue.quote.address === quotes.sol.address ? sol * 1e9 : sol * solPrice * 1e6
    return BigInt(Math.max(1, Math.floor(raw)))
  }

  const launch = (place: Place): Composed => {
    const creator = population.pick()
    const isV2 = random.chance(0.8)
    const mint = createAccount(random, 'pump')
    const token = createToken(mint, 6, isV2 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM)
    const venue = createPumpfunCurve(random, token, quotes.sol, creator)
    venue.heat = random.logNormal(1, 1.2)
    venue.mood = 0.45 + random.unit() * 0.25

    const composer = createComposer(random, [creator.key, mint.key])
    const created = venue.create(inventName(random), creator, place.blockTime)
    composer.call(created.call)
    composer.mean(created.meant)
    composer.move({
      account: venue.accounts.curveTokens,
      mint: token.address,
      owner: venue.curve.address,
      decimals: 6,
      before: null,
      after: 1_000_000_000_000_000n,
    })
    addTrade(composer, venue, creator, 'buy', tradeSize(venue), place)
    curves.push(venue)
    return composer.finish(place)
  }

  const addTrade = (
    composer: ReturnType<typeof createComposer>,
    venue: Venue,
    wallet: Account,
    side: 'buy' | 'sell',
    amountIn: bigint,
    place: Place,
  ): boolean => {
    const trader = composer.trader(venue, wallet)
    const fill = venue.fill({
      side,
      amountIn,
      authority: wallet.key,
      baseAccount: trader.baseAccount,
      quoteAccount: trader.quoteAccount,
      walletAddress: wallet.address,
      timestamp: place.blockTime,
    })
    if (!fill) return false
    composer.trade(venue, trader, side, fill).settle()
    return true
  }

  const seller = (token: Token) => {
    for (let attempt = 0; attempt < 4 && token.holders.length > 0; attempt++) {
      const holding = random.pick(token.holders)
      if (holding.amount > 0n) return holding
    }
    return undefined
  }

  const swap = (place: Place): Composed | undefined => {
    const venue = random.pick(curves)
    const holding = random.chance(venue.mood) ? undefined : seller(venue.base)
    const wallet = holding?.wallet ?? population.pick()
    const composer = createComposer(random, [wallet.key])
    const amountIn = holding ? (holding.amount * BigInt(25 + random.integer(76))) / 100n : tradeSize(venue)
    return addTrade(composer, venue, wallet, holding ? 'sell' : 'buy', amountIn, place)
      ? composer.finish(place)
      : undefined
  }

  return {
    block: (slot, blockTime) => {
      const composed: Composed[] = []
      const place = () => ({ slot, blockTime, index: composed.length })
      due += options.swapsPerSecond / SLOTS_PER_SECOND
      if (curves.length === 0 || random.chance(1 / SLOTS_PER_LAUNCH)) {
        composed.push(launch(place()))
        due--
      }
      for (let attempts = 0; due >= 1 && attempts < 10_000; attempts++) {
        const made = swap(place())
        if (!made) continue
        composed.push(made)
        due -= made.meant.length
      }
      return composed
    },
  }
}
