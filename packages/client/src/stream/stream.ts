import type { Clock } from '../clock.ts'
import { asError, type PairwireError, sdkError } from '../errors.ts'
import type { Frame } from '../lasting-line.ts'
import type { Member, SharedLine } from '../shared-line.ts'
import { CursorKeeper } from './cursor-keeper.ts'
import type { Gap, SideItem, StreamEvent } from './items.ts'
import { Place } from './place.ts'
import { isEvent, type Listened, Reading } from './reading.ts'
import type { ReadStreamOptions } from './stream-options.ts'
import { Unread } from './unread.ts'

/** Counts of a stream since it was made. */
export type StreamStats = Readonly<{
  /** Events received, without duplicates. */
  received: number
  /** Events handed to the reader. */
  delivered: number
  /** Events received again, and dropped. */
  duplicates: number
  gaps: number
  /** Events dropped by `drop_oldest`. */
  dropped: number
  /** Items waiting for the reader. */
  unread: number
  /** Times that it subscribed. */
  connects: number
  /** Times that it was full and paused the connection. */
  slowedDown: number
}>

/** A stream of events of one kind, in order, each once, across reconnects. It has one reader. */
export type Stream<Event extends StreamEvent = StreamEvent, Params extends object = object> = Readonly<{
  /** Reads the events. @throws UsageError (`ALREADY_READ`) when it has a reader */
  [Symbol.asyncIterator](): AsyncIterableIterator<Event>
  /** Reads every item, each with its `type`. @throws as iterating does */
  items(): AsyncIterableIterator<Event | SideItem>
  /** `event` reads the events; the other names are called in order among them. Listeners are awaited. */
  on<Name extends keyof Listened<Event>>(
    name: Name,
    listener: (item: Listened<Event>[Name]) => unknown,
  ): Stream<Event, Params>
  /** Changes the filter; resolves once it is in force, at once before it is read. If refused, rejects and keeps the old one. */
  update(params: Params): Promise<void>
  /** The cursor of the last event that the reader has finished. */
  cursor: string | null
  /** The error that ended it, or null. Never rejects. */
  closed: Promise<Error | null>
  stats(): StreamStats
  /** Ends it at once: unread items are neither handed out nor saved. Resolves when its cursor is saved. */
  close(): Promise<void>
}>

/** The parts of a stream. */
type StreamParts = Readonly<{
  kind: Member['kind']
  params: Readonly<{ commitment?: string | undefined; replay?: object | undefined }>
  options: ReadStreamOptions
  line: SharedLine
  clock: Clock
  docsUrl: string
  warn(sentence: string): void
  /** It has ended. */
  ended(): void
}>

/** Event types by the method of their frame. */
const EVENT_TYPES: Readonly<Record<string, StreamEvent['type']>> = {
  swapNotification: 'swap',
  newPairNotification: 'newPair',
  latestBlockNotification: 'block',
}

/** Types of the items between events, except gaps, by the method of their frame. */
const SIDE_TYPES: Readonly<Record<string, 'pairUpdate' | 'slotDropped'>> = {
  pairUpdateNotification: 'pairUpdate',
  slotDroppedNotification: 'slotDropped',
}

/** A stream from both sides: first the methods for its reader, then those for its connection. */
export class EventStream implements Member {
  readonly kind: Member['kind']
  readonly name: string
  readonly #parts: StreamParts
  readonly #place: Place
  readonly #unread = new Unread()
  readonly #keeper: CursorKeeper | undefined
  readonly #reading: Reading
  readonly #updates: { params: object; resolve(): void; reject(error: Error): void }[] = []
  readonly #stats = { received: 0, duplicates: 0, gaps: 0, dropped: 0, connects: 0, slowedDown: 0 }
  readonly #closed: Promise<Error | null>
  #settleClosed!: (error: Error | null) => void
  #isClosedAsked = false
  /** The params that the service has accepted. */
  #agreed: object
  #isFull = false
  #isOver = false
  readonly #abort = () => void this.close()

  constructor(parts: StreamParts) {
    const { kind, params, options, clock, warn, docsUrl } = parts
    const { name, cursors, saveEveryMs, signal } = options
    this.kind = kind
    this.name = name
    this.#parts = parts
    this.#agreed = params
    this.#place = new Place({ isPlaced: params.commitment !== 'processed' })
    this.#keeper = cursors && new CursorKeeper({ store: cursors, name, clock, everyMs: saveEveryMs, warn })
    this.#reading = new Reading({
      ...{ name, warn, unread: this.#unread, keeper: this.#keeper, docsUrl },
      started: () => this.#start(),
      taken: () => this.#noteTaken(),
      ended: (error, isTold) => this.#conclude(error, isTold),
      left: () => this.close(),
    })
    this.#closed = new Promise((resolve) => {
      this.#settleClosed = resolve
    })
    signal?.addEventListener('abort', this.#abort)
    if (signal?.aborted) this.#abort()
  }

  get cursor(): string | null {
    return this.#reading.finished
  }

  get closed(): Promise<Error | null> {
    this.#isClosedAsked = true
    return this.#closed
  }

  stats(): StreamStats {
    return { ...this.#stats, delivered: this.#reading.delivered, unread: this.#unread.size }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<StreamEvent> {
    // Of all items, it hands out events only.
    return this.#reading.iterate(false) as AsyncIterableIterator<StreamEvent>
  }

  items(): AsyncIterableIterator<StreamEvent | SideItem> {
    return this.#reading.iterate(true)
  }

  on(name: keyof Listened<StreamEvent>, listener: (item: never) => unknown): this {
    this.#reading.on(name, listener)
    return this
  }

  update(params: object | null | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const count = this.#updates.push({ params: params ?? {}, resolve, reject })
      if (this.#isOver || this.#reading.ending) this.#rejectUpdates(null)
      else if (count === 1) this.#parts.line.update(this)
    })
  }

  async close(): Promise<void> {
    this.#conclude(this.#reading.ending?.error ?? null, false)
    await this.#keeper?.close()
  }

  get place(): string | null {
    return this.#place.cursor
  }

  get params(): Member['params'] {
    const { commitment, replay } = this.#parts.params
    return { ...this.#agreed, ...(commitment && { commitment }), ...(replay && { replay }) }
  }

  get wantedParams(): object | undefined {
    return this.#updates[0]?.params
  }

  settled(error: PairwireError | null): void {
    const update = this.#updates.shift()
    if (error) update?.reject(error)
    else if (update) {
      this.#agreed = update.params
      update.resolve()
    }
    this.#parts.line.update(this)
  }

  subscribed(): void {
    this.#stats.connects++
  }

  interrupted(): void {
    this.#place.break()
  }

  passed(cursor: string | undefined, slot: number): void {
    if (this.#place.pass(cursor, slot) && cursor) this.#reading.pass(cursor)
  }

  frame(frame: Frame): void {
    const { method, params } = frame
    const event = EVENT_TYPES[method]
    if (event) this.#event(event, frame)
    else if (method === 'gapNotification') {
      const { fromSlot, toSlot, cause, resume_from: resumeFrom } = params
      // The service closes slow consumers with this gap; the client reconnects and gets everything.
      if (cause === 'slow_consumer' && resumeFrom !== null) return
      if (this.#place.isNewGap(params)) this.#gap({ type: 'gap', fromSlot, toSlot, cause, resumeFrom })
    } else if (SIDE_TYPES[method]) {
      const { subscription_id: _, ...members } = params
      this.#put({ type: SIDE_TYPES[method], ...members }, null)
    }
  }

  cannotResume(oldest: string | null): boolean {
    if (this.#parts.options.tooOld === 'throw') return false
    this.#gap(this.#place.skipTo(oldest), oldest)
    return true
  }

  end(error: PairwireError | null): void {
    if (!this.#isOver) this.#reading.end(error)
    // Its reader may be waiting for one of them, and not get to the end before.
    this.#rejectUpdates(error)
  }

  #event(type: StreamEvent['type'], frame: Frame): void {
    const { cursor = null, commitment = 'confirmed', replay = false, receivedAt, sentAt, facts } = frame
    if (cursor !== null && !this.#place.move(cursor)) {
      this.#stats.duplicates++
      return
    }
    // Reuses the frame's own params, which nothing else holds.
    const item = frame.params
    item.type = type
    item.cursor = cursor
    item.commitment = commitment
    item.replay = replay
    if (receivedAt !== undefined) Object.assign(item, { receivedAt, sentAt })
    if (facts !== undefined) item.facts = facts
    const gap = this.#place.gapBefore(item)
    if (gap) this.#gap(gap)
    this.#stats.received++
    this.#put(item, cursor)
  }

  #gap(gap: Gap, place: string | null = null): void {
    this.#stats.gaps++
    this.#put(gap, place)
  }

  #put(item: StreamEvent | SideItem, place: string | null): void {
    const { maxUnread, whenFull } = this.#parts.options
    if (this.#isOver || this.#reading.ending) return
    this.#unread.push({ item, place })
    if (whenFull === 'drop_oldest' && this.#unread.size > maxUnread) this.#drop()
    this.#reading.wake()
    if (whenFull === 'drop_oldest' || this.#isFull || this.#unread.size < maxUnread) return
    this.#isFull = true
    this.#stats.slowedDown++
    this.#parts.line.full(this)
  }

  #drop(): void {
    const { item, isNewGap } = this.#unread.dropOldest(this.#reading.place)
    if (isEvent(item)) this.#stats.dropped++
    if (isNewGap) this.#stats.gaps++
  }

  #noteTaken(): void {
    if (!this.#isFull || this.#unread.size > this.#parts.options.maxUnread / 2) return
    this.#isFull = false
    this.#parts.line.drained(this)
  }

  /** Opens it with its first reader, after its cursor. */
  #start(): void {
    const { options, docsUrl } = this.#parts
    const begin = (place: string | null) => {
      if (this.#isOver) return
      this.#place.cursor = place
      this.#reading.finished = place
      this.#parts.line.join(this)
    }
    if (!this.#keeper) begin(options.from ?? null)
    else
      this.#keeper.load().then(
        (stored) => begin(stored ?? options.from ?? null),
        (error) => this.end(sdkError('CURSORS_UNREADABLE', docsUrl, asError(error))),
      )
  }

  #conclude(error: Error | null, isTold: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    const { line, warn, ended, options } = this.#parts
    this.#unread.clear()
    options.signal?.removeEventListener('abort', this.#abort)
    line.leave(this)
    this.#rejectUpdates(error)
    void this.#keeper?.close()
    this.#settleClosed(error)
    ended()
    this.#reading.stop()
    if (error && !isTold && !this.#isClosedAsked)
      warn(`The stream "${this.name}" has ended: ${error.message}`)
  }

  #rejectUpdates(error: Error | null): void {
    const why = error ?? sdkError('STREAM_ENDED', this.#parts.docsUrl)
    for (const { reject } of this.#updates.splice(0)) reject(why)
  }
}
