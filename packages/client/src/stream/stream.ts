import { type PairwireError, sdkError } from '../errors.ts'
import type { Frame } from '../lasting-line.ts'
import type { Clock } from '../platform.ts'
import type { Member, SharedLine } from '../shared-line.ts'
import { CursorKeeper } from './cursor-keeper.ts'
import type { Gap, SideItem, StreamEvent } from './items.ts'
import { Place } from './place.ts'
import { asError, isEvent, type Listened, Reading } from './reading.ts'
import type { ReadStreamOptions } from './stream-options.ts'
import { Unread } from './unread.ts'

/** What a stream has done since it was made. */
export type StreamStats = Readonly<{
  /** Events that came; those that came twice are not among them. */
  received: number
  /** Events that its reader was handed. */
  delivered: number
  /** Events that came again, and were dropped. */
  duplicates: number
  gaps: number
  /** Events that `drop_oldest` has dropped. */
  dropped: number
  /** Items that wait for the reader. */
  unread: number
  /** Times that it was subscribed to. */
  connects: number
  /** Times that it was full and rested the line. */
  slowedDown: number
}>

/** Events of one kind, in order, each once, over any number of broken lines. It has one reader. */
export type Stream<Event extends StreamEvent = StreamEvent, Params extends object = object> = Readonly<{
  /** Reads the events. @throws UsageError (`ALREADY_READ`) when it has a reader */
  [Symbol.asyncIterator](): AsyncIterableIterator<Event>
  /** Reads everything that stands in it, each with its `type`. @throws as iterating does */
  items(): AsyncIterableIterator<Event | SideItem>
  /** `event`: reads the events. The others are called in their place among them. What they return is waited for. */
  on<Name extends keyof Listened<Event>>(
    name: Name,
    listener: (item: Listened<Event>[Name]) => unknown,
  ): Stream<Event, Params>
  /** Resolves when the service has changed the filter; rejects where it refuses, and the old one stands. */
  update(params: Params): Promise<void>
  /** The place up to which its reader has finished. */
  cursor: string | null
  /** The error that ended it, or null. Never rejects. */
  closed: Promise<Error | null>
  stats(): StreamStats
  /** Ends it at once: what is unread is neither handed out nor saved. Resolves when its place is saved. */
  close(): Promise<void>
}>

/** What a stream is made of. */
type StreamParts = Readonly<{
  kind: Member['kind']
  params: Readonly<{ commitment?: string; replay?: object }>
  options: ReadStreamOptions
  line: SharedLine
  clock: Clock
  docsUrl: string
  warn(sentence: string): void
  /** It has ended. */
  ended(): void
}>

/** The types of events, by the methods of their frames. */
const EVENT_TYPES: Readonly<Record<string, StreamEvent['type']>> = {
  swapNotification: 'swap',
  newPairNotification: 'newPair',
  latestBlockNotification: 'block',
}

/** A stream from both sides: what its reader asks stands above, what its line asks and tells below. */
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
  /** The params that the service has agreed to. */
  #agreed: object
  #isFull = false
  #isOver = false
  #stopSignal = () => {}

  constructor(parts: StreamParts) {
    const { kind, params, options, clock, warn, docsUrl } = parts
    const { name, cursors, saveEveryMs, signal } = options
    this.kind = kind
    this.name = name
    this.#parts = parts
    this.#agreed = params
    this.#place = new Place({ isPlaced: params.commitment !== 'processed' })
    this.#keeper = cursors && new CursorKeeper(cursors, name, { clock, everyMs: saveEveryMs, warn })
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
    const abort = () => void this.close()
    signal?.addEventListener('abort', abort)
    this.#stopSignal = () => signal?.removeEventListener('abort', abort)
    if (signal?.aborted) abort()
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
    // Of everything, it hands out events only.
    return this.#reading.iterate(false) as AsyncIterableIterator<StreamEvent>
  }

  items(): AsyncIterableIterator<StreamEvent | SideItem> {
    return this.#reading.iterate(true)
  }

  on(name: keyof Listened<StreamEvent>, listener: (item: never) => unknown): this {
    this.#reading.on(name, listener)
    return this
  }

  update(params: object): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isOver || this.#reading.ending) reject(this.#endedError())
      else if (this.#updates.push({ params, resolve, reject }) === 1) this.#parts.line.update(this)
    })
  }

  async close(): Promise<void> {
    this.#conclude(this.#reading.ending?.error ?? null, false)
    await this.#keeper?.close()
  }

  get place(): string | null {
    return this.#place.cursor
  }

  get params(): object {
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
      // What the service hangs up with on who reads too slowly: the line comes back and gets all of it.
      if (cause === 'slow_consumer' && resumeFrom !== null) return
      if (this.#place.isNewGap(params)) this.#gap({ type: 'gap', fromSlot, toSlot, cause, resumeFrom })
    } else if (method === 'pairUpdateNotification' || method === 'slotDroppedNotification') {
      const { subscription_id: _, ...members } = params
      const type = method === 'pairUpdateNotification' ? 'pairUpdate' : 'slotDropped'
      this.#put({ type, ...members }, null)
    }
  }

  cannotResume(oldest: string | null): boolean {
    if (this.#parts.options.tooOld === 'throw') return false
    this.#gap(this.#place.skipTo(oldest), oldest)
    return true
  }

  end(error: PairwireError | null): void {
    if (!this.#isOver) this.#reading.end(error)
  }

  #event(type: StreamEvent['type'], frame: Frame): void {
    const { cursor = null, commitment = 'confirmed', replay = false, receivedAt, sentAt, facts } = frame
    if (cursor !== null && !this.#place.move(cursor)) {
      this.#stats.duplicates++
      return
    }
    // Made of the frame's own params, which nobody else holds.
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
    const { item, isNewGap } = this.#unread.dropOldest()
    if (isEvent(item)) this.#stats.dropped++
    if (isNewGap) this.#stats.gaps++
  }

  #noteTaken(): void {
    if (!this.#isFull || this.#unread.size > this.#parts.options.maxUnread / 2) return
    this.#isFull = false
    this.#parts.line.drained(this)
  }

  /** Opens it with its first reader, behind its place. */
  #start(): void {
    const { options, docsUrl } = this.#parts
    const begin = (place: string | null) => {
      if (this.#isOver) return
      this.#place.cursor = place
      this.#unread.startAt(place)
      this.#reading.startAt(place)
      this.#parts.line.join(this)
    }
    if (!this.#keeper) begin(options.from ?? null)
    else
      this.#keeper.load().then(
        (stored) => begin(stored ?? options.from ?? null),
        (error) => this.end(sdkError('CURSORS_UNREADABLE', docsUrl, { cause: asError(error) })),
      )
  }

  #conclude(error: Error | null, isTold: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    const { line, warn, ended } = this.#parts
    this.#unread.clear()
    this.#stopSignal()
    line.leave(this)
    for (const { reject } of this.#updates.splice(0)) reject(error ?? this.#endedError())
    void this.#keeper?.close()
    this.#settleClosed(error)
    ended()
    this.#reading.stop()
    if (error && !isTold && !this.#isClosedAsked)
      warn(`The stream "${this.name}" has ended: ${error.message}`)
  }

  #endedError(): PairwireError {
    return sdkError('STREAM_ENDED', this.#parts.docsUrl)
  }
}
