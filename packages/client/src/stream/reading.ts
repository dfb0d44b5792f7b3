import { asError, type PairwireError, sdkError } from '../errors.ts'
import type { CursorKeeper } from './cursor-keeper.ts'
import type { Entry, Gap, PairUpdate, SideItem, SlotDropped, StreamEvent } from './items.ts'
import type { Unread } from './unread.ts'

/** The names that listeners can use, and what each is given. */
export type Listened<Event> = { event: Event; gap: Gap; pairUpdate: PairUpdate; slotDropped: SlotDropped }

/** A step of an iteration. */
type Step = IteratorResult<StreamEvent | SideItem, undefined>

const DONE: Step = { done: true, value: undefined }

/** What a reader needs from its stream. */
type ReadingParts = Readonly<{
  /** Name of the stream. */
  name: string
  docsUrl: string
  unread: Unread
  keeper: CursorKeeper | undefined
  warn(sentence: string): void
  /** It has a reader. */
  started(): void
  /** An unread item was taken. */
  taken(): void
  /** The reader reached the end, or threw; `isTold` if the error was handed to it. */
  ended(error: Error | null, isTold: boolean): void
  /** The reader stopped early. */
  left(): Promise<void>
}>

/** The one reader of a stream: a listener, which is awaited, or an iteration. */
export class Reading {
  /** Events handed out. */
  delivered = 0
  /** Cursor of the last item that the reader has finished. */
  finished: string | null = null
  /** What it ends with once everything is handed out. */
  ending: Readonly<{ error: PairwireError | null }> | undefined
  readonly #parts: ReadingParts
  readonly #listeners = new Map<string, ((item: never) => unknown)[]>()
  #kind: 'none' | 'listener' | 'iteration' = 'none'
  /** The item last handed out, until the reader has finished it. */
  #current: Entry | undefined
  /** Whether the listener is running. */
  #isPumping = false
  /** The pending step of an iteration. */
  #step: Promise<Step> | undefined
  #wake = () => {}
  #isOver = false

  constructor(parts: ReadingParts) {
    this.#parts = parts
  }

  /** Cursor of the last item handed out. */
  get place(): string | null {
    return this.#current?.place ?? this.finished
  }

  /** An item is unread. */
  wake(): void {
    if (this.#kind === 'listener') this.#pump()
    else this.#wake()
  }

  /** Everything up to this cursor was sent: a waiting reader has finished with it. */
  pass(place: string): void {
    if (!this.#current && this.#parts.unread.isEmpty) this.#noteFinished(place)
  }

  /** Ends it once everything is handed out. */
  end(error: PairwireError | null): void {
    this.ending ??= { error }
    this.wake()
  }

  /** Ends it at once. */
  stop(): void {
    this.#isOver = true
    this.#current = undefined
    this.#wake()
  }

  on(name: keyof Listened<StreamEvent>, listener: (item: never) => unknown): void {
    if (name === 'event') this.#claim('listener')
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener])
    if (name === 'event') this.#parts.started()
  }

  /** Iterates over events, or over everything. */
  iterate(everything: boolean): AsyncIterableIterator<StreamEvent | SideItem> {
    this.#claim('iteration')
    this.#parts.started()
    const iterator: AsyncIterableIterator<StreamEvent | SideItem> = {
      next: () => this.#next(everything),
      return: async () => {
        await this.#parts.left()
        return DONE
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  #claim(kind: 'listener' | 'iteration'): void {
    if (this.#kind !== 'none') throw sdkError('ALREADY_READ', this.#parts.docsUrl)
    this.#kind = kind
  }

  #take(): Entry | undefined {
    this.#current = this.#isOver ? undefined : this.#parts.unread.take()
    if (this.#current) this.#parts.taken()
    return this.#current
  }

  /** The reader asks for the next item, so it has finished the last one. */
  #finish(): void {
    const place = this.#current?.place
    this.#current = undefined
    if (place) this.#noteFinished(place)
  }

  #noteFinished(place: string): void {
    this.finished = place
    this.#parts.keeper?.note(place)
  }

  /** Hands the listener the unread items, one at a time. */
  #pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    try {
      for (let entry = this.#take(); entry; entry = this.#take()) {
        const work = this.#tell(entry)
        if (work || this.#parts.keeper?.savesEach) {
          void this.#pumpLater(work)
          return
        }
        this.#finish()
      }
    } catch (error) {
      this.#parts.ended(asError(error), false)
    }
    this.#isPumping = false
    if (this.ending) this.#parts.ended(this.ending.error, false)
  }

  async #pumpLater(work: Promise<unknown> | undefined): Promise<void> {
    try {
      await work
      if (!this.#isOver) this.#finish()
      if (this.#parts.keeper?.savesEach) await this.#parts.keeper.flush()
    } catch (error) {
      this.#parts.ended(asError(error), false)
    }
    this.#isPumping = false
    this.#pump()
  }

  #next(everything: boolean): Promise<Step> {
    // Overlapping calls are answered in turn.
    if (this.#step) return this.#step.then(() => this.#next(everything))
    const { unread, keeper } = this.#parts
    this.#finish()
    if (!keeper?.savesEach && unread.isEventNext && !this.#isOver) {
      this.delivered++
      return Promise.resolve({ done: false, value: this.#take()!.item })
    }
    this.#step = this.#nextLater(everything).finally(() => {
      this.#step = undefined
    })
    return this.#step
  }

  async #nextLater(everything: boolean): Promise<Step> {
    const { keeper, ended } = this.#parts
    if (keeper?.savesEach) await keeper.flush()
    while (!this.#isOver) {
      const entry = this.#take()
      if (entry) {
        const isOne = isEvent(entry.item)
        if (isOne) this.delivered++
        else await this.#tellBeside(entry, everything)
        if (this.#isOver) return DONE
        if (isOne || everything) return { done: false, value: entry.item }
        this.#finish()
      } else if (this.ending) {
        const { error } = this.ending
        ended(error, true)
        if (error) throw error
      } else {
        await new Promise<void>((resolve) => {
          // Once: Node calls back to itself whenever a resolved promise is resolved again.
          this.#wake = () => {
            this.#wake = () => {}
            resolve()
          }
        })
      }
    }
    return DONE
  }

  async #tellBeside(entry: Entry, everything: boolean): Promise<void> {
    if (everything && !this.#listeners.has(entry.item.type)) return
    try {
      await this.#tell(entry)
    } catch (error) {
      this.#parts.ended(asError(error), true)
      throw error
    }
  }

  /** Calls the listeners of an item. @returns a promise to await, or undefined. @throws what they throw */
  #tell({ item }: Entry): Promise<unknown> | undefined {
    if (isEvent(item)) this.delivered++
    const listeners = this.#listeners.get(isEvent(item) ? 'event' : item.type)
    if (!listeners) {
      const sentence = sentenceOf(item)
      if (sentence) this.#parts.warn(`The stream "${this.#parts.name}" ${sentence}`)
      return undefined
    }
    // One at a time: each listener is awaited before the next.
    let work: Promise<unknown> | undefined
    for (const listener of listeners) {
      // Each was registered for items of this type.
      const call = listener as (item: StreamEvent | SideItem) => unknown
      const result = work ? work.then(() => call(item)) : call(item)
      if (isPromise(result)) work = result
    }
    return work
  }
}

/** Whether an item is an event. */
export function isEvent(item: StreamEvent | SideItem): item is StreamEvent {
  return 'cursor' in item
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}

/** Returns the warning for an item without a listener; undefined if it needs none. */
function sentenceOf(item: StreamEvent | SideItem): string | undefined {
  if (item.type === 'gap') {
    const { fromSlot, toSlot, cause } = item
    return `is missing events of slots ${fromSlot ?? '?'} to ${toSlot ?? '?'} (${cause}).`
  }
  if (item.type !== 'slotDropped') return undefined
  return `sent ${item.signatures.length} transactions of slot ${item.slot} that are not on the chain.`
}
