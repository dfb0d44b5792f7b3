import { CONSOLE_ROWS } from '@pairwire/contract/plans'
import { createStore, type Store } from '../../components/store.ts'
import { BUCKETS, SERIES } from './chart-buckets.ts'
import { createHold, type HoldReason, type HoldState, LINGER_MS, REST_MS } from './hold.ts'
import type { StandingError } from './refusal.ts'
import type { Row } from './row.ts'
import { NO_FILTER, type RowFilter } from './row-filter.ts'
import { createTokenNames, type TokenNames, type TokenNamesParts } from './token-names.ts'
import { LOG_IN_FIRST, WORKER_UNLOADED } from './words.ts'
import type { CountedKind } from './worker/resumed-request.ts'
import type {
  ActiveToken,
  KindCounts,
  OpenSubscription,
  Snapshot,
  WorkerReport,
  WorkerRequest,
} from './worker-messages.ts'

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

/**
 * The page's side of the console: it starts and stops the stream, asks the worker for what is new a few times a
 * second, and decides when the list stands still. Each readout has a store of its own, so that a change draws only
 * what shows it. It outlives the page that shows it: rows stay for the visit.
 */
export type ConsoleFeed = Readonly<{
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
  resumable: Store<CountedKind | undefined>
  /** Whole seconds without a block on the present connection; null without one. */
  quietSeconds: Store<number | null>
  subscriptions: Store<readonly OpenSubscription[]>
  /** The last error that nobody has dismissed. */
  error: Store<StandingError | undefined>
  /** How large the recording is that runs. */
  recording: Store<Snapshot['recording']>
  canUndo: Store<boolean>
  /** The row whose raw JSON is open. */
  openRow: Store<Row | undefined>
  /** The mint of the token whose drawer is open. */
  openToken: Store<string | undefined>

  /**
   * Opens a connection and sends the request after the block feed's, with `resumes` from where the last one stopped.
   * Without `access` it only says so.
   */
  start(access: Readonly<{ url: string; key: string }> | undefined, request: string, resumes?: boolean): void
  stop(): void
  /** Closes the connection and opens one anew. */
  restart(access: Readonly<{ url: string; key: string }> | undefined, request: string): void
  /** Begins to record all that comes, or ends it: the file is then saved. */
  record(on: boolean): void
  /** Takes the standing error away. */
  dismiss(): void
  send(text: string): void
  choose(filter: RowFilter): void
  clear(): void
  undo(): void
  /** A reason to stand still begins or ends. */
  setHold(reason: HoldReason, lasts: boolean): void
  pause(): void
  resume(): void
  open(row: Row | undefined): void
  /** What tokens are called. */
  names: TokenNames
  /** Ends the worker, and the connection with it. */
  end(): void
}>

/** The worker, as far as the feed uses it. */
export type FeedWorker = Readonly<{
  post(request: WorkerRequest): void
  terminate(): void
}>

/** What a feed works with. */
type FeedParts = Readonly<{
  createWorker: (hear: (report: WorkerReport) => void) => FeedWorker
  /** Unix milliseconds. */
  clock: () => number
  after: (ms: number, act: () => void) => () => void
  /** Calls back when the page is about to draw; later while it is hidden. */
  nextFrame: (act: () => void) => void
  isHidden: () => boolean
  /** Milliseconds by which the server's clock is ahead of `clock`. */
  clockOffset: () => number
  askNames: TokenNamesParts['ask']
  /** Saves a recording as a file. */
  keep: (recording: Extract<WorkerReport, { kind: 'recorded' }>) => void
}>

/** Makes a feed that has not started. The worker is made with the first start. */
export function createConsoleFeed({
  createWorker,
  clock,
  after,
  nextFrame,
  isHidden,
  clockOffset,
  askNames,
  keep,
}: FeedParts): ConsoleFeed {
  const hold = createHold()
  const lasting = new Set<HoldReason>()
  let worker: FeedWorker | undefined
  let epoch = 0
  let newestId = 0
  let receivedAtHold = 0
  let isAsked = false
  let isAskedAgain = false
  let dismissedId = 0
  let startAgain: (() => void) | undefined
  /** Milliseconds that the page was held up by what came last, until it was painted. */
  let drawMs = 0
  let cancelPull = () => {}
  let cancelUndo = () => {}

  const feed: ConsoleFeed = {
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
    resumable: createStore<CountedKind | undefined>(undefined),
    quietSeconds: createStore<number | null>(null),
    subscriptions: createStore<readonly OpenSubscription[]>([]),
    error: createStore<StandingError | undefined>(undefined),
    recording: createStore<Snapshot['recording']>(undefined),
    canUndo: createStore(false),
    openRow: createStore<Row | undefined>(undefined),
    openToken: createStore<string | undefined>(undefined),
    names: createTokenNames({
      ask: askNames,
      told: (faces) => post({ kind: 'name', faces }),
      after,
    }),

    start(access, request, resumes) {
      if (isConnected()) return
      if (access) {
        feed.connection.write('connecting')
        post({ kind: 'open', ...access, request, resumes })
      } else {
        const refusal = { errorType: 'noSession', docs: '', oldest: '' }
        const reading = { kind: 'message', tone: 'error', words: LOG_IN_FIRST, detail: '', refusal } as const
        post({ kind: 'note', reading })
      }
      feed.resume()
    },
    stop() {
      startAgain = undefined
      if (isConnected()) post({ kind: 'close' })
    },
    restart(access, request) {
      feed.stop()
      startAgain = () => feed.start(access, request)
    },
    record(on) {
      post({ kind: 'record', on })
      pull()
    },
    dismiss() {
      dismissedId = feed.error.read()?.id ?? dismissedId
      feed.error.write(undefined)
    },
    send: (text) => post({ kind: 'send', text }),
    choose(filter) {
      const { kind, text } = feed.filter.read()
      if (filter.kind === kind && filter.text === text) return
      feed.filter.write(filter)
      post({ kind: 'filter', filter })
      receivedAtHold = feed.received.read()
      pull()
    },
    clear() {
      post({ kind: 'clear' })
      receivedAtHold = 0
      feed.canUndo.write(true)
      cancelUndo()
      cancelUndo = after(UNDO_MS, () => feed.canUndo.write(false))
      pull()
    },
    undo() {
      cancelUndo()
      feed.canUndo.write(false)
      post({ kind: 'undo' })
      pull()
    },
    setHold(reason, lasts) {
      if (lasting.has(reason) === lasts) return
      if (lasts) lasting.add(reason)
      else lasting.delete(reason)
      if (lasts) hold.begin(reason, clock())
      else hold.end(reason, clock())
      settle()
      after((lasts ? REST_MS : LINGER_MS) + 1, settle)
    },
    pause() {
      hold.pause()
      settle()
    },
    resume() {
      hold.resume()
      settle()
      pull()
    },
    open(row) {
      feed.openRow.write(row)
      feed.setHold('popup', row !== undefined)
    },
    end() {
      cancelPull()
      cancelUndo()
      worker?.terminate()
      worker = undefined
    },
  }
  return feed

  function isConnected(): boolean {
    const connection = feed.connection.read()
    return connection === 'connecting' || connection === 'streaming'
  }

  function post(request: WorkerRequest) {
    worker ??= createWorker(hear)
    worker.post(request)
  }

  function hear(report: WorkerReport) {
    switch (report.kind) {
      case 'connecting':
        return pull()
      case 'open':
        feed.openedAt.write(clock())
        feed.connection.write('streaming')
        return
      case 'closed':
        feed.openedAt.write(null)
        feed.resumable.write(report.resumable)
        feed.connection.write(report.isStopped ? 'stopped' : 'closed')
        startAgain?.()
        startAgain = undefined
        return pull()
      case 'recorded':
        feed.recording.write(undefined)
        return keep(report)
      case 'unloaded': {
        const words = WORKER_UNLOADED
        feed.error.write({ id: Number.MAX_VALUE, words, detail: '', errorType: '', docs: '', oldest: '' })
        feed.connection.write('closed')
        return
      }
      case 'snapshot':
        return show(report.snapshot)
    }
  }

  /** Asks for a snapshot now. One question is open at a time. */
  function pull() {
    cancelPull()
    if (isAsked) {
      isAskedAgain = true
      return
    }
    isAsked = true
    settle()
    post({ kind: 'pull', epoch, since: newestId, rows: !feed.hold.read().isHeld, clockOffset: clockOffset() })
  }

  function secondsSince(at: number | null): number | null {
    return at === null ? null : Math.max(0, Math.floor((clock() - at) / 1_000))
  }

  function show(snapshot: Snapshot) {
    isAsked = false
    const begun = clock()
    const painted = () => {
      drawMs = Math.min((drawMs + clock() - begun) / 2, HIDDEN_MS / RESTS)
    }
    nextFrame(() => after(0, painted))
    // What was asked for before the list was held comes too late: it would move under the pointer.
    if (snapshot.isReset || (snapshot.rows.length > 0 && !feed.hold.read().isHeld)) {
      const older = snapshot.isReset ? [] : feed.rows.read()
      feed.rows.write([...snapshot.rows, ...older].slice(0, CONSOLE_ROWS))
      newestId = Math.max(newestId, snapshot.rows[0]?.id ?? 0)
    }
    const { takenBack } = snapshot
    if (takenBack.length > 0) {
      const mark = (row: Row) => (takenBack.includes(row.id) ? { ...row, isTakenBack: true } : row)
      feed.rows.write(feed.rows.read().map(mark))
    }
    epoch = snapshot.epoch
    if (!feed.hold.read().isHeld) {
      receivedAtHold = snapshot.received
      writeKinds(snapshot)
    }
    feed.newer.write(Math.max(0, snapshot.received - receivedAtHold))
    feed.received.write(snapshot.received)
    feed.pairs.write(snapshot.pairs)
    feed.block.write(snapshot.block)
    feed.blockAt.write(snapshot.blockAt)
    feed.lagMs.write(snapshot.lagMs)
    feed.perSecond.write(Math.round(snapshot.perSecond))
    feed.names.learn(snapshot.named)
    if (snapshot.tokens) feed.tokens.write(snapshot.tokens)
    feed.quietSeconds.write(secondsSince(snapshot.heardAt))
    writeSubscriptions(snapshot.subscriptions)
    writeError(snapshot.error)
    const { recording } = snapshot
    if (recording?.frames !== feed.recording.read()?.frames) feed.recording.write(recording)
    feed.isSampling.write(snapshot.isSampling === true)
    const { buckets, starts, at } = snapshot
    feed.chart.write({ buckets, starts, at, isMoving: isConnected() })

    if (isAskedAgain) {
      isAskedAgain = false
      pull()
    } else if (isConnected()) {
      const isFresh = snapshot.received === 0 && clock() - (feed.openedAt.read() ?? 0) < FRESH_MS
      const usual = snapshot.perSecond < BUSY_PER_SECOND ? CALM_MS : BUSY_MS
      const pace = isFresh ? FIRST_MS : Math.max(usual, drawMs * RESTS)
      const pause = isHidden() ? HIDDEN_MS : pace
      cancelPull = after(pause, pull)
    }
  }

  function writeKinds({ kinds, kept, isReset }: Snapshot) {
    const old = feed.kinds.read()
    const isSame = old.buy === kinds.buy && old.sell === kinds.sell && old.pair === kinds.pair
    if (isReset || !isSame || old.message !== kinds.message) feed.kinds.write(kinds)
    feed.kept.write(kept)
  }

  function writeSubscriptions(now: readonly OpenSubscription[]) {
    const before = feed.subscriptions.read()
    const isSame =
      now.length === before.length && now.every((one, at) => isSameSubscription(one, before[at]!))
    if (!isSame) feed.subscriptions.write(now)
  }

  function writeError(error: StandingError | null) {
    if (error === null) feed.error.write(undefined)
    else if (error.id > dismissedId && error.id !== feed.error.read()?.id) feed.error.write(error)
  }

  /** Brings the hold up to date; a list that runs again catches up at once. */
  function settle() {
    const before = feed.hold.read()
    const state = hold.at(clock())
    const now = state.isHeld && (before.isHeld || isConnected()) ? state : RUNNING
    const isSame =
      now.isHeld === before.isHeld && now.isPaused === before.isPaused && now.reason === before.reason
    if (isSame) return
    feed.hold.write(now)
    if (before.isHeld && !now.isHeld) pull()
  }
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
const RUNNING: HoldState = { isHeld: false, isPaused: false, reason: undefined }
/** Milliseconds in which a clear can be taken back. */
const UNDO_MS = 5_000
/** Milliseconds of a connection in which the first event is waited for. */
const FRESH_MS = 1_000
/** Milliseconds between two questions: before the first event, few events, many events, hidden page. */
const FIRST_MS = 20
const CALM_MS = 100
const BUSY_MS = 250
const HIDDEN_MS = 1_000
/** How much longer than it drew the page rests, so that slow devices have time for their person. */
const RESTS = 4
/** Events a second that count as many. */
const BUSY_PER_SECOND = 50
