import { CONSOLE_ROWS } from '@pairwire/contract/plans'
import { createDrawPace } from './draw-pace.ts'
import { createFeedStores, type FeedStores, isConnected, RUNNING, writeReadouts } from './feed-stores.ts'
import { createHold, type HoldReason, LINGER_MS, REST_MS } from './hold.ts'
import type { StandingError } from './refusal.ts'
import type { Row } from './row.ts'
import type { RowFilter } from './row-filter.ts'
import { createTokenNames, type TokenNames, type TokenNamesParts } from './token-names.ts'
import { LOG_IN_FIRST, WORKER_UNLOADED } from './words.ts'
import type { Snapshot, WorkerReport, WorkerRequest } from './worker-messages.ts'

/**
 * The page's side of the console: it starts and stops the stream, asks the worker for what is new a few times a
 * second, and decides when the list stands still. It outlives the page that shows it: rows stay for the visit.
 */
export type ConsoleFeed = FeedStores &
  Readonly<{
    /**
     * Opens a connection and sends the request after the block feed's; with `resumes` instead of it all that was open
     * on the last one, from where that stopped. Without `access` it only says so.
     */
    start(
      access: Readonly<{ url: string; key: string }> | undefined,
      request: string,
      resumes?: boolean,
    ): void
    stop(): void
    /** Closes the connection, and opens one on which all that was open is resumed. */
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
  const pace = createDrawPace({ clock, after, nextFrame, isHidden })
  const lasting = new Set<HoldReason>()
  let worker: FeedWorker | undefined
  let epoch = 0
  let newestId = 0
  let receivedAtHold = 0
  let isAsked = false
  let isAskedAgain = false
  let dismissedId = 0
  let startAgain: (() => void) | undefined
  let cancelPull = () => {}
  let cancelUndo = () => {}

  const feed: ConsoleFeed = {
    ...createFeedStores(),
    names: createTokenNames({
      ask: askNames,
      told: (faces) => post({ kind: 'name', faces }),
      after,
    }),

    start(access, request, resumes) {
      if (isConnected(feed)) return
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
      if (isConnected(feed)) post({ kind: 'close' })
    },
    restart(access, request) {
      feed.stop()
      startAgain = () => feed.start(access, request, true)
    },
    record(on) {
      post({ kind: 'record', on })
      pull()
    },
    dismiss() {
      dismissedId = feed.error.read()?.id ?? dismissedId
      feed.error.write(undefined)
    },
    send(text) {
      feed.changed.write(undefined)
      post({ kind: 'send', text })
    },
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
        feed.changed.write(undefined)
        feed.resumable.write(report.resumable)
        feed.closing.write(report.reason.replace(/ ?resume_from: \S+$/, ''))
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

  function show(snapshot: Snapshot) {
    isAsked = false
    pace.draw(
      () => showRows(snapshot),
      () => writeReadouts(feed, snapshot, clock()),
      snapshot.isReset || !isConnected(feed),
    )
    writeError(snapshot.error)

    if (isAskedAgain) {
      isAskedAgain = false
      pull()
    } else if (isConnected(feed)) {
      const isFresh = snapshot.received === 0 && clock() - (feed.openedAt.read() ?? 0) < FRESH_MS
      const usual = snapshot.perSecond < BUSY_PER_SECOND ? CALM_MS : BUSY_MS
      const period = isFresh ? FIRST_MS : Math.max(usual, pace.periodMs())
      cancelPull = after(isHidden() ? HIDDEN_MS : period, pull)
    }
  }

  function showRows(snapshot: Snapshot) {
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
    if (!feed.hold.read().isHeld) receivedAtHold = snapshot.received
    feed.newer.write(Math.max(0, snapshot.received - receivedAtHold))
    feed.names.learn(snapshot.named)
  }

  function writeError(error: StandingError | null) {
    if (error === null) feed.error.write(undefined)
    else if (error.id > dismissedId && error.id !== feed.error.read()?.id) feed.error.write(error)
  }

  /** Brings the hold up to date; a list that runs again catches up at once. */
  function settle() {
    const before = feed.hold.read()
    const state = hold.at(clock())
    const now = state.isHeld && (before.isHeld || isConnected(feed)) ? state : RUNNING
    const isSame =
      now.isHeld === before.isHeld && now.isPaused === before.isPaused && now.reason === before.reason
    if (isSame) return
    feed.hold.write(now)
    if (before.isHeld && !now.isHeld) pull()
  }
}

/** Milliseconds in which a clear can be taken back. */
const UNDO_MS = 5_000
/** Milliseconds of a connection in which the first event is waited for. */
const FRESH_MS = 1_000
/** Milliseconds between two questions: before the first event, few events, many events, hidden page. */
const FIRST_MS = 20
const CALM_MS = 100
const BUSY_MS = 250
const HIDDEN_MS = 1_000
/** Events a second that count as many. */
const BUSY_PER_SECOND = 50
