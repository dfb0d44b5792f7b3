import { createStore, type Store } from '../../components/store.ts'
import { BUCKETS, SERIES } from './chart-buckets.ts'
import type { HoldState } from './hold.ts'
import type { StandingError } from './refusal.ts'
import type { Row } from './row.ts'
import { NO_FILTER, type RowFilter } from './row-filter.ts'
import type { CountedKind } from './worker/resumed-request.ts'
import type { ActiveToken, KindCounts, OpenSubscription, Snapshot } from './worker-messages.ts'

/** Whether a socket is open. `stopped` before the first start and after a press on Stop. */
export type Connection = 'stopped' | 'connecting' | 'streaming' | 'closed'

/** What the chart shows. */
export type ChartView = Readonly<{
  /** See `ChartBuckets.read`. */
  buckets: Uint32Array
  /** When each bucket began, in Unix milliseconds. */
  starts: Float64Array
  /** Unix milliseconds at the right edge. */
  at: number
  isMoving: boolean
}>

/** What the console shows. Each readout has a store of its own, so that a change draws only what shows it. */
export type FeedStores = Readonly<{
  connection: Store<Connection>
  hold: Store<HoldState>
  /** Events that came since the list stands still. */
  newer: Store<number>
  received: Store<number>
  pairs: Store<number>
  block: Store<number | null>
  /** Unix milliseconds at which the block came. */
  blockAt: Store<number | null>
  lagMs: Store<number | null>
  perSecond: Store<number>
  chart: Store<ChartView>
  /** Newest first. */
  rows: Store<readonly Row[]>
  /** The busiest tokens of the last minute, in their last order. */
  tokens: Store<readonly ActiveToken[]>
  kinds: Store<KindCounts>
  /** Rows kept before any filter. */
  kept: Store<number>
  filter: Store<RowFilter>
  isSampling: Store<boolean>
  /** Unix milliseconds of the present connection; null without one. */
  openedAt: Store<number | null>
  /** What can be resumed after a break that the person did not make. */
  resumable: Store<readonly CountedKind[]>
  /** Why the last connection ended, in the other side's words; empty where it gave none. */
  closing: Store<string>
  /** Whole seconds without a block on the present connection; null without one. */
  quietSeconds: Store<number | null>
  subscriptions: Store<readonly OpenSubscription[]>
  /** The last error that nobody has dismissed. */
  error: Store<StandingError | undefined>
  /** How large the recording is that runs. */
  recording: Store<Snapshot['recording']>
  canUndo: Store<boolean>
  /** A change of a filter that a press made and another takes back. */
  changed: Store<Readonly<{ words: string; undo: () => void }> | undefined>
  /** The row whose raw JSON is open. */
  openRow: Store<Row | undefined>
  /** The mint of the token whose drawer is open. */
  openToken: Store<string | undefined>
}>

/** The stores of a feed that has not started. */
export function createFeedStores(): FeedStores {
  return {
    connection: createStore<Connection>('stopped'),
    hold: createStore<HoldState>(RUNNING),
    newer: createStore(0),
    received: createStore(0),
    pairs: createStore(0),
    block: createStore<number | null>(null),
    blockAt: createStore<number | null>(null),
    lagMs: createStore<number | null>(null),
    perSecond: createStore(0),
    chart: createStore<ChartView>(EMPTY_CHART),
    rows: createStore<readonly Row[]>([]),
    tokens: createStore<readonly ActiveToken[]>([]),
    kinds: createStore<KindCounts>({ pair: 0, buy: 0, sell: 0, message: 0 }),
    kept: createStore(0),
    filter: createStore(NO_FILTER),
    isSampling: createStore(false),
    openedAt: createStore<number | null>(null),
    resumable: createStore<readonly CountedKind[]>([]),
    closing: createStore(''),
    quietSeconds: createStore<number | null>(null),
    subscriptions: createStore<readonly OpenSubscription[]>([]),
    error: createStore<StandingError | undefined>(undefined),
    recording: createStore<Snapshot['recording']>(undefined),
    canUndo: createStore(false),
    changed: createStore<ReturnType<FeedStores['changed']['read']>>(undefined),
    openRow: createStore<Row | undefined>(undefined),
    openToken: createStore<string | undefined>(undefined),
  }
}

/** Whether there is a connection, or one is being opened. */
export function isConnected({ connection }: Pick<FeedStores, 'connection'>): boolean {
  return connection.read() === 'connecting' || connection.read() === 'streaming'
}

/** Writes what simply follows the worker; `now` in Unix milliseconds. */
export function writeReadouts(stores: FeedStores, snapshot: Snapshot, now: number): void {
  const { heardAt, recording, buckets, starts, at } = snapshot
  // While the list stands still, so do the counts of its rows.
  if (!stores.hold.read().isHeld) writeKinds(stores, snapshot)
  stores.received.write(snapshot.received)
  stores.pairs.write(snapshot.pairs)
  stores.block.write(snapshot.block)
  stores.blockAt.write(snapshot.blockAt)
  stores.lagMs.write(snapshot.lagMs)
  stores.perSecond.write(Math.round(snapshot.perSecond))
  if (snapshot.tokens) stores.tokens.write(snapshot.tokens)
  stores.quietSeconds.write(heardAt === null ? null : Math.max(0, Math.floor((now - heardAt) / 1_000)))
  writeSubscriptions(stores, snapshot.subscriptions)
  if (recording?.frames !== stores.recording.read()?.frames) stores.recording.write(recording)
  stores.isSampling.write(snapshot.isSampling === true)
  stores.chart.write({ buckets, starts, at, isMoving: isConnected(stores) })
}

function writeKinds(stores: FeedStores, { kinds, kept, isReset }: Snapshot) {
  const old = stores.kinds.read()
  const isSame = old.buy === kinds.buy && old.sell === kinds.sell && old.pair === kinds.pair
  if (isReset || !isSame || old.message !== kinds.message) stores.kinds.write(kinds)
  stores.kept.write(kept)
}

function writeSubscriptions({ subscriptions }: FeedStores, now: readonly OpenSubscription[]) {
  const before = subscriptions.read()
  const isSame = now.length === before.length && now.every((one, at) => isSameSubscription(one, before[at]!))
  if (!isSame) subscriptions.write(now)
}

function isSameSubscription(one: OpenSubscription, other: OpenSubscription): boolean {
  return (
    one.id === other.id &&
    one.received === other.received &&
    one.perSecond === other.perSecond &&
    one.params === other.params
  )
}

const EMPTY_CHART: ChartView = {
  buckets: new Uint32Array(BUCKETS * SERIES),
  starts: new Float64Array(BUCKETS),
  at: 0,
  isMoving: false,
}
/** The hold of a list that runs. */
export const RUNNING: HoldState = { isHeld: false, isPaused: false, reason: undefined }
