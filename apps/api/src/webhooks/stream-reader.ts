import { type Clock, createFairQueue, type Log } from '@pairwire/basics'
import { type Bus, CursorTooOldError } from '@pairwire/bus'
import { cursorBefore, type StreamEvent } from '@pairwire/contract'
import { createInterestIndex, type Interest, type Interested, wantsEvent } from '@pairwire/filter'
import { traceOf } from '../trace-of.ts'

/** Readings that read kept events at a time, and batches of them in one turn. */
const READ_AT_ONCE = 3
const BATCHES_A_TURN = 8

/** Milliseconds until the next attempt while the stream is away, or has not reached the place yet. */
const READ_AGAIN_MS = 1_000

/** The same if newer events have just been published. */
const READ_SOON_MS = 20

/** Milliseconds for which a place may be ahead of the stream before it counts as a place in another one. */
const AHEAD_MS = 60_000

/** The reading of the stream for one endpoint. */
export type Reading = {
  readonly accountId: string
  readonly interest: Interest
  /** Everything wanted up to this cursor was taken. */
  readTo: string
  /** Takes the next wanted event; false if there is no room: then no more come until {@link StreamReader.read}. */
  take(event: StreamEvent): boolean
  /** Called when events up to `to` are no longer kept, or the place is in another stream: reading continues after `place`. */
  onLost(to: string, place: string): void
  /** Whether it has ended. */
  isOver: boolean
}

/** The bus as readers of the stream need it. */
export type StreamBus = Pick<Bus, 'subscribe' | 'replay' | 'holds' | 'newestCursor' | 'oldestCursor'>

type Level = Interested & { readonly reading: Reading }

/**
 * Reads the stream for all endpoints: those level with it share one listener and one index; each other one reads kept
 * events, a few at a time and fairly by account.
 */
export class StreamReader {
  readonly #bus: StreamBus
  readonly #clock: Clock
  readonly #log: Log
  readonly #queue = createFairQueue(READ_AT_ONCE)
  /** Those level with the stream, by the kinds of event that each is checked for: all for gaps. Filters of swaps are in the index. */
  readonly #level = {
    gap: new Set<Reading>(),
    swap: new Set<Reading>(),
    newPair: new Set<Reading>(),
    latestBlock: new Set<Reading>(),
  }
  readonly #filtered = new Map<Reading, Level>()
  /** Those that read kept events, and whether {@link read} was called again meanwhile. */
  readonly #reading = new Map<Reading, boolean>()
  readonly #aheadSince = new WeakMap<Reading, number>()
  readonly #index = createInterestIndex<Level>()
  #newest = ''
  #stop: (() => void) | undefined

  constructor({ bus, clock, log }: Readonly<{ bus: StreamBus; clock: Clock; log: Log }>) {
    this.#bus = bus
    this.#clock = clock
    this.#log = log
  }

  /** How many are level with the stream. */
  get level(): number {
    return this.#level.gap.size
  }

  /** The cursor up to which everything wanted was taken. */
  placeOf(reading: Reading): string {
    return this.#level.gap.has(reading) && this.#newest > reading.readTo ? this.#newest : reading.readTo
  }

  /** Continues reading for an endpoint that has room. */
  read(reading: Reading): void {
    if (this.#level.gap.has(reading) || reading.isOver) return
    if (this.#reading.has(reading)) return void this.#reading.set(reading, true)
    this.#stop ??= this.#bus.subscribe((events) => this.#listen(events))
    this.#reading.set(reading, false)
    void this.#queue(reading.accountId, () => this.#catchUp(reading))
      .catch((error) => {
        this.#log.warn('The kept stream cannot be read for a webhook; trying again.', traceOf(error))
        return READ_AGAIN_MS
      })
      .then((again) => {
        const isAsked = this.#reading.get(reading)
        this.#reading.delete(reading)
        if (again === undefined && !isAsked) return
        if (!again) this.read(reading)
        else this.#clock.after(again, () => this.read(reading))
      })
  }

  /** Stops reading for it. */
  end(reading: Reading): void {
    reading.isOver = true
    this.#leave(reading)
  }

  /**
   * Passes the kept events after `after`, up to `last`, to `take`, until that returns false. @returns `early` if the stream has
   * not reached `last`, `broken` if some events are no longer kept or were not taken
   */
  readUntil(
    accountId: string,
    { after, last }: Readonly<{ after: string; last: string }>,
    take: (event: StreamEvent) => boolean,
  ): Promise<'whole' | 'early' | 'broken'> {
    return this.#queue(accountId, async () => {
      try {
        for await (const events of this.#bus.replay(after)) {
          const end = events.findIndex(({ cursor }) => cursor > last)
          if (!(end < 0 ? events : events.slice(0, end)).every(take)) return 'broken'
          if (end >= 0) return 'whole'
        }
      } catch (error) {
        if (error instanceof CursorTooOldError) return 'broken'
        throw error
      }
      return ((await this.#bus.newestCursor()) ?? '') >= last ? 'whole' : 'early'
    })
  }

  close(): void {
    for (const reading of this.#level.gap) this.end(reading)
    this.#stop?.()
  }

  #listen(events: readonly StreamEvent[]): void {
    const matching: Reading[] = []
    const note = ({ reading }: Level) => void matching.push(reading)
    for (const event of events) {
      for (const reading of this.#level[event.kind]) if (wants(reading, event)) this.#pass(event, reading)
      if (event.kind !== 'swap') continue
      this.#index.match(event.params.swap, note)
      // Not while the index is read: a reading without room leaves it.
      while (matching.length > 0) this.#pass(event, matching.pop()!)
    }
    this.#newest = events.at(-1)?.cursor ?? this.#newest
  }

  #pass(event: StreamEvent, reading: Reading): void {
    if (event.cursor <= reading.readTo) return
    if (reading.take(event)) reading.readTo = event.cursor
    else this.#leave(reading)
  }

  /** @returns milliseconds after which to continue; undefined if it is level, has no room or is over */
  async #catchUp(reading: Reading): Promise<number | undefined> {
    let batches = 0
    try {
      for await (const events of this.#bus.replay(reading.readTo)) {
        if (!takeAll(reading, events)) return undefined
        if (++batches >= BATCHES_A_TURN) return 0
      }
    } catch (error) {
      if (!(error instanceof CursorTooOldError)) throw error
      const oldest = error.oldest ?? (await this.#bus.oldestCursor())
      if (oldest === undefined) return READ_AGAIN_MS
      const place = await placeBefore(this.#bus, oldest)
      if (!reading.isOver) reading.onLost(oldest, place)
      return undefined
    }
    return this.#join(reading, batches > 0)
  }

  async #join(reading: Reading, hasRead: boolean): Promise<number | undefined> {
    const newest = await this.#bus.newestCursor()
    if (reading.isOver) return undefined
    if (newest === undefined) return READ_AGAIN_MS
    if (reading.readTo > newest && reading.readTo > this.#newest) {
      const since = this.#aheadSince.get(reading) ?? this.#clock.elapsed()
      this.#aheadSince.set(reading, since)
      if (this.#clock.elapsed() - since < AHEAD_MS) return READ_AGAIN_MS
      reading.onLost(newest, newest)
      return undefined
    }
    this.#aheadSince.delete(reading)
    // Published since the last page was read.
    if (reading.readTo < this.#newest) return hasRead ? 0 : READ_SOON_MS
    const { interest } = reading
    const filter = interest.kind === 'swap' ? interest.filter : null
    this.#level.gap.add(reading)
    if (!filter) this.#level[interest.kind].add(reading)
    else {
      const entry = { reading, filter, isAsked: false, mark: 0, places: undefined }
      this.#index.add(entry)
      this.#filtered.set(reading, entry)
    }
    return undefined
  }

  #leave(reading: Reading): void {
    const entry = this.#filtered.get(reading)
    if (entry) this.#index.remove(entry)
    this.#filtered.delete(reading)
    for (const readings of Object.values(this.#level)) readings.delete(reading)
  }
}

/** Passes on the wanted ones of some kept events; false if the reading has ended, or has no room. */
function takeAll(reading: Reading, events: readonly StreamEvent[]): boolean {
  for (const event of events) {
    if (reading.isOver) return false
    if (event.cursor <= reading.readTo) continue
    if (wants(reading, event) && !reading.take(event)) return false
    reading.readTo = event.cursor
  }
  return true
}

/** The place just before the oldest event, or just after it if nothing is known of what came before. */
export async function placeBefore(bus: Pick<Bus, 'holds'>, oldest: string): Promise<string> {
  const before = cursorBefore(oldest)
  return (await bus.holds(before)) ? before : oldest
}

/** Whether an endpoint with this interest gets the event; each gets gaps. */
function wants({ interest }: Reading, event: StreamEvent): boolean {
  return event.kind === 'gap' || wantsEvent(interest, event)
}
