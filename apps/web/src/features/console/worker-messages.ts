import type { MessageReading } from './read-event.ts'
import type { Row } from './row.ts'
import type { RowFilter } from './row-filter.ts'
import type { CountedKind } from './worker/resumed-request.ts'

declare global {
  /** Where the worker's script finds its page when that runs it itself. */
  var pairwireStreamPort: MessagePort | undefined
}

/** What the page asks of the worker. */
export type WorkerRequest =
  | Readonly<{
      kind: 'open'
      url: string
      key: string
      /** Sent as it is, after the subscription to the block feed. */
      request: string
      /** Sends it with the place where the last connection stopped. */
      resumes?: boolean | undefined
    }>
  | Readonly<{ kind: 'send'; text: string }>
  | Readonly<{ kind: 'close' }>
  /** Asks for a {@link Snapshot}; without `rows` the page holds its list. */
  | Readonly<{
      kind: 'pull'
      epoch: number
      since: number
      rows: boolean
      /** Milliseconds by which the server's clock is ahead of this one. */
      clockOffset: number
    }>
  | Readonly<{ kind: 'filter'; filter: RowFilter }>
  | Readonly<{ kind: 'note'; reading: MessageReading }>
  | Readonly<{ kind: 'clear' }>
  | Readonly<{ kind: 'undo' }>

/** What the worker tells the page. */
export type WorkerReport =
  | Readonly<{ kind: 'connecting' }>
  | Readonly<{ kind: 'open' }>
  | Readonly<{
      kind: 'closed'
      failed: boolean
      reason: string
      /** What the request subscribed to, where it can be resumed: nobody meant it to end, and its place is known. */
      resumable?: CountedKind | undefined
    }>
  | Readonly<{ kind: 'snapshot'; snapshot: Snapshot }>

/** Rows kept, by kind. */
export type KindCounts = Readonly<{ pair: number; buy: number; sell: number; message: number }>

/** A token that was traded in the last minute. */
export type ActiveToken = Readonly<{
  mint: string
  /** Written by strangers; empty where no new pair named it. */
  symbol: string
  buys: number
  sells: number
  /** Prices of the minute, oldest first, all in the same token. */
  prices: readonly number[]
}>

/** The state of the stream's books at one moment. Times are Unix milliseconds. */
export type Snapshot = Readonly<{
  epoch: number
  /** Whether `rows` are all there are, and not only the new ones. */
  isReset: boolean
  /** Newest first, at most as many as the list keeps. */
  rows: readonly Row[]
  /** Events since the last clear; the block feed is not counted. */
  received: number
  /** New pairs among them. */
  pairs: number
  /** Rows kept before any filter. */
  kept: number
  kinds: KindCounts
  block: number | null
  blockAt: number | null
  /** Median over the last five seconds; null while nothing comes. */
  lagMs: number | null
  perSecond: number
  /** The busiest tokens, when they are due; every five seconds. */
  tokens?: readonly ActiveToken[]
  /** See `ChartBuckets.read`. */
  buckets: Uint32Array<ArrayBuffer>
  /** The moment at the chart's right edge. */
  at: number
  /** Whether rows were left out in the last two seconds, because the worker could not keep up. */
  isSampling?: boolean
}>
