import type { MessageReading } from './read-event.ts'
import type { StandingError } from './refusal.ts'
import type { CountedKind } from './resumed-request.ts'
import type { Row } from './row.ts'
import type { RowFilter } from './row-filter.ts'
import type { TokenFace } from './token-face.ts'

/** A request of the page to the worker. */
export type WorkerRequest =
  | Readonly<{
      kind: 'open'
      url: string
      key: string
      /** Sent unchanged, after the subscription to the block feed. */
      request: string
      /** Sends instead what was open on the last connection, from where that stopped. */
      resumes?: boolean | undefined
    }>
  | Readonly<{ kind: 'send'; text: string }>
  | Readonly<{ kind: 'close' }>
  /** Requests a {@link Snapshot}; without `rows` the page holds its list. */
  | Readonly<{
      kind: 'pull'
      epoch: number
      since: number
      rows: boolean
      /** Milliseconds by which the server's clock is ahead of this one. */
      clockOffset: number
    }>
  | Readonly<{ kind: 'filter'; filter: RowFilter }>
  /** Begins or ends a recording of everything that arrives. */
  | Readonly<{ kind: 'record'; on: boolean }>
  /** Names tokens that the stream did not name. */
  | Readonly<{ kind: 'name'; faces: readonly TokenFace[] }>
  | Readonly<{ kind: 'note'; reading: MessageReading }>
  | Readonly<{ kind: 'clear' }>
  | Readonly<{ kind: 'undo' }>

/** A report of the worker to the page. */
export type WorkerReport =
  | Readonly<{ kind: 'connecting' }>
  | Readonly<{ kind: 'open' }>
  | Readonly<{
      kind: 'closed'
      /** Whether the person ended it. */
      isStopped: boolean
      /** The other side's sentence; it may name a cursor. */
      reason: string
      /** Subscriptions that can be resumed: they ended unintentionally, and a cursor is known. */
      resumable: readonly CountedKind[]
    }>
  /** A recording that has ended: on request, with the connection, or because it is full. */
  | Readonly<{ kind: 'recorded'; file: Blob; frames: number; isFull: boolean }>
  /** The worker's own script could not be loaded. */
  | Readonly<{ kind: 'unloaded' }>
  | Readonly<{ kind: 'snapshot'; snapshot: Snapshot }>

/** Rows kept, by kind. */
export type KindCounts = Readonly<{ pair: number; buy: number; sell: number; message: number }>

/** A token that was traded in the last minute. */
export type ActiveToken = Readonly<{
  mint: string
  /** Written by strangers; empty if no new pair named it. */
  symbol: string
  buys: number
  sells: number
  /** Prices of the minute, oldest first, all in the same token. */
  prices: readonly number[]
}>

/** An open subscription of this connection; the console's own block feed is not included. */
export type OpenSubscription = Readonly<{
  id: number
  kind: CountedKind
  /** Its params as JSON, `{}` without any. */
  params: string
  received: number
  perSecond: number
}>

/** The recorder's state at one moment. Times are Unix milliseconds. */
export type Snapshot = Readonly<{
  epoch: number
  /** Whether `rows` are all rows, and not only new ones. */
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
  /** Unix milliseconds of the block feed's last message on this connection; null without a connection. */
  heardAt: number | null
  subscriptions: readonly OpenSubscription[]
  /** The last error, whatever happened to its row. */
  error: StandingError | null
  /** Median over the last five seconds; null without events. */
  lagMs: number | null
  perSecond: number
  /** The busiest tokens, when due; every five seconds. */
  tokens?: readonly ActiveToken[]
  /** Tokens that the stream named since the last snapshot. */
  named: readonly TokenFace[]
  /** Rows that were taken back since the last snapshot, by id. */
  takenBack: readonly number[]
  /** See `ChartBuckets.read`. */
  buckets: Uint32Array<ArrayBuffer>
  /** See `ChartBuckets.starts`. */
  starts: Float64Array<ArrayBuffer>
  /** The moment at the chart's right edge. */
  at: number
  /** Size of the running recording. */
  recording?: Readonly<{ frames: number; bytes: number }> | undefined
  /** Whether rows were skipped in the last two seconds, because the worker could not keep up. */
  isSampling?: boolean
}>
