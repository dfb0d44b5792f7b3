import type { Transaction } from '@pairwire/decoders'

/** Where transactions come from. */
export type Source = Readonly<{
  /** Whether its data is made up: then every page and every subscribe's answer says so. */
  simulated: boolean
  /** Whether its block times are of another day; how far they lie behind the clock then says nothing. */
  isRecording?: boolean
  /** Blocks in chain order until `signal` aborts or the source ends. Slots rise within a run. */
  blocks(signal: AbortSignal): AsyncIterable<Block>
}>

/** The transactions of one slot that may matter, in the order of execution. */
export type Block = Readonly<{
  /** Rises whenever slots may start again from an earlier one. */
  run: number
  slot: number
  /** Unix seconds. */
  blockTime: number
  transactions: readonly Transaction[]
}>
