import type { TokenMovement } from '@pairwire/chain-writer'
import { encodeBase58, type Launchpad } from '@pairwire/contract'
import type { CurveState } from '@pairwire/decoders'
import { type Account, createAccount, movementOf, type Token } from './accounts.ts'
import { knownToken, meantPair, meantSwap } from './meant.ts'
import {
  formOf,
  type OrderedReserves,
  type PoolAccounts,
  type PoolForm,
  type PoolKind,
} from './pool-forms.ts'
import type { Random } from './random.ts'
import { type Creation, ceilFee, type Fill, type Order, type Venue } from './venue.ts'

/** What {@link Pool.create} needs; accounts and amounts of the stream's base and quote. */
type PoolOpening = Readonly<{
  creator: Uint8Array
  creatorBase: Uint8Array
  creatorQuote: Uint8Array
  timestamp: number
  migration: 'raydium_launchpad' | null
  /** Null if the creating call names no platform. */
  launchpad: Launchpad | null
}>

/** A pool's raw reserves of the stream's base and quote. */
type Reserves = Readonly<{ base: bigint; quote: bigint }>

/** The fee that stays in the pool. */
const FEE_BASIS_POINTS = 25n

/** A pool of two vaults whose price is the ratio of their contents. */
export class Pool implements Venue {
  readonly base: Token
  readonly quote: Token
  readonly address: Uint8Array
  readonly takesLamports = false
  heat = 1
  mood = 0.5
  readonly accounts: PoolAccounts
  readonly baseVault: Uint8Array
  readonly quoteVault: Uint8Array
  readonly #random: Random
  readonly #form: PoolForm
  readonly #account: Account
  readonly #isBaseFirst: boolean
  #reserves: Reserves

  /** Creates one of this kind that holds `amounts`. */
  constructor(random: Random, kind: PoolKind, base: Token, quote: Token, amounts: Reserves) {
    this.#random = random
    this.#form = formOf(kind)
    const { first } = this.#form
    this.#isBaseFirst = first === 'smallerKey' ? Buffer.compare(base.key, quote.key) < 0 : first === 'base'
    this.#reserves = amounts
    this.#account = createAccount(random)
    this.base = base
    this.quote = quote
    this.address = this.#account.key
    const [tokenA, tokenB] = this.#inOrder(base, quote)
    const [vaultA, vaultB] = [random.bytes(32), random.bytes(32)]
    this.accounts = {
      ...{ pool: this.address, tokenA, tokenB, vaultA, vaultB },
      ...{ lpMint: random.bytes(32), other: random.bytes(32) },
    }
    ;[this.baseVault, this.quoteVault] = this.#inOrder(vaultA, vaultB)
  }

  depth(): Reserves {
    return this.#reserves
  }

  /** Makes the calls that create and fill it. */
  create({ creator, creatorBase, creatorQuote, timestamp, launchpad, migration }: PoolOpening): Creation {
    const { exchange, isFilledAtCreation = true, namesCreator, writeCreate } = this.#form
    const amounts = this.#reserves
    const [creatorA, creatorB] = this.#inOrder(creatorBase, creatorQuote)
    const [amountA, amountB] = this.#inOrder(amounts.base, amounts.quote)
    const creation = { pool: this.accounts, creator, creatorA, creatorB, amountA, amountB, timestamp }
    return {
      calls: writeCreate(creation, this.#random),
      meant: meantPair(knownToken(this.base), this.quote, {
        ...{ exchange, launchpad, ammAccount: this.#account.address, migration },
        creator: namesCreator && !migration ? encodeBase58(creator) : null,
        amounts: isFilledAtCreation ? amounts : { base: 0n, quote: 0n },
      }),
      movements: this.#movements(null, amounts),
    }
  }

  fill(order: Order): Fill | undefined {
    const reserves = this.#reserves
    const { amountIn } = order
    const isSell = order.side === 'sell'
    const [reserveIn, reserveOut] = isSell ? [reserves.base, reserves.quote] : [reserves.quote, reserves.base]
    const fee = ceilFee(amountIn, FEE_BASIS_POINTS)
    const counted = amountIn - fee
    const amountOut = counted > 0n ? (reserveOut * counted) / (reserveIn + counted) : 0n
    if (amountOut <= 0n) return undefined

    const after = isSell
      ? { base: reserves.base + amountIn, quote: reserves.quote - amountOut }
      : { base: reserves.base - amountOut, quote: reserves.quote + amountIn }
    const swap = {
      ...{ pool: this.accounts, user: order.authority, amountIn, amountOut, fee },
      isAIn: isSell === this.#isBaseFirst,
      inputAccount: isSell ? order.baseAccount : order.quoteAccount,
      outputAccount: isSell ? order.quoteAccount : order.baseAccount,
      before: this.#ordered(reserves),
      after: this.#ordered(after),
    }
    const { exchange, hidesReserve, statesReserves, threshold, writeSwap } = this.#form
    return {
      call: writeSwap(swap, this.#random),
      amountIn,
      amountOut,
      meant: meantSwap(this, order, {
        ...{ exchange, launchpad: null, ammAccount: this.#account.address },
        baseAmount: isSell ? amountIn : amountOut,
        quoteAmount: isSell ? amountOut : amountIn,
        quoteTokenLiquidity: hidesReserve ? null : after.quote,
        baseTokenLiquidity: statesReserves ? after.base : null,
        curve: threshold === undefined ? null : curveOf(after.quote, threshold, isSell),
      }),
      movements: this.#movements(reserves, after),
      commit: () => {
        this.#reserves = after
      },
    }
  }

  /** Converts between the stream's order and the program's. */
  #inOrder<Item>(one: Item, other: Item): readonly [Item, Item] {
    return this.#isBaseFirst ? [one, other] : [other, one]
  }

  #ordered({ base, quote }: Reserves): OrderedReserves {
    const [a, b] = this.#inOrder(base, quote)
    return { a, b }
  }

  /** Balance changes of both vaults; `before` is null at the creation. */
  #movements(before: Reserves | null, after: Reserves): readonly TokenMovement[] {
    const { vaultOwner } = this.#form
    return [
      movementOf(this.base, this.baseVault, vaultOwner, before?.base ?? null, after.base),
      movementOf(this.quote, this.quoteVault, vaultOwner, before?.quote ?? null, after.quote),
    ]
  }
}

/** A curve that tells what it raised and no reserves. */
function curveOf(amount: bigint, of: bigint, isSell: boolean): CurveState {
  return {
    ...{ filled: { amount, of }, isComplete: !isSell && amount >= of },
    ...{ virtualBase: null, virtualQuote: null },
  }
}
