import { createStore } from '../../../components/store.ts'
import { BUCKETS, SERIES } from './chart-buckets.ts'
import type { HoldState } from './hold.ts'
import type { StandingError } from './refusal.ts'
import type { CountedKind } from './resumed-request.ts'
import type { Row } from './row.ts'
import { NO_FILTER, type RowFilter } from './row-filter.ts'
import type { ActiveToken, KindCounts, OpenSubscription, Snapshot } from './worker-messages.ts'

/** Whether a socket is open. `stopped` before the first start and after a press on Stop. */
export type Connection = 'stopped' | 'connecting' | 'streaming' | 'closed'

/** The contents of the chart. */
export type ChartView = Readonly<{
  /** See `ChartBuckets.read`. */
  buckets: Uint32Array
  /** When each bucket began, in Unix milliseconds. */
  starts: Float64Array
  /** Unix milliseconds at the right edge. */
  at: number
  isMoving: boolean
}>

/** The contents of the console. */
export type FeedView = Readonly<{
  connection: Connection
  hold: HoldState
  /** Events that arrived since the list is held. */
  newer: number
  received: number
  pairs: number
  block: number | null
  /** Unix milliseconds at which the block arrived. */
  blockAt: number | null
  lagMs: number | null
  perSecond: number
  chart: ChartView
  /** Newest first. */
  rows: readonly Row[]
  /** The busiest tokens of the last minute, in their last order. */
  tokens: readonly ActiveToken[]
  kinds: KindCounts
  /** Rows kept before any filter. */
  kept: number
  filter: RowFilter
  isSampling: boolean
  /** Unix milliseconds of the current connection; null without one. */
  openedAt: number | null
  /** What can be resumed after a break that the person did not cause. */
  resumable: readonly CountedKind[]
  /** Why the last connection ended, in the other side's words; empty without a reason. */
  closing: string
  /** Whole seconds without a block on the current connection; null without one. */
  quietSeconds: number | null
  subscriptions: readonly OpenSubscription[]
  /** The last error that is not dismissed. */
  error: StandingError | undefined
  /** Size of the running recording. */
  recording: Snapshot['recording']
  canUndo: boolean
  /** A change of a filter by a press, and its undo. */
  changed: Readonly<{ words: string; undo: () => void }> | undefined
  /** The row whose raw JSON is open. */
  openRow: Row | undefined
  /** The mint of the token whose drawer is open. */
  openToken: string | undefined
}>

/** One snapshot of everything that the console shows; each component watches its part. */
export class FeedStore {
  readonly #view = createStore(UNSTARTED)
  readonly read = this.#view.read
  readonly subscribe = this.#view.subscribe

  /** Writes new values, and notifies all watchers at once; an equal value notifies none. */
  write(changes: Partial<FeedView>): void {
    const before = this.read()
    const after = { ...before, ...changes }
    if (isChanged(before, after, Object.keys(changes) as (keyof FeedView)[])) this.#view.write(after)
  }

  /** Calls back after a change of any of `names`. @returns the function that removes the listener */
  watch(names: readonly (keyof FeedView)[], onChange: () => void): () => void {
    let seen = this.read()
    return this.subscribe(() => {
      const before = seen
      seen = this.read()
      if (isChanged(before, seen, names)) onChange()
    })
  }
}

function isChanged(before: FeedView, after: FeedView, names: readonly (keyof FeedView)[]): boolean {
  return names.some((name) => !Object.is(before[name], after[name]))
}

/** Whether there is a connection, or one is being opened. */
export function isConnected({ connection }: Pick<FeedView, 'connection'>): boolean {
  return connection === 'connecting' || connection === 'streaming'
}

/** The values that follow the worker; `now` in Unix milliseconds. */
export function followWorker(view: FeedView, snapshot: Snapshot, now: number): Partial<FeedView> {
  const { received, pairs, block, blockAt, lagMs, heardAt, buckets, starts, at } = snapshot
  // A snapshot's objects are new each time: equal ones are not drawn again.
  const news = <Name extends 'kinds' | 'subscriptions' | 'recording'>(name: Name) =>
    JSON.stringify(snapshot[name]) === JSON.stringify(view[name]) ? view[name] : snapshot[name]
  return {
    ...{ received, pairs, block, blockAt, lagMs },
    // While the list is held, so are the counts of its rows, until it is cleared or filtered.
    ...(view.hold.isHeld && !snapshot.isReset ? {} : { kinds: news('kinds'), kept: snapshot.kept }),
    ...(snapshot.tokens && { tokens: snapshot.tokens }),
    perSecond: Math.round(snapshot.perSecond),
    quietSeconds: heardAt === null ? null : Math.max(0, Math.floor((now - heardAt) / 1_000)),
    subscriptions: news('subscriptions'),
    recording: news('recording'),
    isSampling: snapshot.isSampling === true,
    chart: { buckets, starts, at, isMoving: isConnected(view) },
  }
}

/** The hold of a running list. */
export const RUNNING: HoldState = { isHeld: false, isPaused: false, reason: undefined }

const UNSTARTED: FeedView = {
  connection: 'stopped',
  hold: RUNNING,
  newer: 0,
  received: 0,
  pairs: 0,
  block: null,
  blockAt: null,
  lagMs: null,
  perSecond: 0,
  chart: {
    buckets: new Uint32Array(BUCKETS * SERIES),
    starts: new Float64Array(BUCKETS),
    at: 0,
    isMoving: false,
  },
  rows: [],
  tokens: [],
  kinds: { pair: 0, buy: 0, sell: 0, message: 0 },
  kept: 0,
  filter: NO_FILTER,
  isSampling: false,
  openedAt: null,
  resumable: [],
  closing: '',
  quietSeconds: null,
  subscriptions: [],
  error: undefined,
  recording: undefined,
  canUndo: false,
  changed: undefined,
  openRow: undefined,
  openToken: undefined,
}
