import {
  type Call,
  PUMPFUN_SUPPLY,
  type PumpfunCurve,
  type PumpfunReserves,
  type TokenMovement,
  writePumpfunCreate,
  writePumpfunTrade,
} from '@pairwire/chain-writer'
import { type Account, createAccount, type Token } from './accounts.ts'
import { knownToken, madeToken } from './pair-token.ts'
import type { Random } from './random.ts'
import type { Fill, Meant, Order, Venue } from './venue.ts'
import type { TokenName } from './words.ts'

/** Virtual and real reserves of a new coin; with another quote than SOL the virtual quote is worth as much. */
const VIRTUAL_TOKENS = 1_073_000_000_000_000n
const VIRTUAL_LAMPORTS = 30_000_000_000n
const REAL_TOKENS = 793_100_000_000_000n

const FEE_BASIS_POINTS = 95n
const CREATOR_FEE_BASIS_POINTS = 30n

/** A coin on pump.fun's bonding curve. */
export type PumpfunVenue = Venue & {
  readonly accounts: PumpfunCurve
  readonly curve: Account
  reserves: PumpfunReserves
  create(name: TokenName, user: Account, timestamp: number): { call: Call; meant: Meant }
  isComplete(): boolean
  /** Its token accounts at its creation. */
  openingMovements(): readonly TokenMovement[]
}

/** A new curve, not yet written to the chain. `virtualQuote` in raw units where the quote is not SOL. */
export function createPumpfunCurve(
  random: Random,
  base: Token,
  quote: Token,
  creator: Account,
  virtualQuote: bigint = VIRTUAL_LAMPORTS,
): PumpfunVenue {
  const curve = createAccount(random)
  const isSol = quote.decimals === 9
  const accounts: PumpfunCurve = {
    mint: base.key,
    curve: curve.key,
    curveTokens: random.bytes(32),
    creator: creator.key,
    creatorVault: random.bytes(32),
    tokenProgram: base.tokenProgram,
    ...(isSol ? {} : { quote: { mint: quote.key, decimals: quote.decimals, curveQuote: random.bytes(32) } }),
  }

  const venue: PumpfunVenue = {
    base,
    quote,
    accounts,
    curve,
    address: curve.key,
    takesLamports: isSol,
    heat: 1,
    mood: 0.5,
    reserves: { virtualTokens: VIRTUAL_TOKENS, virtualQuote, realTokens: REAL_TOKENS, realQuote: 0n },
    openingMovements: () => movements(venue, null, venue.reserves),
    isComplete: () => venue.reserves.realTokens === 0n,
    depth: () => ({ base: venue.reserves.virtualTokens, quote: venue.reserves.virtualQuote }),
    create: (name, user, timestamp) => ({
      call: writePumpfunCreate({
        curve: accounts,
        user: user.key,
        ...name,
        timestamp,
        reserves: venue.reserves,
      }),
      meant: {
        kind: 'newPair',
        exchange: 'pumpfun',
        launchpad: 'pumpfun',
        ammAccount: curve.address,
        baseToken: madeToken(base, name, PUMPFUN_SUPPLY),
        quoteToken: knownToken(quote),
        baseTokenLiquidityAdded: PUMPFUN_SUPPLY,
        quoteTokenLiquidityAdded: 0n,
        migration: null,
      },
    }),
    fill: (order) => fill(venue, order, isSol, random),
  }
  return venue
}

function fill(venue: PumpfunVenue, order: Order, isSol: boolean, random: Random): Fill | undefined {
  const { reserves, accounts } = venue
  if (reserves.realTokens === 0n) return undefined
  const isBuy = order.side === 'buy'
  const feeBasisPoints = isSol ? FEE_BASIS_POINTS : 0n
  const creatorFeeBasisPoints = isSol ? CREATOR_FEE_BASIS_POINTS : 0n

  let tokenAmount: bigint
  let quoteAmount: bigint
  if (isBuy) {
    const spendable = (order.amountIn * 10_000n) / (10_000n + feeBasisPoints + creatorFeeBasisPoints)
    tokenAmount = (spendable * reserves.virtualTokens) / (reserves.virtualQuote + spendable)
    if (tokenAmount > reserves.realTokens) tokenAmount = reserves.realTokens
    // The program rounds the price of a buy up.
    quoteAmount = (tokenAmount * reserves.virtualQuote) / (reserves.virtualTokens - tokenAmount) + 1n
  } else {
    tokenAmount = order.amountIn
    quoteAmount = (tokenAmount * reserves.virtualQuote) / (reserves.virtualTokens + tokenAmount)
    if (quoteAmount > reserves.realQuote) return undefined
  }
  if (tokenAmount <= 0n || quoteAmount <= 1n) return undefined

  const fee = ceilFee(quoteAmount, feeBasisPoints)
  const creatorFee = ceilFee(quoteAmount, creatorFeeBasisPoints)
  const sign = isBuy ? 1n : -1n
  const after: PumpfunReserves = {
    virtualTokens: reserves.virtualTokens - sign * tokenAmount,
    virtualQuote: reserves.virtualQuote + sign * quoteAmount,
    realTokens: reserves.realTokens - sign * tokenAmount,
    realQuote: reserves.realQuote + sign * quoteAmount,
  }

  const call = writePumpfunTrade({
    curve: accounts,
    isBuy,
    isExactIn: random.chance(0.3),
    user: order.authority,
    userTokens: order.baseAccount,
    userQuote: order.quoteAccount,
    tokenAmount,
    quoteAmount,
    feeBasisPoints,
    fee,
    creatorFeeBasisPoints,
    creatorFee,
    reserves: after,
    timestamp: order.timestamp,
    completes: after.realTokens === 0n,
  })
  return {
    call,
    amountIn: isBuy ? quoteAmount + fee + creatorFee : tokenAmount,
    amountOut: isBuy ? tokenAmount : quoteAmount - fee - creatorFee,
    meant: {
      kind: 'swap',
      exchange: 'pumpfun',
      launchpad: 'pumpfun',
      ammAccount: venue.curve.address,
      baseTokenMint: venue.base.address,
      quoteTokenMint: venue.quote.address,
      walletAccount: order.walletAddress,
      swapType: order.side,
      baseAmount: tokenAmount,
      quoteAmount,
      baseDecimals: venue.base.decimals,
      quoteDecimals: venue.quote.decimals,
      quoteTokenLiquidity: after.realQuote,
    },
    movements: movements(venue, reserves, after),
    commit: () => {
      venue.reserves = after
    },
  }
}

/** Tokens that the curve keeps for the pool that it will become. */
export const UNSOLD_BY_CURVE = PUMPFUN_SUPPLY - REAL_TOKENS

/** How the curve's token accounts move; `before` null at its creation. */
function movements(
  venue: PumpfunVenue,
  before: PumpfunReserves | null,
  after: PumpfunReserves,
): TokenMovement[] {
  const { accounts, base, quote, curve } = venue
  const tokens: TokenMovement = {
    account: accounts.curveTokens,
    mint: base.address,
    owner: curve.address,
    decimals: base.decimals,
    before: before && UNSOLD_BY_CURVE + before.realTokens,
    after: UNSOLD_BY_CURVE + after.realTokens,
  }
  if (!accounts.quote) return [tokens]
  return [
    tokens,
    {
      account: accounts.quote.curveQuote,
      mint: quote.address,
      owner: curve.address,
      decimals: quote.decimals,
      before: before?.realQuote ?? null,
      after: after.realQuote,
    },
  ]
}

function ceilFee(amount: bigint, basisPoints: bigint): bigint {
  return (amount * basisPoints + 9_999n) / 10_000n
}
