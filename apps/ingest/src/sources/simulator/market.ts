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
import { composeRoute, drawPath } from './compose-route.ts'
import { type Composed, Composer, type Place } from './composer.ts'
import { createDemand, isSolPool } from './demand.ts'
import { LaunchlabVenue } from './launchlab-curve.ts'
import { createListing, type Listing } from './listing.ts'
import { makeToken } from './make-token.ts'
import { type Migration, migrateLaunchlab, migratePumpfun } from './migrations.ts'
import { createOldPools } from './old-pools.ts'
import { PumpfunVenue } from './pumpfun-curve.ts'
import { PumpswapVenue } from './pumpswap-pool.ts'
import { createRandom, type Random } from './random.ts'
import { writeBotCall } from './router.ts'
import type { Order, Venue } from './venue.ts'
import { createInventName, type TokenName } from './words.ts'

/** `stream` distinguishes runs of one seed, so that no signature repeats. */
export type MarketOptions = Readonly<{
  seed: number
  stream: number
  swapsPerSecond: number
  /** Unix seconds. */
  firstBlockTime: number
  /** Base address of tokens' pages; without it they lead nowhere. */
  tokenPages?: string | undefined
}>

/** Whole tokens of which there are a billion, with six decimals in raw units where a launchpad made them. */
const UNITS = 1_000_000_000n
const TOKEN_SUPPLY = UNITS * 1_000_000n

const SLOTS_PER_SECOND = 2.5
/** Launches a second at up to 50 swaps a second; they grow with the square root of the rate. */
const LAUNCHES_PER_SECOND = 1 / 3
const SWAPS_PER_SECOND = 50
/** Tokens created without a launchpad per second; each gets its own pool some slots later. */
const [LISTINGS_PER_SECOND, LISTING_SLOTS] = [1 / 12, 6]
/** Slots after which SOL must be traded in one of its pools: 16 s. */
const SLOTS_PER_SOL_PRICE = 40
/** First trades in each of these pools, so that the price is soon believed. */
const FIRST_SOL_TRADES = 3
/** Share of launches that others buy in their slot, and how many at most; fewer where no swaps are due. */
const [SHARE_SNIPED, MOST_SNIPERS] = [0.4, 6]
/** Number of trading wallets. */
const WALLETS = 4_000
/** Curves and pools kept; beyond that the least traded are dropped. */
const [MAX_CURVES, MAX_POOLS] = [90, 50]
/** Launches before its first block, and trades after them. */
const [LAUNCHES_BEFORE, TRADES_BEFORE] = [24, 800]
/** Slots from a curve's completion to its migration. */
const MIGRATION_SLOTS = 3
/** Shares of transactions: routes, bundles of several wallets, fee sweeps, and failures. The rest are single swaps. */
const SHARES = { route: 0.09, bundle: 0.02, sweep: 0.01, failed: 0.05 }

/** Creates a market at its first block, with tokens and pools in use. */
export function createMarket(options: MarketOptions): Market {
  return new Market(options)
}

/** A made-up market that trades by the clock. */
class Market {
  /** Makes the trades before the first block, which are not published: one for each `next`, the rest with that block. */
  readonly tradesBefore = this.#tradeBefore()
  readonly #random: Random
  readonly #quotes = createQuotes()
  readonly #population: ReturnType<typeof createPopulation>
  readonly #pools: ReturnType<typeof createOldPools>
  readonly #solPools: ReturnType<typeof createOldPools>['solPools']
  readonly #curves: (PumpfunVenue | LaunchlabVenue)[] = []
  readonly #traded: Venue[]
  /** Number of pools that are never dropped. */
  readonly #lasting: number
  readonly #migrations: { slot: number; make(place: Place): Migration }[] = []
  readonly #listings: { slot: number; listing: Listing }[] = []
  readonly #launchChance: number
  readonly #listingChance: number
  readonly #swapsPerSlot: number
  readonly #demand: ReturnType<typeof createDemand>
  readonly #inventName: ReturnType<typeof createInventName>
  /** Older tokens, which are announced in the first block. */
  readonly #before: { token: Token; creator: Account; name: TokenName; supply: bigint }[] = []
  readonly #past: Place
  /** Swaps still due; the fraction carries over to the next block. */
  #due = 0
  /** Pools of SOL against stable tokens, with the slot of their last trade. */
  readonly #solSlots = new Map<Venue, number>()

  constructor({ seed, stream, swapsPerSecond, firstBlockTime, tokenPages }: MarketOptions) {
    this.#random = createRandom(seed, stream)
    this.#population = createPopulation(this.#random, WALLETS)
    this.#pools = createOldPools(this.#random, this.#quotes, this.#population)
    this.#solPools = this.#pools.solPools
    this.#traded = [...this.#pools.all]
    this.#lasting = this.#traded.length
    const growth = Math.sqrt(Math.max(1, swapsPerSecond / SWAPS_PER_SECOND)) / SLOTS_PER_SECOND
    this.#launchChance = LAUNCHES_PER_SECOND * growth
    this.#listingChance = LISTINGS_PER_SECOND * growth
    this.#swapsPerSlot = swapsPerSecond / SLOTS_PER_SECOND
    this.#demand = createDemand(this.#random, this.#quotes, this.#population, this.#pools)
    this.#inventName = createInventName(tokenPages)
    this.#past = { slot: 0, blockTime: firstBlockTime - 1, index: 0 }
  }

  /** Yields the transactions of the next block, in order and lazily; slots must rise from call to call. */
  *block(slot: number, blockTime: number): Generator<Composed> {
    let index = 0
    for (const make of this.#plan(slot)) {
      const composed = make({ slot, blockTime, index })
      if (!composed) continue
      for (const event of composed.meant) if (event.kind === 'swap') this.#due--
      index++
      yield composed
    }
  }

  /** Plans a block, making each part before the next. */
  *#plan(slot: number): Generator<(place: Place) => Composed | undefined> {
    const random = this.#random
    while (!this.tradesBefore.next().done);
    this.#due += this.#swapsPerSlot
    this.#pass(slot)
    // The price of SOL comes before anything priced in it.
    if (this.#solSlots.size === 0) {
      for (let count = 0; count < FIRST_SOL_TRADES; count++) {
        for (const pool of this.#solPools) yield (place) => this.#single(pool, place, false)
      }
    }
    for (const token of this.#before.splice(0)) yield (place) => makeToken(random, token, place)
    for (const migration of this.#migrations.filter((each) => each.slot <= slot)) {
      remove(this.#migrations, migration)
      yield (place) => migration.make(place).composed
    }
    for (const due of this.#listings.filter((each) => each.slot <= slot)) {
      remove(this.#listings, due)
      yield (place) => this.#open(due.listing, place)
    }
    if (random.chance(this.#launchChance)) {
      yield (place) => this.#launch(place)
      const snipers = random.chance(SHARE_SNIPED) ? 1 + random.integer(MOST_SNIPERS) : 0
      for (let count = 0; count < snipers && this.#due >= 1; count++) yield (place) => this.#snipe(place)
    }
    if (random.chance(this.#listingChance)) yield (place) => this.#list(place)
    while (this.#due >= 1) yield (place) => this.#next(place)
  }

  *#tradeBefore(): Generator<void> {
    for (let count = 0; count < LAUNCHES_BEFORE + TRADES_BEFORE; count++) {
      if (count < LAUNCHES_BEFORE) this.#launch(this.#past)
      else this.#next(this.#past)
      yield
    }
    this.#solSlots.clear()
    for (const { base: token } of this.#pools.all) {
      if (token === this.#quotes.sol) continue
      const name = this.#inventName(this.#random, token.address)
      const supply = 10n ** BigInt(token.decimals) * UNITS
      this.#before.push({ token, creator: this.#population.pick(), name, supply })
    }
  }

  #order(
    composer: Composer,
    venue: Venue,
    wallet: Account,
    { side, amountIn, timestamp }: Pick<Order, 'side' | 'amountIn' | 'timestamp'>,
  ) {
    const trader = composer.trader(venue, wallet)
    const { baseAccount, quoteAccount } = trader
    const { key: authority, address: walletAddress } = wallet
    const fill = venue.fill({
      ...{ side, amountIn, timestamp, authority, walletAddress },
      ...{ baseAccount, quoteAccount },
    })
    return fill && { trader, fill }
  }

  /** Gives the wallet what it is about to pay, as if acquired earlier. */
  #provide(token: Token, wallet: Account, amount: bigint) {
    if (token === this.#quotes.sol) return
    const holding = holdingOf(token, wallet, this.#random)
    if (holding.amount < amount) holding.amount = amount + BigInt(this.#random.integer(1_000_000_000))
  }

  #buy(composer: Composer, venue: Venue, wallet: Account, amountIn: bigint, place: Place) {
    this.#provide(venue.quote, wallet, amountIn * 2n)
    const made = this.#order(composer, venue, wallet, { side: 'buy', amountIn, timestamp: place.blockTime })
    if (!made) return false
    composer.trade(venue, made.trader, 'buy', made.fill)()
    this.#afterTrade(venue, place.slot)
    return true
  }

  #launch(place: Place): Composed {
    const creator = this.#population.pick()
    const isLaunchlab = this.#random.chance(0.25)
    const isStable = this.#random.chance(0.08)
    const quote = isStable ? (isLaunchlab ? this.#quotes.usd1 : this.#quotes.usdc) : this.#quotes.sol
    const suffix = isLaunchlab ? (this.#random.chance(0.7) ? 'bonk' : '') : 'pump'
    const mint = createAccount(this.#random, suffix)
    const is2022 = !isLaunchlab && (isStable || this.#random.chance(0.8))
    const token = createToken(mint, 6, is2022 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM)
    const name = this.#inventName(this.#random, token.address)
    if (place === this.#past) this.#before.push({ token, creator, name, supply: TOKEN_SUPPLY })
    const inQuote = (sol: bigint) =>
      isStable ? (sol * BigInt(Math.round(this.#demand.solPrice()))) / 1_000n : sol

    const composer = new Composer(this.#random, [creator.key, mint.key])
    const venue = isLaunchlab
      ? new LaunchlabVenue(this.#random, token, quote, creator, inQuote(85_000_000_000n))
      : new PumpfunVenue(this.#random, token, quote, creator, inQuote(30_000_000_000n))
    composer.create(venue.create(name, creator, place.blockTime))
    venue.heat = this.#random.logNormal(1, 1.3)
    venue.mood = 0.46 + this.#random.unit() * 0.26
    this.#curves.push(venue)
    this.#traded.push(venue)
    // Most creators buy in the same transaction.
    if (this.#random.chance(0.85)) this.#buy(composer, venue, creator, this.#demand.size(venue), place)
    return composer.finish(place)
  }

  /** A wallet that waited for the newest launch buys in its slot. */
  #snipe(place: Place): Composed | undefined {
    const venue = this.#curves.at(-1)
    if (!venue) return undefined
    const wallet = this.#population.pick()
    const composer = new Composer(this.#random, [wallet.key])
    const hasBought = this.#buy(composer, venue, wallet, this.#demand.size(venue), place)
    return hasBought ? composer.finish(place) : undefined
  }

  /** Creates a token, for a pool that opens some slots later. */
  #list(place: Place): Composed {
    const listing = createListing(this.#random, this.#quotes.sol, this.#population.pick(), this.#inventName)
    this.#listings.push({ slot: place.slot + LISTING_SLOTS, listing })
    return listing.makeToken(place)
  }

  #open({ openPool }: Listing, place: Place): Composed {
    const { composed, pool } = openPool(place)
    pool.heat = this.#random.logNormal(1, 0.8)
    pool.mood = 0.46 + this.#random.unit() * 0.14
    this.#traded.push(pool)
    this.#demand.open(pool)
    return composed
  }

  #single(venue: Venue, place: Place, hasFailed: boolean): Composed | undefined {
    const { side, wallet, amountIn } = this.#demand.decide(venue)
    if (amountIn <= 0n) return undefined
    const composer = new Composer(this.#random, [wallet.key])
    this.#provide(side === 'buy' ? venue.quote : venue.base, wallet, amountIn * (side === 'buy' ? 2n : 1n))
    const made = this.#order(composer, venue, wallet, { side, amountIn, timestamp: place.blockTime })
    if (!made) return undefined
    const { call } = made.fill
    const wrapped = this.#random.chance(0.12) ? writeBotCall(wallet.key, call, this.#random) : call
    const settle = composer.trade(venue, made.trader, side, made.fill, wrapped)
    if (!hasFailed) {
      settle()
      this.#afterTrade(venue, place.slot)
    }
    return composer.finish(place, hasFailed)
  }

  /** Several wallets buy one coin in one transaction, as bundlers do. */
  #bundle(place: Place): Composed | undefined {
    const venue = this.#random.pick(this.#curves)
    const picked = Array.from({ length: 2 + this.#random.integer(4) }, () => this.#population.pick())
    const wallets = [...new Set(picked)]
    const signers = wallets.map(({ key }) => key)
    const composer = new Composer(this.#random, signers)
    let count = 0
    for (const wallet of wallets)
      if (this.#buy(composer, venue, wallet, this.#demand.size(venue), place)) count++
    return count > 0 ? composer.finish(place) : undefined
  }

  /** Routes from one token over SOL to another, or from or to a stable token. */
  #route(place: Place): Composed | undefined {
    const routable = this.#traded.filter((venue) => venue.quote === this.#quotes.sol && !venue.takesLamports)
    const wallet = this.#population.pick()
    const path = drawPath(this.#random, routable, this.#pools, (venue) => this.#demand.mood(venue))
    const [start] = path
    if (!start) return undefined
    const { venue: first, side } = start
    const size = this.#demand.size(first)
    const depth = first.depth()
    const amountIn = side === 'buy' ? size : (size * depth.base) / depth.quote
    const given = side === 'buy' ? first.quote : first.base
    if (amountIn <= 0n) return undefined

    this.#provide(given, wallet, amountIn)
    const plan = { wallet, path, amountIn, isShared: this.#random.chance(0.4) }
    const composed = composeRoute(this.#random, plan, place)
    if (composed) for (const { venue } of path) this.#afterTrade(venue, place.slot)
    return composed
  }

  /** Moves fees waiting in a pool's vault to their owners: no trade. */
  #sweep(place: Place): Composed | undefined {
    const waiting = this.#traded.filter((venue) => venue instanceof PumpswapVenue)
    if (waiting.length === 0) return undefined
    const payer = this.#population.pick()
    const of = this.#random.chance(0.5) ? 'protocol' : 'creator'
    const swept = this.#random.pick(waiting).sweep(of, payer.key, place.blockTime)
    if (!swept) return undefined
    const composer = new Composer(this.#random, [payer.key])
    composer.call(swept.call)
    for (const movement of swept.movements) composer.move(movement)
    swept.commit()
    return composer.finish(place)
  }

  #afterTrade(venue: Venue, slot: number) {
    if (isSolPool(venue)) this.#solSlots.set(venue, slot)
    const curve = this.#curves.find((each) => each === venue)
    if (!curve?.isComplete()) return
    remove(this.#curves, curve)
    remove(this.#traded, curve)
    const heat = 2 + curve.heat
    this.#migrations.push({
      slot: slot + MIGRATION_SLOTS,
      make: (place) => {
        const caller = this.#population.pick()
        const migration =
          curve instanceof PumpfunVenue
            ? migratePumpfun(this.#random, curve, caller, place)
            : migrateLaunchlab(this.#random, curve, caller, place)
        migration.pool.heat = heat
        migration.pool.mood = 0.44 + this.#random.unit() * 0.12
        this.#traded.push(migration.pool)
        this.#demand.open(migration.pool)
        return migration
      },
    })
  }

  /** Interest in a token fades, and occasionally one becomes popular. */
  #pass(slot: number) {
    this.#demand.pass(slot)
    for (const venue of this.#traded.slice(this.#lasting)) venue.heat *= 0.998
    if (this.#curves.length > 0 && this.#random.chance(0.01)) {
      const star = this.#random.pick(this.#curves)
      star.heat += 12
      star.mood = 0.72
    }
    this.#retire(this.#curves, MAX_CURVES)
    this.#retire(
      this.#traded.slice(this.#lasting).filter((venue) => !this.#curves.some((curve) => curve === venue)),
      MAX_POOLS,
    )
  }

  #retire(venues: Venue[], most: number) {
    if (venues.length <= most) return
    const coldest = venues.reduce((a, b) => (a.heat <= b.heat ? a : b))
    remove(venues, coldest)
    remove(this.#traded, coldest)
    this.#demand.forget(coldest)
  }

  #pickVenue(): Venue {
    let sum = 0
    for (const venue of this.#traded) sum += venue.heat
    let left = this.#random.unit() * sum
    for (const venue of this.#traded) {
      left -= venue.heat
      if (left <= 0) return venue
    }
    return this.#solPools[0]
  }

  #next(place: Place): Composed | undefined {
    const waiting = this.#solPools.find(
      (pool) =>
        place.slot - (this.#solSlots.get(pool) ?? 0) > SLOTS_PER_SOL_PRICE ||
        this.#demand.arbitrage(pool) > 0n,
    )
    if (waiting) return this.#single(waiting, place, false)
    const draw = this.#random.unit()
    if (draw < SHARES.route) return this.#route(place)
    if (draw < SHARES.route + SHARES.bundle && this.#curves.length > 0) return this.#bundle(place)
    if (draw < SHARES.route + SHARES.bundle + SHARES.sweep) return this.#sweep(place)
    const hasFailed = draw > 1 - SHARES.failed
    return this.#single(this.#pickVenue(), place, hasFailed)
  }
}

function remove<Item>(items: Item[], item: Item): void {
  const at = items.indexOf(item)
  if (at >= 0) items.splice(at, 1)
}
