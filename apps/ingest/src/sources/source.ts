import type { LiveSourceState } from '@pairwire/contract'
import type { Decoded, Transaction } from '@pairwire/decoders'
import type { BlockTransaction, Decode, DecodedTransaction } from '../slot-keeper/block-transaction.ts'

/** Where transactions come from. */
export type Source<
  Entry extends Block<BlockTransaction> | Arrivals | Gap = Block<BlockTransaction> | Arrivals | Gap,
> = Readonly<{
  /** Whether its data is made up: then every page and every subscribe's answer says so. */
  simulated: boolean
  /** Whether its block times are of another day; how far they lie behind the clock then says nothing. */
  isRecording?: boolean
  /**
   * Whether it gives {@link Arrivals} and no blocks: then its events have no place in the chain, and so no cursor that
   * a client could resume from.
   */
  inOrderOfArrival?: boolean
  /**
   * Blocks in chain order, and what could not be had between them, until `signal` aborts or the source ends. A live
   * chain goes on behind `keptSlot`, up to where an earlier process published and kept it, where that is known. A source
   * may decode by `decode` what comes long before its block does, and tell `early` of what is not confirmed yet, if it
   * knows of that.
   */
  blocks(signal: AbortSignal, keptSlot?: number, decode?: Decode, early?: EarlySink): AsyncIterable<Entry>
  /** How it is; undefined for a source that cannot fail but by ending. */
  status?(): SourceStatus
}>

/** Takes what a source tells ahead of confirmation, in order of arrival. */
export type EarlySink = Readonly<{
  /** Whether anybody wants it; if nobody does, nothing need be told. */
  isWanted(): boolean
  /** A transaction was executed; `blockTime` as it will be about, Unix seconds. */
  executed(bank: Bank & Readonly<{ blockTime: number }>, transaction: DecodedTransaction): void
  /** A bank died; 0 means all of this source and slot. */
  died(bank: Bank): void
}>

/** One execution of a slot: several sources, and several banks of one of them, may have one each. */
export type Bank = Readonly<{
  run: number
  slot: number
  /** A number for each endpoint. */
  source: number
  /** 0 where it does not say. */
  bank: number
}>

/** The run of a live chain: its slots never start again. */
export const LIVE_RUN = 0

/** The transactions of one slot that may matter, in the order of execution. Slots rise within a run. */
export type Block<Held extends BlockTransaction = Transaction> = Readonly<{
  /** Rises whenever slots may start again from an earlier one; {@link LIVE_RUN} for a live chain. */
  run: number
  /** Names it to everybody who reads the same chain: `slot:blockhash`. Blocks that nobody else has need none. */
  id?: string
  slot: number
  /** What the chain names it and the one before it by; each where its source says so. */
  hashes?: Readonly<{ blockhash?: string; parentBlockhash?: string }>
  /** Unix seconds. */
  blockTime: number
  transactions: readonly Held[]
}>

/** What became known of one slot, in order of arrival: more of it may follow, also behind later slots. */
export type Arrivals = Readonly<{
  slot: number
  /** Unix seconds. */
  blockTime: number
  arrived: readonly ArrivedTransaction[]
  /** Whether it is the last of its slot, but for what comes late. */
  endsSlot: boolean
}>

/** A transaction that the source has decoded itself, as it is never whole. */
export type ArrivedTransaction = Readonly<{
  /** 64 bytes. */
  signature: Uint8Array
  decoded: Decoded
}>

/** Slots that could not be had, both inclusive; what follows goes on behind them. */
export type Gap = Readonly<{ run: number; fromSlot: number; toSlot: number }>

/** How a source of the live chain is, and whether blocks are coming. */
export type SourceStatus = LiveSourceState & Readonly<{ up: boolean }>
