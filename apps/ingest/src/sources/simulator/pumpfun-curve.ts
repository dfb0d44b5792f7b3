import {
  PUMPFUN_SUPPLY,
  type PumpfunCurve,
  type PumpfunReserves,
  type TokenMovement,
  writePumpfunCreate,
  writePumpfunTrade,
} from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import { type CurveState, curveKey } from '@pairwire/decoders'
import { type Account, movementOf, type Token } from './accounts.ts'
import { madeToken, meantPair, meantSwap } from './meant.ts'
import type { Random } from './random.ts'
import { type Creation, ceilFee, type Fill, type Order, type Venue } from './venue.ts'
import type { TokenName } from './words.ts'

/** Virtual and real reserves of a new coin; for quotes other than SOL, the virtual quote has the same value. */
const VIRTUAL_TOKENS = 1_073_000_000_000_000n
const VIRTUAL_LAMPORTS = 30_000_000_000n
const REAL_TOKENS = 793_100_000_000_000n

const FEE_BASIS_POINTS = 95n
const CREATOR_FEE_BASIS_POINTS = 30n
/** Share of trades since October 2026 that leave their fees in the curve; the rest pay them out as before. */
const SHARE_OF_KEPT_FEES = 0.8
/** Lamports (or raw quote units) that pump.fun keeps of what a curve raised. */
export const PUMPFUN_MIGRATION_FEE = 15_000_001n

/** What a completing buy took from the future pool, and what that opens with. */
type Beyond = Readonly<{ base: bigint; quote: bigint; poolBase: bigint; poolQuote: bigint }>

/** The curve's holdings besides its reserves: waiting fees, and the creator's among them. */
type Aside = Readonly<{ fees: bigint; creator: bigint; beyond: Beyond | null }>

/** The contents of a curve. */
type State = Readonly<{ reserves: PumpfunReserves; aside: Aside }>

/** A coin on pump.fun's bonding curve. */
export class PumpfunVenue implements Venue {
  readonly base: Token
  readonly quote: Token
  readonly accounts: PumpfunCurve
  readonly address: Uint8Array
  readonly takesLamports: boolean
  heat = 1
  mood = 0.5
  readonly #random: Random
  readonly #named: Readonly<{ exchange: 'pumpfun'; launchpad: 'pumpfun'; ammAccount: string }>
  #state: State

  /** A new curve, not yet on the chain. `virtualQuote` is in raw units if the quote is not SOL. */
  constructor(
    random: Random,
    base: Token,
    quote: Token,
    creator: Account,
    virtualQuote: bigint = VIRTUAL_LAMPORTS,
  ) {
    this.#random = random
    this.base = base
    this.quote = quote
    this.address = curveKey(base.key)
    this.#named = { exchange: 'pumpfun', launchpad: 'pumpfun', ammAccount: encodeBase58(this.address) }
    this.takesLamports = quote.decimals === 9
    this.accounts = {
      mint: base.key,
      curve: this.address,
      curveTokens: random.bytes(32),
      creator: creator.key,
      creatorVault: random.bytes(32),
      tokenProgram: base.tokenProgram,
      ...(this.takesLamports
        ? {}
        : { quote: { mint: quote.key, decimals: quote.decimals, curveQuote: random.bytes(32) } }),
    }
    this.#state = {
      reserves: { virtualTokens: VIRTUAL_TOKENS, virtualQuote, realTokens: REAL_TOKENS, realQuote: 0n },
      aside: { fees: 0n, creator: 0n, beyond: null },
    }
  }

  isComplete(): boolean {
    return this.#state.reserves.realTokens === 0n
  }

  depth() {
    const { virtualTokens, virtualQuote } = this.#state.reserves
    return { base: virtualTokens, quote: virtualQuote }
  }

  /** Raw amounts that its pool opens with, once it is complete. */
  poolAmounts(): Readonly<{ base: bigint; quote: bigint }> {
    const { reserves, aside } = this.#state
    return {
      base: aside.beyond?.poolBase ?? UNSOLD_BY_CURVE,
      quote: aside.beyond?.poolQuote ?? reserves.realQuote - PUMPFUN_MIGRATION_FEE,
    }
  }

  create(name: TokenName, { key: user, address: creator }: Account, timestamp: number): Creation {
    const { accounts: curve } = this
    const { reserves } = this.#state
    return {
      calls: [writePumpfunCreate({ curve, user, ...name, timestamp, reserves })],
      meant: meantPair(madeToken(this.base, name, PUMPFUN_SUPPLY), this.quote, {
        ...this.#named,
        migration: null,
        creator,
        curve: stateOf(reserves, false),
        amounts: { base: PUMPFUN_SUPPLY, quote: 0n },
      }),
      movements: this.#movements(null, this.#state),
    }
  }

  fill(order: Order): Fill | undefined {
    const before = this.#state
    const { reserves } = before
    if (this.isComplete()) return undefined
    const isBuy = order.side === 'buy'
    const isExactIn = this.#random.chance(0.3)
    const keepsFees = this.#random.chance(SHARE_OF_KEPT_FEES)
    // Older trades of coins with quotes other than SOL report no fees.
    const hasFees = this.takesLamports || keepsFees
    const feeBasisPoints = hasFees ? FEE_BASIS_POINTS : 0n
    const creatorFeeBasisPoints = hasFees ? CREATOR_FEE_BASIS_POINTS : 0n

    const price = isBuy
      ? buyPrice(reserves, (order.amountIn * 10_000n) / (10_000n + feeBasisPoints + creatorFeeBasisPoints))
      : sellPrice(reserves, order.amountIn)
    const { tokenAmount, quoteAmount } = price
    if (tokenAmount <= 0n || quoteAmount <= 1n) return undefined

    const after = reservesAfter(reserves, isBuy, price)
    const beyond = keepsFees ? buyBeyond(after, price.left) : null
    const [baseBeyond, quoteBeyond] = [beyond?.base ?? 0n, beyond?.quote ?? 0n]
    const feeOf = (basisPoints: bigint) =>
      ceilFee(quoteAmount, basisPoints) + ceilFee(quoteBeyond, basisPoints)
    const fee = feeOf(feeBasisPoints)
    const creatorFee = feeOf(creatorFeeBasisPoints)
    const buybackFee = keepsFees ? fee / 2n : 0n
    const aside = {
      fees: before.aside.fees + (keepsFees ? fee - buybackFee + creatorFee : 0n),
      creator: before.aside.creator + (keepsFees ? creatorFee : 0n),
      beyond: beyond ?? before.aside.beyond,
    }

    const call = writePumpfunTrade({
      ...{ curve: this.accounts, isBuy, isExactIn, keepsFees, tokenAmount, quoteAmount, beyond },
      ...{ feeBasisPoints, fee, creatorFeeBasisPoints, creatorFee, buybackFee },
      user: order.authority,
      userTokens: order.baseAccount,
      userQuote: order.quoteAccount,
      creatorFeeUnclaimed: aside.creator,
      reserves: after,
      timestamp: order.timestamp,
      completes: after.realTokens === 0n,
    })
    const traded = { base: tokenAmount + baseBeyond, quote: quoteAmount + quoteBeyond }
    return {
      call,
      amountIn: isBuy ? traded.quote + fee + creatorFee : tokenAmount,
      amountOut: isBuy ? traded.base : quoteAmount - fee - creatorFee,
      meant: meantSwap(this, order, {
        ...this.#named,
        baseAmount: traded.base,
        quoteAmount: traded.quote,
        quoteTokenLiquidity: after.realQuote + quoteBeyond,
        baseTokenLiquidity: after.realTokens,
        curve: stateOf(after, after.realTokens === 0n),
      }),
      movements: this.#movements(before, { reserves: after, aside }),
      commit: () => {
        this.#state = { reserves: after, aside }
      },
    }
  }

  /** Balance changes of the curve's token accounts; `before` is null at its creation. */
  #movements(before: State | null, after: State): readonly TokenMovement[] {
    const { accounts, base, quote } = this
    const tokensOf = ({ reserves, aside }: State) =>
      UNSOLD_BY_CURVE + reserves.realTokens - (aside.beyond?.base ?? 0n)
    const quoteOf = ({ reserves, aside }: State) =>
      reserves.realQuote + (aside.beyond?.quote ?? 0n) + aside.fees
    const move = (token: Token, account: Uint8Array, of: (state: State) => bigint) =>
      movementOf(token, account, this.#named.ammAccount, before && of(before), of(after))
    const tokens = move(base, accounts.curveTokens, tokensOf)
    return accounts.quote ? [tokens, move(quote, accounts.quote.curveQuote, quoteOf)] : [tokens]
  }
}

function stateOf(
  { realTokens, virtualTokens, virtualQuote }: PumpfunReserves,
  isComplete: boolean,
): CurveState {
  const filled = { amount: REAL_TOKENS - realTokens, of: REAL_TOKENS }
  return { filled, isComplete, virtualBase: virtualTokens, virtualQuote }
}

function reservesAfter(
  before: PumpfunReserves,
  isBuy: boolean,
  { tokenAmount, quoteAmount }: Price,
): PumpfunReserves {
  const sign = isBuy ? 1n : -1n
  return {
    virtualTokens: before.virtualTokens - sign * tokenAmount,
    virtualQuote: before.virtualQuote + sign * quoteAmount,
    realTokens: before.realTokens - sign * tokenAmount,
    realQuote: before.realQuote + sign * quoteAmount,
  }
}

/** The amounts of a trade, and, for a buy of the last token, what is left to spend. */
type Price = Readonly<{ tokenAmount: bigint; quoteAmount: bigint; left: bigint }>

function buyPrice({ virtualTokens, virtualQuote, realTokens }: PumpfunReserves, spendable: bigint): Price {
  const wanted = (spendable * virtualTokens) / (virtualQuote + spendable)
  const tokenAmount = wanted >= realTokens ? realTokens : wanted
  // The program rounds the price of a buy up.
  const quoteAmount = (tokenAmount * virtualQuote) / (virtualTokens - tokenAmount) + 1n
  return { tokenAmount, quoteAmount, left: wanted >= realTokens ? spendable - quoteAmount : 0n }
}

/** Undefined if the curve has not raised that much. */
function sellPrice({ virtualTokens, virtualQuote, realQuote }: PumpfunReserves, tokenAmount: bigint): Price {
  const quoteAmount = (tokenAmount * virtualQuote) / (virtualTokens + tokenAmount)
  return { tokenAmount, quoteAmount: quoteAmount > realQuote ? 0n : quoteAmount, left: 0n }
}

/** The part of the pool's tokens that a completing buy takes for what is left to spend. */
function buyBeyond(after: PumpfunReserves, left: bigint): Beyond | null {
  if (after.realTokens > 0n || left <= 1n) return null
  const poolQuote = after.realQuote - PUMPFUN_MIGRATION_FEE
  const base = ((left - 1n) * UNSOLD_BY_CURVE) / (poolQuote + left - 1n)
  if (base <= 0n) return null
  return { base, quote: left, poolBase: UNSOLD_BY_CURVE - base, poolQuote: poolQuote + left }
}

/** Tokens that the curve keeps for its future pool. */
const UNSOLD_BY_CURVE = PUMPFUN_SUPPLY - REAL_TOKENS
