import {
  ByteWriter,
  type Call,
  TOKEN_PROGRAM,
  type TokenMovement,
  writeLamportTransfer,
  writeTransaction,
} from '@pairwire/chain-writer'
import { decodeBase58, encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import type { Transaction } from '@pairwire/decoders'
import { type Account, holdingOf, movementOf, type Token } from './accounts.ts'
import type { Meant } from './meant.ts'
import type { Random } from './random.ts'
import type { Creation, Fill, Venue } from './venue.ts'

/** A transaction of the market and the events that it means; none when it failed. */
export type Composed = Readonly<{ transaction: Transaction; meant: readonly Meant[] }>

/** The position and time of a transaction. */
export type Place = Readonly<{ slot: number; blockTime: number; index: number }>

const COMPUTE_BUDGET = decodeBase58('ComputeBudget111111111111111111111111111111')!

/** One trader's accounts for a trade, and how they are opened and closed. */
type Trader = Readonly<{
  wallet: Account
  baseAccount: Uint8Array
  quoteAccount: Uint8Array
}>

/** Applies a transaction to the market; not called for a failed one. */
type Settle = () => void

/** A leg of a route, with its input and output tokens. */
export type RoutedFill = Readonly<{ venue: Venue; fill: Fill; given: Token; got: Token }>

/** Collects the calls, balances and meaning of one transaction. */
export class Composer {
  readonly #random: Random
  readonly #signers: readonly Uint8Array[]
  readonly #before: Call[]
  readonly #calls: Call[] = []
  readonly #after: Call[] = []
  readonly #movements = new Map<Uint8Array, TokenMovement>()
  readonly #meant: Meant[] = []

  constructor(random: Random, signers: readonly Uint8Array[]) {
    this.#random = random
    this.#signers = signers
    this.#before = [computeUnitPrice(random)]
  }

  /** Adds a call unchanged. */
  call(call: Call): void {
    this.#calls.push(call)
  }

  /** Adds the calls that create a venue, with their events and balances. */
  create({ calls, meant, movements }: Creation): void {
    this.#calls.push(...calls)
    this.#meant.push(meant)
    for (const movement of movements) this.move(movement)
  }

  /** Records a balance outside the population. */
  move(movement: TokenMovement): void {
    const first = this.#movements.get(movement.account)
    this.#movements.set(movement.account, first ? { ...movement, before: first.before } : movement)
  }

  /** Returns the accounts that `wallet` trades with at `venue`; SOL is wrapped before and unwrapped after. */
  trader(venue: Venue, wallet: Account): Trader {
    const accountOf = (token: Token) => {
      if (token.address !== WRAPPED_SOL) return holdingOf(token, wallet, this.#random).account
      return venue.takesLamports ? wallet.key : this.#random.bytes(32)
    }
    return { wallet, baseAccount: accountOf(venue.base), quoteAccount: accountOf(venue.quote) }
  }

  /** Adds a trade with its balances, `wrapped` in another program's call if given. */
  trade(venue: Venue, trader: Trader, side: 'buy' | 'sell', fill: Fill, wrapped: Call = fill.call): Settle {
    const [given, got] = side === 'buy' ? [venue.quote, venue.base] : [venue.base, venue.quote]
    return this.route(trader, wrapped, [{ venue, fill, given, got }])
  }

  /** Records the balances of the account that fills a new pool. */
  deposit(venue: Venue, trader: Trader, amounts: Readonly<{ base: bigint; quote: bigint }>): Settle {
    const settleBase = this.#pay(venue, trader, venue.base, -amounts.base)
    const settleQuote = this.#pay(venue, trader, venue.quote, -amounts.quote)
    return () => {
      settleBase()
      settleQuote()
    }
  }

  /** Adds a route over several pools: one call, with the balances at both ends. */
  route(trader: Trader, call: Call, legs: readonly RoutedFill[]): Settle {
    const first = legs[0]!
    const last = legs.at(-1)!
    for (const { fill } of legs) for (const movement of fill.movements) this.move(movement)
    const settleGiven = this.#pay(first.venue, trader, first.given, -first.fill.amountIn)
    const settleGot = this.#pay(last.venue, trader, last.got, last.fill.amountOut)
    this.#calls.push(call)
    for (const { fill } of legs) this.#meant.push(fill.meant)
    return () => {
      for (const { fill } of legs) fill.commit()
      settleGiven()
      settleGot()
    }
  }

  /** Returns the transaction at its position. */
  finish(place: Place, failed = false): Composed {
    const transaction = writeTransaction({
      signature: this.#random.bytes(64),
      ...place,
      failed,
      signers: this.#signers,
      calls: [...this.#before, ...this.#calls, ...this.#after],
      movements: [...this.#movements.values()],
    })
    return { transaction, meant: failed ? [] : this.#meant.map((event) => this.#completed(event)) }
  }

  /** An event with what only the whole transaction tells. */
  #completed(event: Meant): Meant {
    if (event.kind === 'newPair')
      return { ...event, creator: event.creator ?? encodeBase58(this.#signers[0]!) }
    const own = [...this.#movements.values()].filter(
      ({ mint, owner }) => mint === event.baseTokenMint && owner === event.walletAccount,
    )
    const sum = own.reduce((all, { after }) => all + (after ?? 0n), 0n)
    return { ...event, walletBalance: own.length === 0 ? null : String(sum) }
  }

  /** Changes a trader's own balance of `token`; SOL is wrapped before the calls or unwrapped after them. */
  #pay(venue: Venue, trader: Trader, token: Token, change: bigint): Settle {
    if (token.address !== WRAPPED_SOL) {
      const holding = holdingOf(token, trader.wallet, this.#random)
      const amount = holding.amount + change
      this.move(movementOf(token, holding.account, holding.wallet.address, holding.amount, amount))
      return () => {
        holding.amount = amount
      }
    }
    if (venue.takesLamports) return () => undefined
    const account = token === venue.base ? trader.baseAccount : trader.quoteAccount
    if (change < 0n) this.#before.push(...wrap(trader.wallet.key, account, -change))
    this.#after.push(closeAccount(account, trader.wallet.key))
    return () => undefined
  }
}

/** The compute budget's `SetComputeUnitPrice`, tag 3, in micro-lamports. */
function computeUnitPrice(random: Random): Call {
  return {
    program: COMPUTE_BUDGET,
    accounts: [],
    data: new ByteWriter(9)
      .u8(3)
      .u64(BigInt(1_000 + random.integer(500_000)))
      .finish(),
  }
}

/** Sends lamports to a token account of wrapped SOL, then `SyncNative`, tag 17. */
function wrap(wallet: Uint8Array, account: Uint8Array, lamports: bigint): Call[] {
  return [
    writeLamportTransfer(wallet, account, lamports),
    { program: TOKEN_PROGRAM, accounts: [account], data: Uint8Array.of(17) },
  ]
}

/** `CloseAccount`, tag 9: the remaining wrapped SOL goes back to the wallet. */
function closeAccount(account: Uint8Array, wallet: Uint8Array): Call {
  return { program: TOKEN_PROGRAM, accounts: [account, wallet, wallet], data: Uint8Array.of(9) }
}
