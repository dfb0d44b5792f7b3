import {
  RAYDIUM_LAUNCHLAB_AUTHORITY,
  type RaydiumLaunchlabCurve,
  type RaydiumLaunchlabFigures,
  type RaydiumLaunchlabReserves,
  type TokenMovement,
  writeRaydiumLaunchlabInitialize,
  writeRaydiumLaunchlabTrade,
} from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import type { DecodedSwap } from '@pairwire/decoders'
import { type Account, createAccount, movementOf, type Token } from './accounts.ts'
import { madeToken, meantPair, meantSwap } from './meant.ts'
import type { Random } from './random.ts'
import { type Creation, ceilFee, type Fill, type Order, type Venue } from './venue.ts'
import type { TokenName } from './words.ts'

/** Virtual base of a curve that sells 793.1 of 1000 million tokens, and its virtual share of the quote raised. */
const VIRTUAL_BASE = 1_073_025_605_596_382n
const VIRTUAL_QUOTE_OF_85 = 30_000_852_951n

const PROTOCOL_FEE_BASIS_POINTS = 25n
const PLATFORM_FEE_BASIS_POINTS = 75n
const FEE_BASIS_POINTS = PROTOCOL_FEE_BASIS_POINTS + PLATFORM_FEE_BASIS_POINTS

type State = RaydiumLaunchlabReserves & Readonly<{ fees: bigint }>

/** What its vaults hold, raw units. */
type Held = Readonly<{ base: bigint; quote: bigint }>

/** Input and output of a trade, fee included, and the curve after it. */
type Traded = Readonly<{ amountIn: bigint; amountOut: bigint; fee: bigint; after: State }>

/** A token on LaunchLab's curve. */
export class LaunchlabVenue implements Venue {
  readonly base: Token
  readonly quote: Token
  readonly accounts: RaydiumLaunchlabCurve
  readonly address: Uint8Array
  readonly takesLamports = false
  heat = 1
  mood = 0.5
  readonly migratesToCpmm: boolean
  readonly figures: RaydiumLaunchlabFigures
  readonly #random: Random
  readonly #isOldEvent: boolean
  readonly #named: Pick<DecodedSwap, 'exchange' | 'launchpad' | 'ammAccount'>
  /** What was sold and raised, and the fees held in the quote vault besides. */
  #state: State = { baseSold: 0n, quoteRaised: 0n, fees: 0n }

  /** A new curve, complete at `fundRaising` raw units of the quote, and not yet on the chain. */
  constructor(random: Random, base: Token, quote: Token, creator: Account, fundRaising: bigint) {
    const { key: pool, address: ammAccount } = createAccount(random)
    this.#random = random
    this.#isOldEvent = random.chance(0.3)
    this.#named = { exchange: 'raydium_launchlab', launchpad: 'raydium_launchlab', ammAccount }
    this.base = base
    this.quote = quote
    this.address = pool
    this.accounts = {
      ...{ pool, base, quote, creator: creator.key, metadata: random.bytes(32) },
      ...{ baseVault: random.bytes(32), quoteVault: random.bytes(32) },
    }
    this.migratesToCpmm = random.chance(0.8)
    this.figures = {
      supply: 1_000_000_000_000_000n,
      totalBaseSell: 793_100_000_000_000n,
      fundRaising,
      virtualBase: VIRTUAL_BASE,
      virtualQuote: (VIRTUAL_QUOTE_OF_85 * fundRaising) / 85_000_000_000n,
    }
  }

  isComplete(): boolean {
    return this.#state.baseSold === this.figures.totalBaseSell
  }

  depth() {
    const { virtualBase, virtualQuote } = this.figures
    return { base: virtualBase - this.#state.baseSold, quote: virtualQuote + this.#state.quoteRaised }
  }

  /** Raw amounts that its pool opens with, once it is complete. */
  poolAmounts(): Readonly<{ base: bigint; quote: bigint }> {
    return { base: this.figures.supply - this.#state.baseSold, quote: this.#state.quoteRaised }
  }

  create(name: TokenName, payer: Account): Creation {
    const { accounts: curve, figures, migratesToCpmm } = this
    const isV2 = this.#random.chance(0.5)
    return {
      calls: [
        writeRaydiumLaunchlabInitialize({ curve, figures, payer: payer.key, ...name, isV2, migratesToCpmm }),
      ],
      meant: meantPair(madeToken(this.base, name, figures.supply), this.quote, {
        ...this.#named,
        migration: null,
        creator: encodeBase58(curve.creator),
        curve: {
          ...{ filled: { amount: 0n, of: figures.totalBaseSell }, isComplete: false },
          ...{ virtualBase: null, virtualQuote: null },
        },
        amounts: { base: figures.supply, quote: 0n },
      }),
      movements: this.#movements(null, { base: figures.supply, quote: 0n }),
    }
  }

  /** Balance changes of its vaults when its pool takes the contents; the fees stay. */
  emptied(): readonly TokenMovement[] {
    return this.#movements(this.#held(this.#state), { base: 0n, quote: this.#state.fees })
  }

  fill(order: Order): Fill | undefined {
    const isBuy = order.side === 'buy'
    const traded = isBuy ? this.#buy(order.amountIn) : this.#sell(order.amountIn)
    if (traded === undefined || traded.amountIn <= 0n || traded.amountOut <= 0n) return undefined
    const { amountIn, amountOut, fee, after } = traded
    const before = this.#state
    const protocolFee = (fee * PROTOCOL_FEE_BASIS_POINTS) / FEE_BASIS_POINTS
    return {
      call: writeRaydiumLaunchlabTrade({
        ...{ curve: this.accounts, figures: this.figures, isBuy, amountIn, amountOut, before, after },
        payer: order.authority,
        userBase: order.baseAccount,
        userQuote: order.quoteAccount,
        protocolFee,
        platformFee: fee - protocolFee,
        isOldEvent: this.#isOldEvent,
      }),
      amountIn,
      amountOut,
      meant: meantSwap(this, order, {
        ...this.#named,
        baseAmount: isBuy ? amountOut : amountIn,
        quoteAmount: isBuy ? amountIn : amountOut,
        quoteTokenLiquidity: after.quoteRaised,
        baseTokenLiquidity: null,
        curve: {
          filled: { amount: after.baseSold, of: this.figures.totalBaseSell },
          isComplete: isBuy && after.baseSold === this.figures.totalBaseSell,
          virtualBase: this.figures.virtualBase - after.baseSold,
          virtualQuote: this.figures.virtualQuote + after.quoteRaised,
        },
      }),
      movements: this.#movements(this.#held(before), this.#held(after)),
      commit: () => {
        this.#state = after
      },
    }
  }

  /** The contents of its vaults. */
  #held({ baseSold, quoteRaised, fees }: State) {
    return { base: this.figures.supply - baseSold, quote: quoteRaised + fees }
  }

  /** Balance changes of its vaults; `before` is null at its creation. */
  #movements(before: Held | null, after: Held): readonly TokenMovement[] {
    const { base, quote } = this
    const { baseVault, quoteVault } = this.accounts
    const owner = RAYDIUM_LAUNCHLAB_AUTHORITY
    return [
      movementOf(base, baseVault, owner, before?.base ?? null, after.base),
      movementOf(quote, quoteVault, owner, before?.quote ?? null, after.quote),
    ]
  }

  /** A buy of more than is left gets the rest, for less. */
  #buy(offered: bigint): Traded | undefined {
    const state = this.#state
    const left = this.figures.totalBaseSell - state.baseSold
    if (left === 0n) return undefined
    const depth = this.depth()
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

  #sell(amountIn: bigint): Traded | undefined {
    const state = this.#state
    const depth = this.depth()
    const gross = (depth.quote * amountIn) / (depth.base + amountIn)
    if (this.isComplete() || gross > state.quoteRaised || amountIn > state.baseSold) return undefined
    const fee = ceilFee(gross, FEE_BASIS_POINTS)
    const after = {
      baseSold: state.baseSold - amountIn,
      quoteRaised: state.quoteRaised - gross,
      fees: state.fees + fee,
    }
    return { amountIn, amountOut: gross - fee, fee, after }
  }
}
