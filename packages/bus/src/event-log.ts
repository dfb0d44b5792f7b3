import { basename } from 'node:path'
import { cursorBefore, parseCursor, type StreamEvent } from '@pairwire/contract'
import { type Found, type Segment, SegmentLog } from '@pairwire/segment-log'
import { CursorTooOldError, type InTurn } from './bus.ts'
import { isSound, RECORD_FORMAT, type RecordHeader, readEvents, readHeader } from './event-record.ts'
import { eventsAfter, lastIndexWhere } from './event-ring.ts'
import { gapBetween } from './gap-between.ts'

/** How much is kept; the first limit reached applies. */
export type Retention = Readonly<{ milliseconds: number; bytes: number }>

/** What {@link openEventLog} needs. */
type EventLogOptions = Readonly<{
  folder: string
  /** The kind of source of the events; events of another kind are removed. */
  kind: string
  retention: Retention
  /** Unix milliseconds. */
  now(): number
  /** Called with what cannot be read. */
  warn(sentence: string, details: Record<string, unknown>): void
  /** Returns the events of a record, possibly from a cache. */
  remember?: Remember
  /** Whether another process may be writing: then nothing is changed, and the log ends where it ended at opening. */
  readOnly?: boolean
}>

/** Reads with `load`, unless the result under `key` is still cached. */
export type Remember = (
  key: string,
  load: () => Promise<readonly StreamEvent[]>,
) => Promise<readonly StreamEvent[]>

/**
 * The offset, size and last cursor of each record of a file: some 80 bytes of memory per record, so it is kept for
 * every file.
 */
type Index = {
  /** Cursor of the first event. */
  first: string | undefined
  readonly offsets: number[]
  readonly sizes: number[]
  readonly lasts: string[]
}

/** Version of the files. */
const FORMAT = 'pairwire events 1'

/** Bytes, and share of the retention time, after which a new file is begun: only whole files are dropped. */
const SEGMENT_BYTES = 16 * 1024 * 1024
const SEGMENTS_IN_BYTES = 16
const SEGMENTS_IN_TIME = 24

/** Milliseconds until written data is flushed to disk, against a power cut. */
const SYNC_EVERY_MS = 1_000

/** Opens the log in its folder with what an earlier process left, without a truncated last record. */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const { folder, readOnly: isReadOnly = false, now } = options
  const log = new EventLog(options, await SegmentLog.open({ folder, ending: 'events', now, isReadOnly }))
  await log.takeUp()
  return log
}

/**
 * Records of events in a log of files. The head of a file has the kind of source and the cursor of the last event
 * before it, so that damaged or missing parts are recognised, and read as a gap.
 */
export class EventLog {
  readonly #options: EventLogOptions
  readonly #files: SegmentLog
  /** The head of a file before its cursor. */
  readonly #head: string
  /** Per file, once requested. */
  readonly #indexes = new WeakMap<Segment, Promise<Index>>()
  readonly #warned = new Set<string>()
  #newest: string | undefined
  /** By the clock that never steps back. */
  #syncedAt: number

  /** Call {@link takeUp} next. */
  constructor(options: EventLogOptions, files: SegmentLog) {
    this.#options = options
    this.#files = files
    this.#head = `${FORMAT} ${options.kind} `
    this.#syncedAt = performance.now()
  }

  /** Resumes the newest file: cuts off an incomplete end, and moves to the previous file if nothing is left. */
  async takeUp(): Promise<void> {
    const { readOnly = false } = this.#options
    const segments = this.#files.segments
    for (const segment of segments.filter(({ head }) => !head.startsWith(this.#head)))
      await this.#remove(segment)
    for (let segment = segments.at(-1); segment; segment = segments.at(-1)) {
      const { index, end } = await this.#readWhole(segment)
      const last = index.lasts.at(-1)
      if (end < segment.size) this.#warnOfEnd(segment, end, last)
      if (last === undefined && segments.length > 1) {
        await this.#remove(segment)
        continue
      }
      if (!readOnly) await this.#files.truncate(segment, end)
      segment.size = end
      this.#indexes.set(segment, Promise.resolve(index))
      this.#newest = last ?? (this.#before(segment) || undefined)
      break
    }
    if (!readOnly) await this.#trim()
  }

  /** Cursor of the newest event on disk. */
  newestCursor(): string | undefined {
    return this.#newest
  }

  async oldestCursor(): Promise<string | undefined> {
    for (const segment of [...this.#files.segments]) {
      const { first } = await this.#indexOf(segment)
      if (first !== undefined) return first
    }
    return undefined
  }

  /** Bytes of all files. */
  size(): number {
    return this.#files.size
  }

  /** Appends records; `last` is the cursor of their last event. Rejects when the disk does not take all. */
  async append(records: readonly Buffer[], last: string): Promise<void> {
    const { retention, now } = this.#options
    const segmentBytes = Math.min(SEGMENT_BYTES, Math.ceil(retention.bytes / SEGMENTS_IN_BYTES))
    let segment = this.#files.segments.at(-1)
    const isFull = (each: Segment) =>
      each.size >= segmentBytes || now() - each.begunAt >= retention.milliseconds / SEGMENTS_IN_TIME
    if (!segment || isFull(segment)) segment = await this.#begin()

    const index = await this.#indexOf(segment)
    let at = segment.size
    await this.#files.append(segment, Buffer.concat(records))
    for (const record of records) {
      const { first, last } = readHeader(record, 0)!
      index.first ??= first
      index.offsets.push(at)
      index.sizes.push(record.length)
      index.lasts.push(last)
      at += record.length
    }
    this.#newest = last
    if (performance.now() - this.#syncedAt >= SYNC_EVERY_MS) {
      this.#syncedAt = performance.now()
      await this.#sync()
    }
    await this.#trim()
  }

  /** Whether {@link after} has the events after the cursor. */
  async holds(cursor: string): Promise<boolean> {
    const at = this.#find(cursor)
    if (typeof at === 'string') return at === 'end'
    const isKnown = this.#before(this.#files.segments[at]!) !== ''
    return isKnown || cursor >= ((await this.oldestCursor()) ?? cursor)
  }

  /**
   * Returns events after the cursor, at least one, from one record: `end` if none is on disk, `tooOld` if some were
   * dropped or are unknown.
   */
  async after(cursor: string, inTurn?: InTurn): Promise<readonly StreamEvent[] | 'end' | 'tooOld'> {
    const at = this.#find(cursor)
    if (typeof at === 'string') return at
    const segment = this.#files.segments[at]!
    const next = this.#files.segments[at + 1]
    const index = await this.#indexOf(segment)
    if (this.#before(segment) === '' && cursor < (index.first ?? cursor)) return 'tooOld'
    const place = lastIndexWhere(index.lasts, (last) => last <= cursor) + 1
    // The file ends earlier than the next one says.
    if (place === index.lasts.length) return next ? [gapBetween(cursor, this.#before(next))] : 'end'
    const events = await this.#read(segment, index, place, cursor, inTurn)
    return events === 'tooOld' ? events : eventsAfter(events, cursor)
  }

  /**
   * Yields all events after the cursor, record by record as written, up to the current end of the log, including
   * duplicates, which {@link after} skips. @throws CursorTooOldError when that returns `tooOld`
   */
  async *records(cursor: string): AsyncIterable<readonly StreamEvent[]> {
    const first = await this.after(cursor)
    if (first === 'end') return
    if (first === 'tooOld') throw new CursorTooOldError(await this.oldestCursor())
    let from = cursor
    for (const segment of this.#files.segments.slice(this.#find(cursor) as number)) {
      const before = this.#before(segment)
      if (before > from) yield [gapBetween(from, before)]
      const index = await this.#indexOf(segment)
      for (const [at, last] of index.lasts.entries()) {
        if (last <= cursor) continue
        const events = await this.#read(segment, index, at, from)
        if (events === 'tooOld') throw new CursorTooOldError(await this.oldestCursor())
        yield eventsAfter(events, cursor)
        from = last
      }
    }
  }

  /** Removes everything. */
  async clear(): Promise<void> {
    this.#newest = undefined
    while (this.#files.segments.length > 0) await this.#dropOldest()
  }

  async close(): Promise<void> {
    await this.#sync()
    await this.#files.close()
  }

  /** Cursor of the last event before a file; empty if unknown. */
  #before({ head }: Segment): string {
    return head.slice(this.#head.length)
  }

  async #begin(): Promise<Segment> {
    await this.#sync()
    const segment = await this.#files.begin(this.#head + (this.#newest ?? ''))
    this.#indexes.set(segment, Promise.resolve(indexOf([])))
    return segment
  }

  async #sync(): Promise<void> {
    try {
      await this.#files.sync()
    } catch (error) {
      this.#options.warn('The kept events may not survive a power cut.', { error: String(error) })
    }
  }

  /** Drops a file from the log, and removes it if the log may be changed. */
  async #remove(segment: Segment): Promise<void> {
    if (this.#options.readOnly) await this.#files.leaveOut(segment)
    else await this.#files.remove(segment)
  }

  async #dropOldest(): Promise<void> {
    const oldest = this.#files.segments[0]!
    await this.#files.remove(oldest).catch((error) => {
      const file = this.#files.pathOf(oldest)
      this.#options.warn('A file of old events cannot be removed.', { file, error: String(error) })
    })
  }

  async #trim(): Promise<void> {
    const { retention, now } = this.#options
    const { segments } = this.#files
    const oldestAt = now() - retention.milliseconds
    const isOver = () => this.#files.size > retention.bytes || segments[0]!.newestAt < oldestAt
    while (segments.length > 1 && isOver()) await this.#dropOldest()
  }

  /** Returns the index of the file with the events after the cursor, at least one. */
  #find(cursor: string): number | 'end' | 'tooOld' {
    if (this.#newest === undefined) return 'tooOld'
    if (cursor >= this.#newest) return 'end'
    const { segments } = this.#files
    // The last one that begins at or before the cursor.
    const at = lastIndexWhere(segments, (segment) => this.#before(segment) <= cursor)
    return at < 0 ? 'tooOld' : at
  }

  async #scan(segment: Segment): Promise<Found<RecordHeader>[]> {
    const found: Found<RecordHeader>[] = []
    await this.#files.scan(segment, RECORD_FORMAT, (record) => found.push(record))
    return found
  }

  /** Reads the newest file with its bodies. @returns also the offset after its last complete batch */
  async #readWhole(segment: Segment): Promise<{ index: Index; end: number }> {
    const found = await this.#scan(segment)
    const damaged = new Set<Found<RecordHeader>>()
    for (const record of found) {
      const { at, size, header } = record
      if (!header || !isSound(await this.#files.read(segment, at, size), header)) damaged.add(record)
    }
    const whole = upToLast(found, (each) => each.header?.endsBatch === true && !damaged.has(each))
    const index = indexOf(whole)
    for (const [place, record] of whole.entries()) {
      if (damaged.has(record) && !this.#options.readOnly) this.#warnOfDamage(segment, index, place)
    }
    const last = whole.at(-1)
    return { index, end: last ? last.at + last.size : segment.head.length + 1 }
  }

  /** Returns the index of a file; an unreadable one counts as a single damaged record, and is retried. */
  #indexOf(segment: Segment): Promise<Index> {
    const known = this.#indexes.get(segment)
    if (known) return known
    const reading = this.#scan(segment).then(
      (found) => indexOf(upToLast(found, ({ header }) => header?.endsBatch === true)),
      () => {
        this.#indexes.delete(segment)
        const { segments } = this.#files
        const next = segments[segments.indexOf(segment) + 1]
        const last = next ? this.#before(next) : this.#newest!
        return { first: undefined, offsets: [0], sizes: [0], lasts: [last] }
      },
    )
    this.#indexes.set(segment, reading)
    return reading
  }

  /** Returns the events of a record; a gap if it cannot be read. */
  async #read(segment: Segment, index: Index, at: number, from: string, inTurn?: InTurn) {
    const { remember = (_key, load) => load() } = this.#options
    const offset = index.offsets[at]!
    try {
      return await remember(`${segment.number} ${offset}`, async () => {
        const record = await this.#files.read(segment, offset, index.sizes[at]!)
        const header = readHeader(record, 0)
        if (!header || !isSound(record, header)) throw new Error('Its checksum is wrong.')
        return readEvents(record, inTurn)
      })
    } catch (error) {
      // Dropped in the meantime.
      if (!this.#files.segments.includes(segment)) return 'tooOld'
      this.#warnOfDamage(segment, index, at, error)
      return [gapBetween(from, index.lasts[at]!)]
    }
  }

  /** Warns once about what cannot be read of a file. */
  #warnOfDamage(segment: Segment, { offsets, lasts }: Index, at: number, error?: unknown): void {
    const file = this.#files.pathOf(segment)
    const before = lasts[at - 1] || this.#before(segment) || lasts[at]!
    const { fromSlot, toSlot } = gapBetween(before, lasts[at]!).params
    const sentence = `Kept events are damaged at byte ${offsets[at]} of ${basename(file)}: slots ${fromSlot} to ${toSlot} cannot be read whole, and clients get a gap in their place.`
    if (this.#warned.has(sentence)) return
    this.#warned.add(sentence)
    this.#options.warn(sentence, { file, ...(error !== undefined && { error: String(error) }) })
  }

  #warnOfEnd(segment: Segment, end: number, last: string | undefined): void {
    const slot = parseCursor(last ?? this.#before(segment))?.slot ?? 'any'
    this.#options.warn(
      `Events behind slot ${slot} are left out: from byte ${end} on a file is damaged, or not wholly written.`,
      { file: this.#files.pathOf(segment), bytes: segment.size - end },
    )
  }
}

/** Makes the index; damaged bytes are a record that cannot be read, up to the next one. */
function indexOf(found: readonly Found<RecordHeader>[]): Index {
  return {
    first: found.find(({ header }) => header)?.header?.first,
    offsets: found.map(({ at }) => at),
    sizes: found.map(({ size, header }) => (header ? size : 0)),
    lasts: found.map(({ header }, at) => header?.last ?? cursorBefore(found[at + 1]!.header!.first)),
  }
}

/** Returns the items up to the last one that passes. */
function upToLast<Item>(items: readonly Item[], passes: (item: Item) => boolean): readonly Item[] {
  return items.slice(0, items.findLastIndex(passes) + 1)
}
