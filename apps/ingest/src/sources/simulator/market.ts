import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@pairwire/chain-writer'
import {
  type Account,
  createAccount,
  createPopulation,
  createQuotes,
  createToken,
  holdingOf,
  type Token,
} from './accounts.ts'
import { composeRoute, type RouteStep } from './compose-route.ts'
import { type Composed, type Composer, createComposer, type Place } from './composer.ts'
import { createDemand, isSolPool, type Side } from './demand.ts'
import { createLaunchlabCurve, type LaunchlabVenue } from './launchlab-curve.ts'
import { createListing, type Listing } from './listing.ts'
import { makeToken } from './make-token.ts'
import { type Migration, migrateLaunchlab, migratePumpfun } from './migrations.ts'
import { createOldPools } from './old-pools.ts'
import { createPumpfunCurve, type PumpfunVenue } from './pumpfun-curve.ts'
import type { PumpswapVenue } from './pumpswap-pool.ts'
import { createRandom } from './random.ts'
import { writeBotCall } from './router.ts'
import type { Venue } from './venue.ts'
import { createInventName, type TokenName } from './words.ts'

/** A made-up market that trades as the clock goes. */
type Market = Readonly<{
  /** Makes the transactions of the next block, in order, as they are asked for; slots rise from call to call. */
  block(slot: number, blockTime: number): Iterable<Composed>
}>

/** `stream` sets one run of a seed apart from another, so that no signature comes twice. */
export type MarketOptions = Readonly<{
  seed: number
  stream: number
  swapsPerSecond: number
  /** Unix seconds. */
  firstBlockTime: number
  /** What the addresses of tokens' pages begin with; they lead nowhere without. */
  tokenPages?: string | undefined
}>

/** Whole tokens of which there are a billion, with six decimals in raw units where a launchpad made them. */
const UNITS = 1_000_000_000n
const TOKEN_SUPPLY = UNITS * 1_000_000n

const SLOTS_PER_SECOND = 2.5
/** Launches a second at up to 50 swaps a second; they grow with the root of the trade. */
const LAUNCHES_PER_SECOND = 1 / 3
const SWAPS_PER_SECOND = 50
/** Tokens a second that are made without a launchpad, and get a pool of their own some slots later. */
const LISTINGS_PER_SECOND = 1 / 12
const LISTING_SLOTS = 6
/** Slots after which SOL is traded in one of its pools if nobody did: 16 s. */
const SLOTS_PER_SOL_PRICE = 40
/** Trades in each of these pools with which a market begins, so that its price is soon believed. */
const FIRST_SOL_TRADES = 3
/** Wallets that trade. */
const WALLETS = 4_000
/** Curves and pools kept; beyond, the least traded are left to themselves. */
const MAX_CURVES = 90
const MAX_POOLS = 50
/** What the market did before its first block. */
const LAUNCHES_BEFORE = 24
const TRADES_BEFORE = 800
/** Slots from a curve's completion to its migration. */
const MIGRATION_SLOTS = 3
/** Of all transactions: routes, bundles of several wallets, sweeps of fees, and ones that fail. The rest are single swaps. */
const SHARES = { route: 0.09, bundle: 0.02, sweep: 0.01, failed: 0.05 }

/** A market at its first block, with tokens and pools that are already traded. */
export function createMarket(options: MarketOptions): Market {
  const random = createRandom(options.seed, options.stream)
  const quotes = createQuotes()
  const population = createPopulation(random, WALLETS)
  const pools = createOldPools(random, quotes, population)
  const { solPools } = pools
  const curves: (PumpfunVenue | LaunchlabVenue)[] = []
  const lasting = pools.all.length
  const traded: Venue[] = [...pools.all]
  const migrations: { slot: number; make(place: Place): Migration }[] = []
  const listings: { slot: number; listing: Listing }[] = []
  const growth = Math.sqrt(Math.max(1, options.swapsPerSecond / SWAPS_PER_SECOND)) / SLOTS_PER_SECOND
  const launchChance = LAUNCHES_PER_SECOND * growth
  const listingChance = LISTINGS_PER_SECOND * growth
  const demand = createDemand(random, quotes, population, pools)
  const inventName = createInventName(options.tokenPages)
  /** Tokens of before the first block, in which they are made for all to see. */
  const before: { token: Token; creator: Account; name: TokenName; supply: bigint }[] = []
  let due = 0
  /** Of the pools of SOL against stable tokens, with the slot of their last trade. */
  const solSlots = new Map<Venue, number>()

  const order = (
    composer: Composer,
    venue: Venue,
    wallet: Account,
    side: Side,
    amountIn: bigint,
    place: Place,
  ) => {
    const trader = composer.trader(venue, wallet)
    const { baseAccount, quoteAccount } = trader
    const fill = venue.fill({
      side,
      amountIn,
      authority: wallet.key,
      baseAccount,
      quoteAccount,
      walletAddress: wallet.address,
      timestamp: place.blockTime,
    })
    return fill && { trader, fill }
  }

  /** Sees to it that the wallet has what it gives, as if it had come by it earlier. */
  const provide = (token: Token, wallet: Account, amount: bigint) => {
    if (token === quotes.sol) return
    const holding = holdingOf(token, wallet, random)
    if (holding.amount < amount) holding.amount = amount + BigInt(random.integer(1_000_000_000))
  }

  const buy = (composer: Composer, venue: Venue, wallet: Account, amountIn: bigint, place: Place) => {
    provide(venue.quote, wallet, amountIn * 2n)
    const made = order(composer, venue, wallet, 'buy', amountIn, place)
    if (!made) return false
    composer.trade(venue, made.trader, 'buy', made.fill)()
    afterTrade(venue, place.slot)
    return true
  }

  const past = { slot: 0, blockTime: options.firstBlockTime - 1, index: 0 }

  const launch = (place: Place): Composed => {
    const creator = population.pick()
    const isLaunchlab = random.chance(0.25)
    const isStable = random.chance(0.08)
    const quote = isStable ? (isLaunchlab ? quotes.usd1 : quotes.usdc) : quotes.sol
    const suffix = isLaunchlab ? (random.chance(0.7) ? 'bonk' : '') : 'pump'
    const mint = createAccount(random, suffix)
    const is2022 = !isLaunchlab && (isStable || random.chance(0.8))
    const token = createToken(mint, 6, is2022 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM)
    const name = inventName(random, token.address)
    if (place === past) before.push({ token, creator, name, supply: TOKEN_SUPPLY })
    const inQuote = (sol: bigint) => (isStable ? (sol * BigInt(Math.round(demand.solPrice()))) / 1_000n : sol)

    const composer = createComposer(random, [creator.key, mint.key])
    let venue: PumpfunVenue | LaunchlabVenue
    if (isLaunchlab) {
      venue = createLaunchlabCurve(random, token, quote, creator, inQuote(85_000_000_000n))
      const created = venue.create(name, creator)
      composer.call(created.call)
      composer.mean(created.meant)
      composer.move(venue.vaultMovement('base', null, venue.figures.supply))
      composer.move(venue.vaultMovement('quote', null, 0n))
    } else {
      venue = createPumpfunCurve(random, token, quote, creator, inQuote(30_000_000_000n))
      const created = venue.create(name, creator, place.blockTime)
      composer.call(created.call)
      composer.mean(created.meant)
      for (const movement of venue.openingMovements()) composer.move(movement)
    }
    venue.heat = random.logNormal(1, 1.3)
    venue.mood = 0.46 + random.unit() * 0.26
    curves.push(venue)
    traded.push(venue)
    // Most creators buy in the same transaction.
    if (random.chance(0.85)) buy(composer, venue, creator, demand.size(venue), place)
    return composer.finish(place)
  }

  /** A token that is made now, for a pool that opens some slots later. */
  const list = (place: Place): Composed => {
    const listing = createListing(random, quotes.sol, population.pick(), inventName)
    listings.push({ slot: place.slot + LISTING_SLOTS, listing })
    return listing.makeToken(place)
  }

  const open = ({ openPool }: Listing, place: Place): Composed => {
    const { composed, pool } = openPool(place)
    pool.heat = random.logNormal(1, 0.8)
    pool.mood = 0.46 + random.unit() * 0.14
    traded.push(pool)
    demand.open(pool)
    return composed
  }

  const single = (venue: Venue, place: Place, hasFailed: boolean): Composed | undefined => {
    const { side, wallet, amountIn } = demand.decide(venue)
    if (amountIn <= 0n) return undefined
    const composer = createComposer(random, [wallet.key])
    provide(side === 'buy' ? venue.quote : venue.base, wallet, amountIn * (side === 'buy' ? 2n : 1n))
    const made = order(composer, venue, wallet, side, amountIn, place)
    if (!made) return undefined
    const wrapped = random.chance(0.12) ? writeBotCall(wallet.key, made.fill.call, random) : made.fill.call
    const settle = composer.trade(venue, made.trader, side, made.fill, wrapped)
    if (!hasFailed) {
      settle()
      afterTrade(venue, place.slot)
    }
    return composer.finish(place, hasFailed)
  }

  /** Several wallets buy one coin in one transaction, as bundlers do. */
  const bundle = (place: Place): Composed | undefined => {
    const venue = random.pick(curves)
    const wallets = Array.from(
      new Set(Array.from({ length: 2 + random.integer(4) }, () => population.pick())),
    )
    const composer = createComposer(
      random,
      wallets.map((wallet) => wallet.key),
    )
    let count = 0
    for (const wallet of wallets) if (buy(composer, venue, wallet, demand.size(venue), place)) count++
    return count > 0 ? composer.finish(place) : undefined
  }

  /** From one token over SOL to another, or from or to a stable token. */
  const route = (place: Place): Composed | undefined => {
    const routable = traded.filter((venue) => venue.quote === quotes.sol && !venue.takesLamports)
    const wallet = population.pick()
    const path: RouteStep[] = []
    const to = random.pick(routable)
    if (random.chance(0.3 + 0.4 * demand.mood(to)))
      path.push({ venue: random.pick(solPools), side: 'buy' }, { venue: to, side: 'buy' })
    else {
      const from = random.pick(routable)
      if (from === to) return undefined
      path.push({ venue: from, side: 'sell' })
      if (random.chance(0.5)) path.push({ venue: to, side: 'buy' })
      else {
        const stable = random.pick(pools.stable)
        const solPool = solPools.find(({ quote }) => quote === stable.quote) ?? solPools[0]
        path.push({ venue: solPool, side: 'sell' }, { venue: stable, side: 'buy' })
      }
    }

    const [start] = path
    if (!start) return undefined
    const { venue: first, side } = start
    const size = demand.size(first)
    const depth = first.depth()
    const amountIn = side === 'buy' ? size : (size * depth.base) / depth.quote
    const given = side === 'buy' ? first.quote : first.base
    if (amountIn <= 0n) return undefined

    provide(given, wallet, amountIn)
    const composed = composeRoute(random, { wallet, path, amountIn, isShared: random.chance(0.4) }, place)
    if (composed) for (const { venue } of path) afterTrade(venue, place.slot)
    return composed
  }

  /** Somebody moves fees that wait in a pool's vault to whom they belong: no trade. */
  const sweep = (place: Place): Composed | undefined => {
    const waiting = traded.filter((venue) => isPumpswap(venue))
    if (waiting.length === 0) return undefined
    const payer = population.pick()
    const of = random.chance(0.5) ? 'protocol' : 'creator'
    const swept = random.pick(waiting).sweep(of, payer.key, place.blockTime)
    if (!swept) return undefined
    const composer = createComposer(random, [payer.key])
    composer.call(swept.call)
    for (const movement of swept.movements) composer.move(movement)
    swept.commit()
    return composer.finish(place)
  }

  const afterTrade = (venue: Venue, slot: number) => {
    if (isSolPool(venue)) solSlots.set(venue, slot)
    const curve = curves.find((each) => each === venue)
    if (!curve?.isComplete()) return
    remove(curves, curve)
    remove(traded, curve)
    const heat = 2 + curve.heat
    migrations.push({
      slot: slot + MIGRATION_SLOTS,
      make: (place) => {
        const caller = population.pick()
        const migration =
          'reserves' in curve
            ? migratePumpfun(random, curve, caller, place)
            : migrateLaunchlab(random, curve, caller, place)
        migration.pool.heat = heat
        migration.pool.mood = 0.44 + random.unit() * 0.12
        traded.push(migration.pool)
        demand.open(migration.pool)
        return migration
      },
    })
  }

  /** Interest in a token fades, and every so often one becomes the talk of the hour. */
  const pass = (slot: number) => {
    demand.pass(slot)
    for (let at = lasting; at < traded.length; at++) {
      const venue = traded[at]!
      venue.heat *= 0.998
    }
    if (curves.length > 0 && random.chance(0.01)) {
      const star = random.pick(curves)
      star.heat += 12
      star.mood = 0.72
    }
    retire(curves, MAX_CURVES)
    retire(
      traded.slice(lasting).filter((venue) => !curves.some((curve) => curve === venue)),
      MAX_POOLS,
    )
  }

  const retire = (venues: Venue[], most: number) => {
    if (venues.length <= most) return
    const coldest = venues.reduce((a, b) => (a.heat <= b.heat ? a : b))
    remove(venues, coldest)
    remove(traded, coldest)
    demand.forget(coldest)
  }

  const pickVenue = (): Venue => {
    let sum = 0
    for (const venue of traded) sum += venue.heat
    let left = random.unit() * sum
    for (const venue of traded) {
      left -= venue.heat
      if (left <= 0) return venue
    }
    return solPools[0]
  }

  const next = (place: Place): Composed | undefined => {
    const waiting = solPools.find(
      (pool) => place.slot - (solSlots.get(pool) ?? 0) > SLOTS_PER_SOL_PRICE || demand.arbitrage(pool) > 0n,
    )
    if (waiting) return single(waiting, place, false)
    const draw = random.unit()
    if (draw < SHARES.route) return route(place)
    if (draw < SHARES.route + SHARES.bundle && curves.length > 0) return bundle(place)
    if (draw < SHARES.route + SHARES.bundle + SHARES.sweep) return sweep(place)
    const hasFailed = draw > 1 - SHARES.failed
    return single(pickVenue(), place, hasFailed)
  }

  // What went before the first block is traded, too, but nobody sees it.
  for (let count = 0; count < LAUNCHES_BEFORE; count++) launch(past)
  for (let count = 0; count < TRADES_BEFORE; count++) next(past)
  solSlots.clear()
  for (const { base: token } of pools.all) {
    if (token === quotes.sol) continue
    const name = inventName(random, token.address)
    before.push({ token, creator: population.pick(), name, supply: 10n ** BigInt(token.decimals) * UNITS })
  }

  return {
    block: function* (slot, blockTime) {
      let index = 0
      const place = (): Place => ({ slot, blockTime, index })
      const made = function* (composed: Composed | undefined) {
        if (!composed) return
        for (const event of composed.meant) if (event.kind === 'swap') due--
        index++
        yield composed
      }
      due += options.swapsPerSecond / SLOTS_PER_SECOND
      pass(slot)
      // The price of SOL comes before anything that is priced in it.
      if (solSlots.size === 0) {
        for (let count = 0; count < FIRST_SOL_TRADES; count++) {
          for (const pool of solPools) yield* made(single(pool, place(), false))
        }
      }
      for (const token of before.splice(0)) yield* made(makeToken(random, token, place()))
      for (const migration of migrations.filter((each) => each.slot <= slot)) {
        remove(migrations, migration)
        yield* made(migration.make(place()).composed)
      }
      for (const due of listings.filter((each) => each.slot <= slot)) {
        remove(listings, due)
        yield* made(open(due.listing, place()))
      }
      if (random.chance(launchChance)) yield* made(launch(place()))
      if (random.chance(listingChance)) yield* made(list(place()))
      while (due >= 1) yield* made(next(place()))
    },
  }
}

function remove<Item>(items: Item[], item: Item): void {
  const at = items.indexOf(item)
  if (at >= 0) items.splice(at, 1)
}

function isPumpswap(venue: Venue): venue is PumpswapVenue {
  return 'sweep' in venue
}
