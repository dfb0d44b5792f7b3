import {
  type Call,
  PUMPSWAP_FEE_BASIS_POINTS,
  type PumpswapPool,
  type TokenMovement,
  writePumpswapCreatePool,
  writePumpswapSweep,
  writePumpswapTrade,
} from '@pairwire/chain-writer'
import { WRAPPED_SOL } from '@pairwire/contract'
import { type Account, createAccount, movementOf, type Token } from './accounts.ts'
import { knownToken, type Meant, meantPair, meantSwap } from './meant.ts'
import type { Random } from './random.ts'
import { ceilFee, type Fill, type Order, type Venue } from './venue.ts'

/** Of the trades since October 2026, those that leave their fees in the vault; the rest pay them out as before. */
const SHARE_OF_KEPT_FEES = 0.8

/** The reserves that make the price, and what lies in the accounts of those who earn fees. */
type Reserves = Readonly<{ base: bigint; quote: bigint; protocol: bigint; creator: bigint }>

/** Fees that wait in the vault of the quote. */
type Waiting = Readonly<{ protocol: bigint; creator: bigint }>

/** A pool on PumpSwap. */
export type PumpswapVenue = Venue & {
  readonly accounts: PumpswapPool
  readonly pool: Account
  reserves: Reserves
  /** What the reserve of the quote has beyond its vault; below zero where fees wait there. */
  virtualQuote: bigint
  waiting: Waiting
  /** Takes the fees that wait out of the vault; undefined when none do. */
  sweep(
    of: keyof Waiting,
    payer: Uint8Array,
    timestamp: number,
  ): { call: Call; movements: readonly TokenMovement[]; commit(): void } | undefined
  /** `create_pool` as `creator` calls it, with what it means. */
  create(fields: {
    creator: Uint8Array
    creatorBase: Uint8Array
    creatorQuote: Uint8Array
    timestamp: number
    isMigration: boolean
  }): { call: Call; meant: Meant }
}

/**
 * A pool with these raw reserves. `isReversed` makes wrapped SOL the program's base, as some pools of users have
 * it; the stream's base is the other token all the same.
 */
export function createPumpswapPool(
  random: Random,
  base: Token,
  quote: Token,
  amounts: Readonly<{ base: bigint; quote: bigint }>,
  isReversed = false,
): PumpswapVenue {
  const pool = createAccount(random)
  const [programBase, programQuote] = isReversed ? [quote, base] : [base, quote]
  const accounts: PumpswapPool = {
    pool: pool.key,
    base: programBase,
    quote: programQuote,
    baseVault: random.bytes(32),
    quoteVault: random.bytes(32),
    lpMint: random.bytes(32),
    coinCreator: random.bytes(32),
    creatorVault: random.bytes(32),
    protocolVault: random.bytes(32),
  }
  const venue: PumpswapVenue = {
    base,
    quote,
    accounts,
    pool,
    address: pool.key,
    takesLamports: false,
    heat: 1,
    mood: 0.5,
    reserves: {
      base: isReversed ? amounts.quote : amounts.base,
      quote: isReversed ? amounts.base : amounts.quote,
      protocol: 1_000_000n,
      creator: 1_000_000n,
    },
    virtualQuote: 0n,
    waiting: { protocol: 0n, creator: 0n },
    sweep: (of, payer, timestamp) => sweep(venue, of, payer, timestamp, programQuote),
    depth: () => {
      const { reserves } = venue
      return isReversed
        ? { base: reserves.quote, quote: reserves.base }
        : { base: reserves.base, quote: reserves.quote }
    },
    create: (fields) => ({
      call: writePumpswapCreatePool({
        pool: accounts,
        ...fields,
        creatorLp: random.bytes(32),
        index: fields.isMigration ? 0 : 1,
        baseAmount: venue.reserves.base,
        quoteAmount: venue.reserves.quote,
      }),
      meant: meantPair(knownToken(base), quote, {
        exchange: 'pumpswap',
        launchpad: fields.isMigration ? 'pumpfun' : null,
        ammAccount: pool.address,
        migration: fields.isMigration ? 'pumpfun' : null,
        amounts: venue.depth(),
      }),
    }),
    fill: (order) => fill(venue, order, isReversed, random),
  }
  return venue
}

function fill(venue: PumpswapVenue, order: Order, isReversed: boolean, random: Random): Fill | undefined {
  const { reserves, accounts } = venue
  const isBuy = (order.side === 'buy') !== isReversed
  const { lp, protocol, creator } = PUMPSWAP_FEE_BASIS_POINTS
  const isExactIn = random.chance(0.25)
  const keepsFees = random.chance(SHARE_OF_KEPT_FEES)

  const { baseAmount, quoteAmount } = isBuy
    ? buyPrice(reserves, (order.amountIn * 10_000n) / (10_000n + lp + protocol + creator))
    : sellPrice(reserves, order.amountIn)
  const fees = {
    lp: ceilFee(quoteAmount, lp),
    protocol: ceilFee(quoteAmount, protocol),
    creator: ceilFee(quoteAmount, creator),
    buyback: keepsFees ? ceilFee(quoteAmount, protocol) / 2n : 0n,
  }
  const usersQuote = isBuy
    ? quoteAmount + fees.lp + fees.protocol + fees.creator
    : quoteAmount - fees.lp - fees.protocol - fees.creator
  if (baseAmount <= 0n || usersQuote <= 0n) return undefined
  // What the pool's own reserves take in or give out.
  const vaultQuote = isBuy ? quoteAmount + fees.lp : quoteAmount - fees.lp

  const sign = isBuy ? 1n : -1n
  const after: Reserves = {
    base: reserves.base - sign * baseAmount,
    quote: reserves.quote + sign * vaultQuote,
    protocol: reserves.protocol + (keepsFees ? fees.buyback : fees.protocol),
    creator: reserves.creator + (keepsFees ? 0n : fees.creator),
  }
  const kept = keepsFees ? { protocol: fees.protocol - fees.buyback, creator: fees.creator } : NOTHING
  const virtualAfter = venue.virtualQuote - kept.protocol - kept.creator
  const waiting: Waiting = {
    protocol: venue.waiting.protocol + kept.protocol,
    creator: venue.waiting.creator + kept.creator,
  }
  const [programBase, programQuote] = isReversed ? [venue.quote, venue.base] : [venue.base, venue.quote]
  const [streamBase, streamQuote] = isReversed ? [vaultQuote, baseAmount] : [baseAmount, vaultQuote]
  const vaultBefore = reserves.quote - venue.virtualQuote
  const owner = venue.pool.address
  return {
    call: writePumpswapTrade({
      pool: accounts,
      isBuy,
      isExactIn,
      keepsFees,
      user: order.authority,
      userBase: isReversed ? order.quoteAccount : order.baseAccount,
      userQuote: isReversed ? order.baseAccount : order.quoteAccount,
      baseAmount,
      quoteAmount,
      fees,
      baseVaultBefore: reserves.base,
      quoteVaultBefore: vaultBefore,
      virtualQuoteReserve: venue.virtualQuote,
      creatorFeeUnclaimed: waiting.creator,
      timestamp: order.timestamp,
    }),
    amountIn: isBuy ? usersQuote : baseAmount,
    amountOut: isBuy ? baseAmount : usersQuote,
    meant: meantSwap(venue, order, {
      exchange: 'pumpswap',
      launchpad: null,
      ammAccount: venue.pool.address,
      baseAmount: streamBase,
      quoteAmount: streamQuote,
      quoteTokenLiquidity: isReversed ? after.base : after.quote,
      baseTokenLiquidity: isReversed ? after.quote : after.base,
    }),
    movements: [
      movementOf(programBase, accounts.baseVault, owner, reserves.base, after.base),
      movementOf(programQuote, accounts.quoteVault, owner, vaultBefore, after.quote - virtualAfter),
      movementOf(programQuote, accounts.protocolVault, FEE_OWNER, reserves.protocol, after.protocol),
      ...(keepsFees
        ? []
        : [movementOf(programQuote, accounts.creatorVault, FEE_OWNER, reserves.creator, after.creator)]),
    ],
    commit: () => {
      venue.reserves = after
      venue.virtualQuote = virtualAfter
      venue.waiting = waiting
    },
  }
}

function buyPrice({ base, quote }: Reserves, spendable: bigint) {
  const baseAmount = (spendable * base) / (quote + spendable)
  // The program rounds the price of a buy up.
  return { baseAmount, quoteAmount: (baseAmount * quote) / (base - baseAmount) + 1n }
}

function sellPrice({ base, quote }: Reserves, baseAmount: bigint) {
  return { baseAmount, quoteAmount: (baseAmount * quote) / (base + baseAmount) }
}

const NOTHING: Waiting = { protocol: 0n, creator: 0n }

function sweep(
  venue: PumpswapVenue,
  of: keyof Waiting,
  payer: Uint8Array,
  timestamp: number,
  programQuote: Token,
): ReturnType<PumpswapVenue['sweep']> {
  const { accounts, reserves, virtualQuote, waiting } = venue
  const amount = waiting[of]
  if (amount === 0n) return undefined
  const vault = reserves.quote - virtualQuote
  const receiver = of === 'protocol' ? accounts.protocolVault : accounts.creatorVault
  return {
    call: writePumpswapSweep({ pool: accounts, payer, of, amount, timestamp }),
    movements: [
      movementOf(programQuote, accounts.quoteVault, venue.pool.address, vault, vault - amount),
      movementOf(programQuote, receiver, FEE_OWNER, reserves[of], reserves[of] + amount),
    ],
    commit: () => {
      venue.virtualQuote = virtualQuote + amount
      venue.waiting = { ...waiting, [of]: 0n }
      venue.reserves = { ...reserves, [of]: reserves[of] + amount }
    },
  }
}

/** Any owner does for the accounts that gather fees. */
const FEE_OWNER = WRAPPED_SOL
