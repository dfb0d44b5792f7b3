import {
  type Call,
  RAYDIUM_LAUNCHLAB_AUTHORITY,
  type RaydiumLaunchlabCurve,
  type RaydiumLaunchlabFigures,
  type RaydiumLaunchlabReserves,
  type TokenMovement,
  writeRaydiumLaunchlabInitialize,
  writeRaydiumLaunchlabTrade,
} from '@pairwire/chain-writer'
import { type Account, createAccount, movementOf, type Token } from './accounts.ts'
import { type Meant, madeToken, meantPair, meantSwap } from './meant.ts'
import type { Random } from './random.ts'
import { ceilFee, type Fill, type Order, type Venue } from './venue.ts'
import type { TokenName } from './words.ts'

/** Virtual base of a curve that sells 793.1 of 1000 million tokens, and its virtual share of the quote raised. */
const VIRTUAL_BASE = 1_073_025_605_596_382n
const VIRTUAL_QUOTE_OF_85 = 30_000_852_951n

const PROTOCOL_FEE_BASIS_POINTS = 25n
const PLATFORM_FEE_BASIS_POINTS = 75n
const FEE_BASIS_POINTS = PROTOCOL_FEE_BASIS_POINTS + PLATFORM_FEE_BASIS_POINTS

type State = RaydiumLaunchlabReserves & Readonly<{ fees: bigint }>

/** A token on LaunchLab's curve. */
export type LaunchlabVenue = Venue & {
  readonly accounts: RaydiumLaunchlabCurve
  readonly curve: Account
  readonly figures: RaydiumLaunchlabFigures
  /** What was sold and raised, and the fees that lie in the quote vault beside it. */
  state: State
  readonly migratesToCpmm: boolean
  create(name: TokenName, payer: Account): { call: Call; meant: Meant }
  isComplete(): boolean
  /** How one of its vaults moves. */
  vaultMovement(side: 'base' | 'quote', before: bigint | null, after: bigint): TokenMovement
}

/** A new curve that is complete at `fundRaising` raw units of the quote, not yet written to the chain. */
export function createLaunchlabCurve(
  random: Random,
  base: Token,
  quote: Token,
  creator: Account,
  fundRaising: bigint,
): LaunchlabVenue {
  const curve = createAccount(random)
  const isOldEvent = random.chance(0.3)
  const accounts: RaydiumLaunchlabCurve = {
    pool: curve.key,
    base,
    quote,
    baseVault: random.bytes(32),
    quoteVault: random.bytes(32),
    creator: creator.key,
    metadata: random.bytes(32),
  }
  const venue: LaunchlabVenue = {
    base,
    quote,
    accounts,
    curve,
    address: curve.key,
    takesLamports: false,
    heat: 1,
    mood: 0.5,
    migratesToCpmm: random.chance(0.8),
    figures: {
      supply: 1_000_000_000_000_000n,
      totalBaseSell: 793_100_000_000_000n,
      fundRaising,
      virtualBase: VIRTUAL_BASE,
      virtualQuote: (VIRTUAL_QUOTE_OF_85 * fundRaising) / 85_000_000_000n,
    },
    state: { baseSold: 0n, quoteRaised: 0n, fees: 0n },
    isComplete: () => venue.state.baseSold === venue.figures.totalBaseSell,
    depth: () => ({
      base: venue.figures.virtualBase - venue.state.baseSold,
      quote: venue.figures.virtualQuote + venue.state.quoteRaised,
    }),
    create: (name, payer) => ({
      call: writeRaydiumLaunchlabInitialize({
        curve: accounts,
        figures: venue.figures,
        payer: payer.key,
        ...name,
        isV2: random.chance(0.5),
        migratesToCpmm: venue.migratesToCpmm,
      }),
      meant: meantPair(madeToken(base, name, venue.figures.supply), quote, {
        exchange: 'raydium_launchlab',
        launchpad: 'raydium_launchlab',
        ammAccount: curve.address,
        migration: null,
        amounts: { base: venue.figures.supply, quote: 0n },
      }),
    }),
    vaultMovement: (side, before, after) => {
      const vault = side === 'base' ? accounts.baseVault : accounts.quoteVault
      return movementOf(venue[side], vault, RAYDIUM_LAUNCHLAB_AUTHORITY, before, after)
    },
    fill: (order) => fill(venue, order, isOldEvent),
  }
  return venue
}

function fill(venue: LaunchlabVenue, order: Order, isOldEvent: boolean): Fill | undefined {
  const { state, figures, accounts } = venue
  const isBuy = order.side === 'buy'
  const traded = isBuy ? buy(venue, order.amountIn) : sell(venue, order.amountIn)
  if (traded === undefined || traded.amountIn <= 0n || traded.amountOut <= 0n) return undefined
  const { amountIn, amountOut, fee, after } = traded
  const protocolFee = (fee * PROTOCOL_FEE_BASIS_POINTS) / FEE_BASIS_POINTS

  return {
    call: writeRaydiumLaunchlabTrade({
      curve: accounts,
      figures,
      isBuy,
      payer: order.authority,
      userBase: order.baseAccount,
      userQuote: order.quoteAccount,
      amountIn,
      amountOut,
      protocolFee,
      platformFee: fee - protocolFee,
      before: state,
      after,
      isOldEvent,
    }),
    amountIn,
    amountOut,
    meant: meantSwap(venue, order, {
      exchange: 'raydium_launchlab',
      launchpad: 'raydium_launchlab',
      ammAccount: venue.curve.address,
      baseAmount: isBuy ? amountOut : amountIn,
      quoteAmount: isBuy ? amountIn : amountOut,
      quoteTokenLiquidity: after.quoteRaised,
      baseTokenLiquidity: null,
    }),
    movements: [
      venue.vaultMovement('base', figures.supply - state.baseSold, figures.supply - after.baseSold),
      venue.vaultMovement('quote', state.quoteRaised + state.fees, after.quoteRaised + after.fees),
    ],
    commit: () => {
      venue.state = after
    },
  }
}

/** What a trade gives and takes, fee included, and the curve after it. */
type Traded = Readonly<{ amountIn: bigint; amountOut: bigint; fee: bigint; after: State }>

/** A buy that wants more than is left gets what is left, for less. */
function buy(venue: LaunchlabVenue, offered: bigint): Traded | undefined {
  const { state, figures } = venue
  const left = figures.totalBaseSell - state.baseSold
  if (left === 0n) return undefined
  const depth = venue.depth()
  let amountIn = offered
  let fee = ceilFee(amountIn, FEE_BASIS_POINTS)
  let amountOut = (depth.base * (amountIn - fee)) / (depth.quote + amountIn - fee)
  if (amountOut >= left) {
    amountOut = left
    const needed = (left * depth.quote) / (depth.base - left) + 1n
    amountIn = (needed * 10_000n) / (10_000n - FEE_BASIS_POINTS) + 1n
    fee = amountIn - needed
  }
  const after = {
    baseSold: state.baseSold + amountOut,
    quoteRaised: state.quoteRaised + amountIn - fee,
    fees: state.fees + fee,
  }
  return { amountIn, amountOut, fee, after }
}

function sell(venue: LaunchlabVenue, amountIn: bigint): Traded | undefined {
  const { state } = venue
  const depth = venue.depth()
  const gross = (depth.quote * amountIn) / (depth.base + amountIn)
  if (venue.isComplete() || gross > state.quoteRaised || amountIn > state.baseSold) return undefined
  const fee = ceilFee(gross, FEE_BASIS_POINTS)
  const after = {
    baseSold: state.baseSold - amountIn,
    quoteRaised: state.quoteRaised - gross,
    fees: state.fees + fee,
  }
  return { amountIn, amountOut: gross - fee, fee, after }
}
