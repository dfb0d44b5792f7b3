import type { Exchange, Launchpad, MigrationSource } from '@pairwire/contract/exchanges'
import type { RefusalReason } from './refused.ts'
import type { TokenChange } from './tokens/token-changes.ts'

/** One pool's trade in the stream's terms: quote chosen by the mint rule, amounts from the pool's side. */
export type DecodedSwap = Readonly<{
  kind: 'swap'
  exchange: Exchange
  /** Of a curve; null if unknown, and on pools. */
  launchpad: Launchpad | null
  /** Base58 of the pool or curve. */
  ammAccount: string
  baseTokenMint: string
  quoteTokenMint: string
  /** The swap's authority if it signed the transaction, else the fee payer. */
  walletAccount: string
  /** Side of the base token, seen from the wallet. */
  swapType: 'buy' | 'sell'
  /** Raw units, both above zero. */
  baseAmount: bigint
  quoteAmount: bigint
  baseDecimals: number
  quoteDecimals: number
  /** Raw quote units in the pool after this swap; null when the transaction does not tell. */
  quoteTokenLiquidity: bigint | null
  /** Raw base units in the pool after this swap; null when the program's own event of the swap does not tell. */
  baseTokenLiquidity: bigint | null
  /**
   * Raw base units in all accounts of the wallet after the transaction, in the record's own digits, since nobody counts
   * with them; null when the record does not tell.
   */
  walletBalance: string | null
  /** The curve after this swap; null on pools. */
  curve: CurveState | null
}>

/** A bonding curve after a swap or its creation; members are null when the program does not tell. */
export type CurveState = Readonly<{
  /** How much was sold or raised so far, and at how much the curve is complete: raw units of one token. */
  filled: Readonly<{ amount: bigint; of: bigint }> | null
  /** Whether this swap completed it. */
  isComplete: boolean | null
  /** Raw units: their quotient is the price. */
  virtualBase: bigint | null
  virtualQuote: bigint | null
}>

/** First appearance of a pool or curve. */
export type DecodedNewPair = Readonly<{
  kind: 'newPair'
  exchange: Exchange
  /** Of a curve and of a pool that it opened; null if none or unknown. */
  launchpad: Launchpad | null
  ammAccount: string
  baseToken: DecodedToken
  quoteToken: DecodedToken
  /** Raw units that the pool's vaults received at creation. */
  baseTokenLiquidityAdded: bigint
  quoteTokenLiquidityAdded: bigint
  migration: MigrationSource | null
  /** Base58: who the program names as the creator, else who pays for the transaction; null when the record names nobody. */
  creator: string | null
  /** The curve at its creation, before any trade; null for a pool. */
  curve: CurveState | null
}>

/** A token of a new pair with the details in its own transaction; members are null if missing. */
export type DecodedToken = Readonly<{
  mint: string
  decimals: number | null
  /** Raw units in existence after the transaction. */
  supply: bigint | null
  name: string | null
  symbol: string | null
  uri: string | null
  /** Base58, null for none: both are valid only when `supply` is known. */
  mintAuthority: string | null
  freezeAuthority: string | null
}>

/** A decoded event. */
export type DecodedEvent = DecodedSwap | DecodedNewPair

/** Bytes of a known program that gave no event although they may have meant one; counted, never guessed. */
export type Refusal = Readonly<{
  exchange: Exchange
  /** `top` or `top.inner` index of the instruction. */
  path: string
  reason: RefusalReason
}>

/** Everything decoded from one transaction, events in order of execution. */
export type Decoded = Readonly<{
  events: readonly DecodedEvent[]
  refusals: readonly Refusal[]
  /** Tokens that it created or changed, each once; absent if there are none. */
  tokens?: readonly TokenChange[]
}>
