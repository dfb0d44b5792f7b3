import type { Call, TokenMovement } from '@pairwire/chain-writer'
import type { DecodedNewPair, DecodedSwap } from '@pairwire/decoders'
import type { Token } from './accounts.ts'

/** A trade that a trader requests at a venue. */
export type Order = Readonly<{
  /** Side of the base token, seen from the trader. */
  side: 'buy' | 'sell'
  /** Raw units that the trader offers. */
  amountIn: bigint
  /** The authority: the trader, or a router's account. */
  authority: Uint8Array
  /** Accounts of the base and of the quote token. */
  baseAccount: Uint8Array
  quoteAccount: Uint8Array
  /** Base58 of the wallet in the stream. */
  walletAddress: string
  /** Unix seconds. */
  timestamp: number
}>

/** A computed trade that is not made yet. */
export type Fill = Readonly<{
  call: Call
  /** Raw units that the trader gave and got, fees included. */
  amountIn: bigint
  amountOut: bigint
  meant: DecodedSwap
  /** The venue's own token accounts. */
  movements: readonly TokenMovement[]
  /** Makes it: the venue's reserves become those after the trade. */
  commit(): void
}>

/** The creation of a venue, with its first liquidity. */
export type Creation = Readonly<{
  calls: readonly Call[]
  meant: DecodedNewPair
  /** The venue's own token accounts. */
  movements: readonly TokenMovement[]
}>

/** Rounds a fee up, as the programs do. */
export function ceilFee(amount: bigint, basisPoints: bigint): bigint {
  return (amount * basisPoints + 9_999n) / 10_000n
}

/** A curve or a pool. */
export type Venue = {
  readonly base: Token
  readonly quote: Token
  /** The pool's or curve's own address. */
  readonly address: Uint8Array
  /** Whether a trader's SOL moves as lamports, without being wrapped. */
  readonly takesLamports: boolean
  /** Relative frequency of its trades. */
  heat: number
  /** Probability of a buy. */
  mood: number
  /** Raw units of base and quote that set its price; trade sizes are relative to them. */
  depth(): Readonly<{ base: bigint; quote: bigint }>
  /** Undefined when the amount buys nothing, or the venue is closed. */
  fill(order: Order): Fill | undefined
}
