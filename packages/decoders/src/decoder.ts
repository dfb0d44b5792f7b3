import type { Exchange, MigrationSource } from '@pairwire/contract/exchanges'
import type { Invocation } from './invocation.ts'

/** What turns the instructions of one program into events. It knows its own program and no other. */
export type Decoder = Readonly<{
  exchange: Exchange
  /** Base58. */
  programId: string
  /**
   * What an instruction of this program did; `undefined` when it was neither a trade nor a creation.
   *
   * @throws Refused, TruncatedError when it may have been one and the record does not prove it.
   */
  decode(invocation: Invocation): PoolTrade | PoolCreation | undefined
}>

/** One side of a pool. */
export type PoolSide = Readonly<{
  /** Base58. */
  mint: string
  /** Raw units that the pool took in or gave out, or received at its creation. */
  amount: bigint
  /** Where the program itself fixes them; null to look them up in the record. */
  decimals: number | null
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
}>

/** One side of a trade. */
export type TradeSide = PoolSide &
  Readonly<{
    /** Raw units in the pool after the trade; null when the program does not say. */
    reserve: bigint | null
    /** Index of the vault's key, whose balance stands in for the reserve; null for none. */
    vault: number | null
  }>

/** A new pool or curve in the program's own order of base and quote, before the mint rule. */
export type PoolCreation = Readonly<{
  kind: 'creation'
  pool: string
  base: CreationSide
  quote: CreationSide
  migration: MigrationSource | null
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
