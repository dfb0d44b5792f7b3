import { USDT } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { KNOWN_SOL_POOLS } from '../enrich/known-pools.ts'
import type { Prices } from '../enrich/prices.ts'
import { aSolPool, blockMoment, ONE_SOL, type SolPool } from './a-market.ts'

/** An attacker's trades in each block, in a market whose honest pools are at {@link HONEST_PRICE}. */
type Attack = (world: AttackedWorld, block: number) => Iterable<DecodedSwap | undefined>

/** The market under attack. */
export type AttackedWorld = Readonly<{
  honest: readonly SolPool[]
  /** The attacker's own pools, opened at any price. */
  own: (at: number, price: number, usd?: number) => SolPool
}>

/** The outcome. */
type Damage = Readonly<{
  /** Largest share by which the price differed from what it would have been. */
  worst: number
  /** Blocks in which no price was known. */
  unknown: number
  /** Fees that the attacker paid, all of them to its own pools. */
  feesUsd: number
}>

/** Initial price of honest pools; they move by up to 3 % a minute from there. */
export const HONEST_PRICE = 150

/** The pools of the honest traders: known ones, or as many that are only deep. */
export const HONEST_POOLS = {
  known: [...KNOWN_SOL_POOLS].slice(0, 3),
  deep: ['honest pool 1', 'honest pool 2', 'honest pool 3'],
} as const

/** Blocks in a minute. */
const MINUTE = 150
/** Blocks before the attack begins. */
const CALM = 10

/** Compares a minute of attack with the same minute without. `createPrices` is called for both. */
export function suffer(
  createPrices: () => Pick<Prices, 'observe' | 'usdValue'>,
  attack: Attack,
  addresses: readonly string[],
): Damage {
  const calm = createWorld(createPrices(), addresses)
  const attacked = createWorld(createPrices(), addresses)
  const owned = new Map<number, SolPool>()
  const own = (at: number, price: number, usd = 200_000) => {
    const pool = owned.get(at) ?? aSolPool(`own pool ${at}`, price, usd)
    owned.set(at, pool)
    return pool
  }
  let worst = 0
  let unknown = 0
  for (let block = 0; block < CALM + MINUTE; block++) {
    calm.tradeHonestly(block)
    attacked.tradeHonestly(block)
    if (block < CALM) continue
    const world = { honest: attacked.honest, own }
    for (const swap of attack(world, block - CALM)) {
      if (swap) attacked.prices.observe(swap, blockMoment(block))
    }
    const wanted = calm.prices.usdValue(ONE_SOL, blockMoment(block))
    const price = attacked.prices.usdValue(ONE_SOL, blockMoment(block))
    if (price === null || wanted === null) unknown++
    else worst = Math.max(worst, Math.abs(price / wanted - 1))
  }
  const feesUsd = [...owned.values()].reduce((sum, pool) => sum + pool.feesUsd(), 0)
  return { worst, unknown, feesUsd }
}

/** An honest trader moves one of the pools to the market's price in each block, as arbitrage does. */
function createWorld(prices: Pick<Prices, 'observe' | 'usdValue'>, addresses: readonly string[]) {
  const honest = addresses.map((address, at) =>
    aSolPool(address, HONEST_PRICE, 4_000_000, ...(at === 1 ? [USDT] : [])),
  )
  return {
    prices,
    honest,
    tradeHonestly: (block: number) => {
      for (const [at, pool] of honest.entries()) {
        if (block >= CALM && (block + at) % honest.length !== 0) continue
        const market = HONEST_PRICE * (1 + Math.sin(block / 40) * 0.02 + Math.sin(block + at) * 0.0005)
        const swap = pool.moveTo(market, `honest ${(block * 7 + at) % 40}`)
        if (swap) prices.observe(swap, blockMoment(block))
      }
    },
  }
}

/** Attacks by name, with their description for the figures. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'one wallet walks its own pool up by little steps': function* ({ own }) {
    const pool = own(0, HONEST_PRICE)
    for (let price = HONEST_PRICE; price <= 362; price *= 1.045) {
      yield pool.moveTo(price, 'attacker')
      for (let trade = 0; trade < 6; trade++) yield pool.trade(trade % 2 === 0 ? 30 : -30, 'attacker')
    }
  },
  'three wallets trade in their own pool at another price': function* ({ own }) {
    const pool = own(0, 362)
    for (let trade = 0; trade < 12; trade++) {
      yield pool.trade(trade % 2 === 0 ? 500 : -500, `attacker ${trade % 3}`)
    }
  },
  'a hundred wallets trade millions in their own pool': function* ({ own }, block) {
    const pool = own(0, 152.9, 3_000_000)
    for (let trade = 0; trade < 20; trade++) {
      yield pool.trade(trade % 2 === 0 ? 300_000 : -300_000, `attacker ${(block * 20 + trade) % 100}`)
    }
  },
  'one wallet trades in ten pools of its own': function* ({ own }) {
    for (let at = 0; at < 10; at++) {
      yield own(at, 362).trade(1_000, 'attacker')
      yield own(at, 362).trade(-1_000, 'attacker')
    }
  },
  'one wallet trades last in every honest pool, as high as it can': function* ({ honest }, block) {
    if (block % 5 === 0) for (const pool of honest) yield pool.moveTo(160, 'attacker')
  },
  'many wallets push all honest pools and pull them back in one block': function* ({ honest }, block) {
    for (const pool of honest) {
      const before = pool.price()
      for (let push = 1; push <= 6; push++) {
        yield pool.moveTo(before * (1 + push * 0.04), `attacker ${block % 20} ${push}`)
      }
      yield pool.moveTo(before, `attacker ${block % 20} back`)
    }
  },
}

/** Only known pools withstand this one. */
export const MANY_WALLETS_IN_MANY_POOLS: Attack = function* ({ own }) {
  for (let at = 0; at < 10; at++) {
    for (let trade = 0; trade < 4; trade++) {
      yield own(at, 362).trade(trade % 2 === 0 ? 500 : -500, `attacker ${trade}`)
    }
  }
}
