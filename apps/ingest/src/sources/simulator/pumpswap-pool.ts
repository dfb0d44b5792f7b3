import {
  PUMPSWAP_FEE_BASIS_POINTS,
  type PumpswapPool,
  writePumpswapCreatePool,
  writePumpswapSweep,
  writePumpswapTrade,
} from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { type Account, createAccount, movementOf, type Token } from './accounts.ts'
import { knownToken, meantPair, meantSwap } from './meant.ts'
import type { Random } from './random.ts'
import { type Creation, ceilFee, type Fill, type Order, type Venue } from './venue.ts'

/** Share of trades since October 2026 that leave their fees in the vault; the rest pay them out as before. */
const SHARE_OF_KEPT_FEES = 0.8

/** Raw units of base and quote. */
type Amounts = Readonly<{ base: bigint; quote: bigint }>

/** The reserves that set the price, and the balances of the fee earners' accounts. */
type Reserves = Amounts & Readonly<{ protocol: bigint; creator: bigint }>

/** Fees waiting in the quote vault. */
type Waiting = Readonly<{ protocol: bigint; creator: bigint }>

/** The parts of a pool that trades change. */
type State = Readonly<{
  reserves: Reserves
  /** The quote reserve minus its vault; negative if fees wait there. */
  virtualQuote: bigint
  waiting: Waiting
}>

/** A pool's creator, with the accounts that fill it. */
type Creator = Readonly<{ creator: Uint8Array; creatorBase: Uint8Array; creatorQuote: Uint8Array }>

/** A pool on PumpSwap. */
export class PumpswapVenue implements Venue {
  readonly base: Token
  readonly quote: Token
  readonly accounts: PumpswapPool
  readonly address: Uint8Array
  readonly takesLamports = false
  heat = 1
  mood = 0.5
  readonly #random: Random
  readonly #account: Account
  readonly #isReversed: boolean
  readonly #programTokens: readonly [base: Token, quote: Token]
  #state: State

  /**
   * A pool with these raw reserves. `isReversed` makes wrapped SOL the program's base, as in some users' pools; the
   * stream's base is still the other token. `creator` made the coin, if that is known.
   */
  constructor(
    random: Random,
    base: Token,
    quote: Token,
    amounts: Amounts,
    { isReversed = false, creator = random.bytes(32) }: { isReversed?: boolean; creator?: Uint8Array } = {},
  ) {
    this.#random = random
    this.#account = createAccount(random)
    this.#isReversed = isReversed
    this.#programTokens = isReversed ? [quote, base] : [base, quote]
    this.base = base
    this.quote = quote
    this.address = this.#account.key
    const [programBase, programQuote] = this.#programTokens
    this.accounts = {
      pool: this.address,
      base: programBase,
      quote: programQuote,
      baseVault: random.bytes(32),
      quoteVault: random.bytes(32),
      lpMint: random.bytes(32),
      coinCreator: creator,
      creatorVault: random.bytes(32),
      protocolVault: random.bytes(32),
    }
    const reserves = { ...this.#inOrder(amounts), protocol: 1_000_000n, creator: 1_000_000n }
    this.#state = { reserves, virtualQuote: 0n, waiting: { protocol: 0n, creator: 0n } }
  }

  depth(): Amounts {
    const { base, quote } = this.#inOrder(this.#state.reserves)
    return { base, quote }
  }

  /**
   * `create_pool` as pump.fun's migration calls it; `boost` of the quote is set aside in an account of the pool, for
   * buying its coin back.
   */
  create(
    creator: Creator,
    timestamp: number,
    boost: Readonly<{ vault: Uint8Array; amount: bigint }>,
  ): Creation {
    const { reserves } = this.#state
    const { baseVault, quoteVault } = this.accounts
    const { address } = this.#account
    this.#state = { ...this.#state, virtualQuote: boost.amount }
    const call = writePumpswapCreatePool({
      ...{ pool: this.accounts, ...creator, timestamp, creatorLp: this.#random.bytes(32), index: 0 },
      ...{ baseAmount: reserves.base, quoteAmount: reserves.quote },
    })
    return {
      calls: [call],
      meant: meantPair(knownToken(this.base), this.quote, {
        ...{ exchange: 'pumpswap', launchpad: 'pumpfun', ammAccount: address, migration: 'pumpfun' },
        creator: encodeBase58(this.accounts.coinCreator),
        amounts: this.depth(),
      }),
      movements: [
        movementOf(this.base, baseVault, address, null, reserves.base),
        movementOf(this.quote, quoteVault, address, null, reserves.quote - boost.amount),
        movementOf(this.quote, boost.vault, address, null, boost.amount),
      ],
    }
  }

  fill(order: Order): Fill | undefined {
    const { reserves, virtualQuote, waiting } = this.#state
    const isReversed = this.#isReversed
    const isBuy = (order.side === 'buy') !== isReversed
    const { lp, protocol, creator } = PUMPSWAP_FEE_BASIS_POINTS
    const isExactIn = this.#random.chance(0.25)
    const keepsFees = this.#random.chance(SHARE_OF_KEPT_FEES)

    const { baseAmount, quoteAmount } = isBuy
      ? buyPrice(reserves, (order.amountIn * 10_000n) / (10_000n + lp + protocol + creator))
      : sellPrice(reserves, order.amountIn)
    const fees = {
      lp: ceilFee(quoteAmount, lp),
      protocol: ceilFee(quoteAmount, protocol),
      creator: ceilFee(quoteAmount, creator),
      buyback: keepsFees ? ceilFee(quoteAmount, protocol) / 2n : 0n,
    }
    const sign = isBuy ? 1n : -1n
    const usersQuote = quoteAmount + sign * (fees.lp + fees.protocol + fees.creator)
    if (baseAmount <= 0n || usersQuote <= 0n) return undefined
    // The change of the pool's own reserves.
    const vaultQuote = quoteAmount + sign * fees.lp

    const kept = keepsFees ? { protocol: fees.protocol - fees.buyback, creator: fees.creator } : NOTHING
    const after: State = {
      reserves: {
        base: reserves.base - sign * baseAmount,
        quote: reserves.quote + sign * vaultQuote,
        protocol: reserves.protocol + fees.protocol - kept.protocol,
        creator: reserves.creator + fees.creator - kept.creator,
      },
      virtualQuote: virtualQuote - kept.protocol - kept.creator,
      waiting: { protocol: waiting.protocol + kept.protocol, creator: waiting.creator + kept.creator },
    }
    const liquidity = this.#inOrder(after.reserves)
    const amounts = this.#inOrder({ base: baseAmount, quote: vaultQuote })
    return {
      call: writePumpswapTrade({
        ...{ pool: this.accounts, isBuy, isExactIn, keepsFees, baseAmount, quoteAmount, fees },
        user: order.authority,
        userBase: isReversed ? order.quoteAccount : order.baseAccount,
        userQuote: isReversed ? order.baseAccount : order.quoteAccount,
        baseVaultBefore: reserves.base,
        quoteVaultBefore: reserves.quote - virtualQuote,
        virtualQuoteReserve: virtualQuote,
        creatorFeeUnclaimed: after.waiting.creator,
        timestamp: order.timestamp,
      }),
      amountIn: isBuy ? usersQuote : baseAmount,
      amountOut: isBuy ? baseAmount : usersQuote,
      meant: meantSwap(this, order, {
        ...{ exchange: 'pumpswap', launchpad: null, ammAccount: this.#account.address },
        baseAmount: amounts.base,
        quoteAmount: amounts.quote,
        quoteTokenLiquidity: liquidity.quote,
        baseTokenLiquidity: liquidity.base,
        curve: null,
      }),
      ...this.#moved(after),
    }
  }

  /** Removes waiting fees from the vault, called by `payer`; undefined if there are none. */
  sweep(of: keyof Waiting, payer: Uint8Array, timestamp: number) {
    const { reserves, virtualQuote, waiting } = this.#state
    const amount = waiting[of]
    if (amount === 0n) return undefined
    const after = {
      reserves: { ...reserves, [of]: reserves[of] + amount },
      virtualQuote: virtualQuote + amount,
      waiting: { ...waiting, [of]: 0n },
    }
    const call = writePumpswapSweep({ pool: this.accounts, payer, of, amount, timestamp })
    return { call, ...this.#moved(after) }
  }

  /** Converts between the stream's order and the program's. */
  #inOrder({ base, quote }: Amounts): Amounts {
    return this.#isReversed ? { base: quote, quote: base } : { base, quote }
  }

  /** The balance changes on the way to another state, and the function that applies it. */
  #moved(after: State): Pick<Fill, 'movements' | 'commit'> {
    const { accounts } = this
    const [base, quote] = this.#programTokens
    const owner = this.#account.address
    const [from, to] = [balancesOf(this.#state), balancesOf(after)]
    const all = [
      movementOf(base, accounts.baseVault, owner, from.base, to.base),
      movementOf(quote, accounts.quoteVault, owner, from.quote, to.quote),
      movementOf(quote, accounts.protocolVault, FEE_OWNER, from.protocol, to.protocol),
      movementOf(quote, accounts.creatorVault, FEE_OWNER, from.creator, to.creator),
    ]
    const commit = () => {
      this.#state = after
    }
    return { movements: all.filter((each) => each.before !== each.after), commit }
  }
}

/** The balances of its token accounts. */
function balancesOf({ reserves, virtualQuote }: State): Reserves {
  return { ...reserves, quote: reserves.quote - virtualQuote }
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

/** Fee accounts may have any owner. */
const FEE_OWNER = WRAPPED_SOL
