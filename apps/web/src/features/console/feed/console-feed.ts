import { LOG_IN_FIRST, WORKER_UNLOADED } from '../words.ts'
import { createDrawPace, type DrawPace } from './draw-pace.ts'
import { FeedStore, followWorker, isConnected, RUNNING } from './feed-view.ts'
import { createHold, type HoldReason, LINGER_MS, REST_MS } from './hold.ts'
import type { StandingError } from './refusal.ts'
import { CONSOLE_ROWS, type Row } from './row.ts'
import type { RowFilter } from './row-filter.ts'
import type { TokenFace } from './token-face.ts'
import { createTokenNames, type TokenNames, type TokenNamesParts } from './token-names.ts'
import type { Snapshot, WorkerReport, WorkerRequest } from './worker-messages.ts'

/** The worker, as far as the feed uses it. */
export type FeedWorker = Readonly<{
  post(request: WorkerRequest): void
  terminate(): void
}>

/** What a feed needs. */
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
  /** Tokens known from the last visit. */
  rememberedNames?: readonly TokenFace[]
  /** Saves a recording as a file. */
  keep: (recording: Extract<WorkerReport, { kind: 'recorded' }>) => void
}>

type Access = Readonly<{ url: string; key: string }>

/**
 * The page's side of the console: it starts and stops the stream, requests updates from the worker a few times a
 * second, and decides when the list holds still. It outlives the page that shows it: rows stay for the visit. The
 * worker is created with the first start.
 */
export class ConsoleFeed extends FeedStore {
  /** Names of tokens. */
  readonly names: TokenNames
  readonly #parts: FeedParts
  readonly #hold = createHold()
  readonly #pace: DrawPace
  readonly #lasting = new Set<HoldReason>()
  #worker: FeedWorker | undefined
  #epoch = 0
  #newestId = 0
  #receivedAtHold = 0
  #isAsked = false
  #isAskedAgain = false
  #dismissedId = 0
  #startAgain: (() => void) | undefined
  #cancelPull = () => {}
  #cancelUndo = () => {}

  constructor(parts: FeedParts) {
    super()
    this.#parts = parts
    this.#pace = createDrawPace(parts)
    this.names = createTokenNames({
      ask: parts.askNames,
      told: (faces) => this.#post({ kind: 'name', faces }),
      after: parts.after,
      remembered: parts.rememberedNames,
    })
  }

  /**
   * Opens a connection and sends the request after the block feed's; with `resumes` instead, everything that was open
   * on the last one, from where it stopped. Without `access` it only reports that.
   */
  start(access: Access | undefined, request: string, resumes?: boolean): void {
    if (isConnected(this.read())) return
    if (access) {
      this.write({ connection: 'connecting' })
      this.#post({ kind: 'open', ...access, request, resumes })
    } else {
      const refusal = { errorType: 'noSession', docs: '', oldest: '' }
      const reading = { kind: 'message', tone: 'error', words: LOG_IN_FIRST, detail: '', refusal } as const
      this.#post({ kind: 'note', reading })
    }
    this.resume()
  }

  stop(): void {
    this.#startAgain = undefined
    if (isConnected(this.read())) this.#post({ kind: 'close' })
  }

  /** Closes the connection, and opens one that resumes everything that was open. */
  restart(access: Access | undefined, request: string): void {
    this.stop()
    this.#startAgain = () => this.start(access, request, true)
  }

  /** Begins to record everything that arrives, or ends it and saves the file. */
  record(on: boolean): void {
    this.#post({ kind: 'record', on })
    this.#pull()
  }

  /** Removes the current error. */
  dismiss(): void {
    this.#dismissedId = this.read().error?.id ?? this.#dismissedId
    this.write({ error: undefined })
  }

  send(text: string): void {
    this.write({ changed: undefined })
    this.#post({ kind: 'send', text })
  }

  choose(filter: RowFilter): void {
    const { kind, text } = this.read().filter
    if (filter.kind === kind && filter.text === text) return
    this.write({ filter })
    this.#post({ kind: 'filter', filter })
    this.#receivedAtHold = this.read().received
    this.#pull()
  }

  clear(): void {
    this.#post({ kind: 'clear' })
    this.#receivedAtHold = 0
    this.write({ canUndo: true })
    this.#cancelUndo()
    this.#cancelUndo = this.#parts.after(UNDO_MS, () => this.write({ canUndo: false }))
    this.#pull()
  }

  undo(): void {
    this.#cancelUndo()
    this.write({ canUndo: false })
    this.#post({ kind: 'undo' })
    this.#pull()
  }

  /** A reason to hold still begins or ends. */
  setHold(reason: HoldReason, lasts: boolean): void {
    if (this.#lasting.has(reason) === lasts) return
    const now = this.#parts.clock()
    if (lasts) {
      this.#lasting.add(reason)
      this.#hold.begin(reason, now)
    } else {
      this.#lasting.delete(reason)
      this.#hold.end(reason, now)
    }
    this.#settle()
    this.#parts.after((lasts ? REST_MS : LINGER_MS) + 1, () => this.#settle())
  }

  pause(): void {
    this.#hold.pause()
    this.#settle()
  }

  resume(): void {
    this.#hold.resume()
    this.#settle()
    this.#pull()
  }

  open(row: Row | undefined): void {
    this.write({ openRow: row })
    this.setHold('popup', row !== undefined)
  }

  #post(request: WorkerRequest) {
    if (!this.#worker) {
      const { createWorker, rememberedNames: faces } = this.#parts
      this.#worker = createWorker((report) => this.#hear(report))
      if (faces?.length) this.#worker.post({ kind: 'name', faces })
    }
    this.#worker.post(request)
  }

  #hear(report: WorkerReport) {
    switch (report.kind) {
      case 'connecting':
        return this.#pull()
      case 'open':
        return this.write({ openedAt: this.#parts.clock(), connection: 'streaming' })
      case 'closed':
        this.write({
          openedAt: null,
          changed: undefined,
          resumable: report.resumable,
          closing: report.reason.replace(/ ?resume_from: \S+$/, ''),
          connection: report.isStopped ? 'stopped' : 'closed',
        })
        this.#startAgain?.()
        this.#startAgain = undefined
        return this.#pull()
      case 'recorded':
        this.write({ recording: undefined })
        return this.#parts.keep(report)
      case 'unloaded': {
        // The next start tries again.
        this.#worker?.terminate()
        this.#worker = undefined
        this.#isAsked = false
        const error = { words: WORKER_UNLOADED, detail: '', errorType: '', docs: '', oldest: '' }
        return this.write({ error: { id: 0, ...error }, connection: 'closed' })
      }
      case 'snapshot':
        return this.#show(report.snapshot)
    }
  }

  /** Requests a snapshot now. Only one request is open at a time. */
  #pull() {
    this.#cancelPull()
    if (this.#isAsked) {
      this.#isAskedAgain = true
      return
    }
    this.#isAsked = true
    this.#settle()
    this.#post({
      kind: 'pull',
      epoch: this.#epoch,
      since: this.#newestId,
      rows: !this.read().hold.isHeld,
      clockOffset: this.#parts.clockOffset(),
    })
  }

  #show(snapshot: Snapshot) {
    this.#isAsked = false
    this.#pace.draw(
      () => this.#showRows(snapshot),
      () => this.write(followWorker(this.read(), snapshot, this.#parts.clock())),
      snapshot.isReset || !isConnected(this.read()),
    )
    this.#writeError(snapshot.error)

    if (this.#isAskedAgain) {
      this.#isAskedAgain = false
      this.#pull()
    } else if (isConnected(this.read())) {
      const isFresh = snapshot.received === 0 && this.#parts.clock() - (this.read().openedAt ?? 0) < FRESH_MS
      const usual = snapshot.perSecond < BUSY_PER_SECOND ? CALM_MS : BUSY_MS
      const period = isFresh ? FIRST_MS : Math.max(usual, this.#pace.periodMs())
      this.#cancelPull = this.#parts.after(this.#parts.isHidden() ? HIDDEN_MS : period, () => this.#pull())
    }
  }

  #showRows(snapshot: Snapshot) {
    // Rows requested before the list was held arrive too late: they would move it under the pointer.
    if (snapshot.isReset || (snapshot.rows.length > 0 && !this.read().hold.isHeld)) {
      const older = snapshot.isReset ? [] : this.read().rows
      this.write({ rows: [...snapshot.rows, ...older].slice(0, CONSOLE_ROWS) })
      this.#newestId = Math.max(this.#newestId, snapshot.rows[0]?.id ?? 0)
    }
    const { takenBack } = snapshot
    if (takenBack.length > 0) {
      const mark = (row: Row) => (takenBack.includes(row.id) ? { ...row, isTakenBack: true } : row)
      this.write({ rows: this.read().rows.map(mark) })
    }
    this.#epoch = snapshot.epoch
    if (!this.read().hold.isHeld) this.#receivedAtHold = snapshot.received
    this.write({ newer: Math.max(0, snapshot.received - this.#receivedAtHold) })
    this.names.learn(snapshot.named)
  }

  #writeError(error: StandingError | null) {
    if (error === null) this.write({ error: undefined })
    else if (error.id > this.#dismissedId && error.id !== this.read().error?.id) this.write({ error })
  }

  /** Updates the hold; a list that resumes catches up at once. */
  #settle() {
    const before = this.read().hold
    const state = this.#hold.at(this.#parts.clock())
    const now = state.isHeld && (before.isHeld || isConnected(this.read())) ? state : RUNNING
    const isSame =
      now.isHeld === before.isHeld && now.isPaused === before.isPaused && now.reason === before.reason
    if (isSame) return
    this.write({ hold: now })
    if (before.isHeld && !now.isHeld) this.#pull()
  }
}

/** Milliseconds in which a clear can be undone. */
const UNDO_MS = 5_000
/** Milliseconds of a connection during which the first event is awaited. */
const FRESH_MS = 1_000
/** Milliseconds between two requests: before the first event, few events, many events, hidden page. */
const FIRST_MS = 20
const CALM_MS = 100
const BUSY_MS = 250
const HIDDEN_MS = 1_000
/** Events a second that count as many. */
const BUSY_PER_SECOND = 50
