import type { Exchange, Launchpad } from '@pairwire/contract/exchanges'
import type { CurveState } from './decoded.ts'
import type { Migration } from './programs/migration.ts'
import type { Refused } from './refused.ts'
import type { Invocation } from './transaction/invocation.ts'
import type { Position } from './transaction.ts'

/** Turns the instructions of one program into events. It knows only its own program. */
export type Decoder = Readonly<{
  exchange: Exchange
  /** Base58; several if the same program has several addresses. */
  programIds: readonly string[]
  /** Bytes of a discriminator; 8, as in Anchor, by default. */
  discriminatorBytes?: number
  /**
   * Returns what an instruction of this program did; `undefined` when it was neither a trade nor a creation. An
   * instruction on several pools returns one outcome for each, in order, with a refusal for one that the record does
   * not prove. `unknown` is for a program whose calls are not all known: it may have been a trade, and is counted
   * without a refusal.
   *
   * @throws Refused, TruncatedError when it may have been one and the record does not prove it.
   */
  decode(invocation: Invocation): Outcome | readonly (Outcome | Refused)[] | 'unknown' | undefined
}>

/** The effect of an instruction on one pool. */
export type Outcome = PoolTrade | PoolCreation

/** One side of a pool. */
type PoolSide = Readonly<{
  /** Base58. */
  mint: string
  /** Raw units that the pool took in or gave out, or received at its creation. */
  amount: bigint
  /** Set if the program fixes them; absent or null to look them up in the record. */
  decimals?: number | null
}>

/** A trade in the program's own order of base and quote, before the mint rule. */
export type PoolTrade = Readonly<{
  kind: 'trade'
  pool: string
  wallet: string
  base: TradeSide
  quote: TradeSide
  /** Whether the pool gave out the program's base. */
  givesBase: boolean
  /** Of a curve; absent if unknown. */
  launchpad?: Launchpad | null
  /** Of a curve, if the program tells. */
  curve?: CurveState | undefined
  /** Its position, if other calls of ours may come between this instruction and it. */
  at?: Position
}>

/** One side of a trade. */
export type TradeSide = PoolSide &
  Readonly<{
    /** Raw units in the pool after the trade; absent or null when the program does not report them. */
    reserve?: bigint | null
    /** Index of the vault's key, whose balance replaces the reserve; absent or null for none. */
    vault?: number | null
  }>

/** A new pool or curve in the program's own order of base and quote, before the mint rule. */
export type PoolCreation = Readonly<{
  kind: 'creation'
  pool: string
  base: CreationSide
  quote: CreationSide
  migration?: Pick<Migration, 'source' | 'launchpad'> | null
  /** Of a curve; absent if unknown. A migrated pool's is its migration's. */
  launchpad?: Launchpad | null
  /** Base58, if the program names a creator. */
  creator?: string | undefined
  /** Of a curve, if the program tells. */
  curve?: CurveState
}>

/** One side of a new pool. */
export type CreationSide = PoolSide &
  Readonly<{
    /** The program's own details of the token; others are read from the transaction. */
    name?: string
    symbol?: string
    uri?: string
    /** Raw units created, for a launchpad that creates them all at once and gives up minting. */
    supply?: bigint
  }>
