import type { Exchange, Launchpad } from '@pairwire/contract/exchanges'
import type { Migration } from './programs/migration.ts'
import type { Refused } from './refused.ts'
import type { Invocation } from './transaction/invocation.ts'
import type { Position } from './transaction/transaction.ts'

/** What turns the instructions of one program into events. It knows its own program and no other. */
export type Decoder = Readonly<{
  exchange: Exchange
  /** Base58; more than one where the same program stands at several addresses. */
  programIds: readonly string[]
  /** Bytes that name an instruction; 8 as Anchor has it where this is absent. */
  discriminatorBytes?: number
  /**
   * What an instruction of this program did; `undefined` when it was neither a trade nor a creation. An
   * instruction that touches several pools gives one for each, in order, and in the place of one that the record
   * does not prove its refusal. `unknown` of a program whose calls are not all known: it may have been a trade, which
   * is counted and no refusal.
   *
   * @throws Refused, TruncatedError when it may have been one and the record does not prove it.
   */
  decode(invocation: Invocation): Outcome | readonly (Outcome | Refused)[] | 'unknown' | undefined
}>

/** What an instruction did to one pool. */
export type Outcome = PoolTrade | PoolCreation

/** One side of a pool. */
type PoolSide = Readonly<{
  /** Base58. */
  mint: string
  /** Raw units that the pool took in or gave out, or received at its creation. */
  amount: bigint
  /** Where the program itself fixes them; absent or null to look them up in the record. */
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
  /** Of a curve; absent where it is not known. */
  launchpad?: Launchpad | null
  /** Where it happened, if other calls of ours may stand between this instruction and it. */
  at?: Position
}>

/** One side of a trade. */
export type TradeSide = PoolSide &
  Readonly<{
    /** Raw units in the pool after the trade; absent or null when the program does not say. */
    reserve?: bigint | null
    /** Index of the vault's key, whose balance stands in for the reserve; absent or null for none. */
    vault?: number | null
  }>

/** A new pool or curve in the program's own order of base and quote, before the mint rule. */
export type PoolCreation = Readonly<{
  kind: 'creation'
  pool: string
  base: CreationSide
  quote: CreationSide
  migration?: Pick<Migration, 'source' | 'launchpad'> | null
  /** Of a curve; absent where it is not known. A migrated pool's is its migration's. */
  launchpad?: Launchpad | null
}>

/** One side of a new pool. */
export type CreationSide = PoolSide &
  Readonly<{
    /** What the program itself says of the token; the rest is read from the transaction. */
    name?: string
    symbol?: string
    uri?: string
    /** Raw units made, for a launchpad that makes them all at once and gives up the right to make more. */
    supply?: bigint
  }>
