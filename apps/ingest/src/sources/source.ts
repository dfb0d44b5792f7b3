import type { LiveSourceState } from '@pairwire/contract'
import type { Decoded, Transaction } from '@pairwire/decoders'
import type { BlockTransaction, Decode, DecodedTransaction } from '../slot-keeper/block-transaction.ts'

/** Where transactions come from. */
export type Source<
  Entry extends Block<BlockTransaction> | Arrivals | Gap = Block<BlockTransaction> | Arrivals | Gap,
> = Readonly<{
  /** Whether its data is made up: then every page and every subscribe's answer says so. */
  simulated: boolean
  /** Whether its block times are of another day; their distance from the clock is then meaningless. */
  isRecording?: boolean
  /**
   * Whether it yields {@link Arrivals} instead of blocks: its events then have no position in the chain, and so no
   * cursor that a client could resume from.
   */
  inOrderOfArrival?: boolean
  /**
   * Yields blocks in chain order, and the gaps between them, until `signal` aborts or the source ends. A live chain
   * continues after `keptSlot`, the last one that an earlier process published and kept, if known. A source may
   * `decode` transactions that arrive long before their block, and send unconfirmed ones to `early`, if it has any.
   */
  blocks(signal: AbortSignal, keptSlot?: number, decode?: Decode, early?: EarlySink): AsyncIterable<Entry>
  /** Returns its state; undefined for a source that fails only by ending. */
  status?(): SourceStatus
}>

/** Takes what a source sends ahead of confirmation, in order of arrival. */
export type EarlySink = Readonly<{
  /** Whether there are listeners; without any, nothing need be sent. */
  isWanted(): boolean
  /** A transaction was executed; `blockTime` is estimated, in Unix seconds. */
  executed(bank: Bank & Readonly<{ blockTime: number }>, transaction: DecodedTransaction): void
  /** A bank died; 0 means all of this source and slot. */
  died(bank: Bank): void
}>

/** One execution of a slot: several sources, and several banks of one of them, may each have one. */
export type Bank = Readonly<{
  run: number
  slot: number
  /** A number for each endpoint. */
  source: number
  /** 0 if it does not tell. */
  bank: number
}>

/** The run of a live chain: its slots never start over. */
export const LIVE_RUN = 0

/** The relevant transactions of one slot, in order of execution. Slots rise within a run. */
export type Block<Held extends BlockTransaction = Transaction> = Readonly<{
  /** Rises whenever slots may start over from an earlier one; {@link LIVE_RUN} for a live chain. */
  run: number
  /** Its id for every reader of the same chain: `slot:blockhash`. Blocks of a private chain need none. */
  id?: string
  slot: number
  /** The chain's hashes of it and its parent; each if its source tells. */
  hashes?: Readonly<{ blockhash?: string; parentBlockhash?: string }>
  /** Unix seconds. */
  blockTime: number
  transactions: readonly Held[]
}>

/** What became known of one slot, in order of arrival: more of it may follow, even after later slots. */
export type Arrivals = Readonly<{
  slot: number
  /** Unix seconds. */
  blockTime: number
  arrived: readonly ArrivedTransaction[]
  /** Whether it is the last part of its slot, except for late ones. */
  endsSlot: boolean
}>

/** A transaction that the source has decoded itself, as it is never complete. */
export type ArrivedTransaction = Readonly<{
  /** 64 bytes. */
  signature: Uint8Array
  decoded: Decoded
}>

/** Slots that are not available, both inclusive; the stream continues after them. */
export type Gap = Readonly<{ run: number; fromSlot: number; toSlot: number }>

/** The state of a live chain's source, and whether blocks are arriving. */
export type SourceStatus = LiveSourceState & Readonly<{ up: boolean }>
