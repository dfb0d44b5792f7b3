import type { Call, TokenMovement } from '@pairwire/chain-writer'
import type { DecodedNewPair, DecodedSwap } from '@pairwire/decoders'
import type { Token } from './accounts.ts'

/** A trade that a trader wants of a venue. */
export type Order = Readonly<{
  /** Of the base token, seen from the trader. */
  side: 'buy' | 'sell'
  /** Raw units that the trader is ready to give. */
  amountIn: bigint
  /** Who allows it: the trader, or a router's account. */
  authority: Uint8Array
  /** Accounts of the base and of the quote token. */
  baseAccount: Uint8Array
  quoteAccount: Uint8Array
  /** Base58 of whom the stream names. */
  walletAddress: string
  /** Unix seconds. */
  timestamp: number
}>

/** A trade worked out but not yet made. */
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

/** What makes a venue, and brings its first liquidity. */
export type Creation = Readonly<{
  calls: readonly Call[]
  meant: DecodedNewPair
  /** The venue's own token accounts. */
  movements: readonly TokenMovement[]
}>

/** A fee as the programs round it: up. */
export function ceilFee(amount: bigint, basisPoints: bigint): bigint {
  return (amount * basisPoints + 9_999n) / 10_000n
}

/** Somewhere to trade: a curve or a pool. */
export type Venue = {
  readonly base: Token
  readonly quote: Token
  /** The pool's or curve's own address. */
  readonly address: Uint8Array
  /** Whether a trader's SOL moves as lamports, without being wrapped. */
  readonly takesLamports: boolean
  /** How often it is traded, beside the others. */
  heat: number
  /** Chance of a buy. */
  mood: number
  /** Raw units of base and quote by which its price is made: what trade sizes are measured by. */
  depth(): Readonly<{ base: bigint; quote: bigint }>
  /** Undefined when nothing can be traded for this amount, or at all any more. */
  fill(order: Order): Fill | undefined
}
