import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GapEvent, StreamEvent } from '@pairwire/contract'
import { CursorTooOldError } from './bus.ts'
import { findRecords, findSegments, headOf, type Index, readAt, type Segment } from './event-files.ts'
import { HEADER_BYTES, isSound, type RecordHeader, readEvents, readHeader } from './event-record.ts'
import { eventsAfter, lastCursorOf } from './event-ring.ts'
import { gapBetween } from './gap-between.ts'

/**
 * Records of events in files of a few megabytes, of which the oldest go first:
 *
 *     000007.events   head, record, record, …
 *     000008.events   head, record, record, …
 *     000009.events   head, record, record, …  ← written at its end
 *
 * A head names the kind of source and the cursor of the last event before the file. So whatever is damaged or gone is
 * known for what it is, and a gap is read in its place.
 */
type EventLog = Readonly<{
  /** Cursor of the newest event on the disk. */
  newestCursor(): string | undefined
  oldestCursor(): Promise<string | undefined>
  /** Puts records behind the newest one; `last` is the cursor of their last event. Rejects when the disk does not take all. */
  append(records: readonly Buffer[], last: string): Promise<void>
  /**
   * Events that follow the cursor, at least one, as far as one record has them: `end` where there is none on the disk,
   * `tooOld` where there were some that are dropped or not known of.
   */
  after(cursor: string): Promise<readonly StreamEvent[] | 'end' | 'tooOld'>
  /**
   * All that follows the cursor, record by record as it was written, up to where the log ends now: also what stands there
   * twice, which {@link EventLog.after} passes over. @throws CursorTooOldError as that says `tooOld`
   */
  records(cursor: string): AsyncIterable<readonly StreamEvent[]>
  /** Removes everything. */
  clear(): Promise<void>
  /** Bytes of all files. */
  size(): number
  close(): Promise<void>
}>

/** How much is kept; whichever bound is reached first counts. */
export type Retention = Readonly<{ milliseconds: number; bytes: number }>

/** What {@link openEventLog} needs. */
type EventLogOptions = Readonly<{
  folder: string
  /** What kind of source the events are of; those of another kind are removed. */
  kind: string
  retention: Retention
  /** Unix milliseconds. */
  now(): number
  /** Told of what cannot be read. */
  warn(sentence: string, details: Record<string, unknown>): void
  /** Asked for the events of a record, which it may know from the last time. */
  remember?: Remember
  /** Whether another process may write it meanwhile: then nothing is changed, and it ends where it ended at opening. */
  readOnly?: boolean
}>

/** Reads by `load` unless it still knows what that gave under `key`. */
export type Remember = (
  key: string,
  load: () => Promise<readonly StreamEvent[]>,
) => Promise<readonly StreamEvent[]>

/** Bytes and share of the time to be kept after which a new file is begun: only whole files are dropped. */
const SEGMENT_BYTES = 16 * 1024 * 1024
const SEGMENTS_IN_BYTES = 16
const SEGMENTS_IN_TIME = 24

/** Indexes of older files that are held at once. */
const INDEXES_HELD = 16

/** Milliseconds after which what was written is sent through to the disk, for the case of a power cut. */
const SYNC_EVERY_MS = 1_000

/** Opens the log in its folder with what an earlier process left; a record that was cut off there is left out. */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const { folder, kind, retention, now, warn, remember = (_key, load) => load(), readOnly = false } = options
  const segmentBytes = Math.min(SEGMENT_BYTES, Math.ceil(retention.bytes / SEGMENTS_IN_BYTES))
  const segmentMs = retention.milliseconds / SEGMENTS_IN_TIME
  const pathOf = (number: number) => join(folder, `${String(number).padStart(6, '0')}.events`)

  if (!readOnly) await mkdir(folder, { recursive: true, mode: 0o700 })
  const segments: Segment[] = await findSegments(folder, kind, pathOf, !readOnly)
  /** Of the newest segment always, of older ones as they were asked for last. */
  const indexes = new Map<Segment, Promise<Index>>()
  let file: FileHandle | undefined
  let newest: string | undefined
  let syncedAt = now()
  let lastNumber = segments.at(-1)?.number ?? 0

  /** Takes up the newest file: cuts off what is not whole, and goes on to the one before where nothing is left. */
  const takeUp = async (): Promise<void> => {
    for (let segment = segments.at(-1); segment; segment = segments.at(-1)) {
      const { index, end } = findRecords(await readFile(pathOf(segment.number)), true)
      const last = index.headers.at(-1)?.last
      if (last === undefined && segments.length > 1) {
        segments.pop()
        if (!readOnly) await rm(pathOf(segment.number))
        continue
      }
      if (!readOnly) {
        if (end < segment.size)
          warn('Events that were not wholly written are left out.', { bytes: segment.size - end })
        file = await open(pathOf(segment.number), 'r+')
        await file.truncate(end)
      }
      segment.size = end
      indexes.set(segment, Promise.resolve(index))
      newest = last ?? (segment.before === '' ? undefined : segment.before)
      return
    }
  }

  const indexOf = (segment: Segment): Promise<Index> => {
    const known = indexes.get(segment)
    const index = known ?? readFile(pathOf(segment.number)).then((bytes) => findRecords(bytes, false).index)
    // Last asked for, last let go.
    indexes.delete(segment)
    indexes.set(segment, index)
    if (!known) {
      index.catch(() => indexes.delete(segment))
      for (const other of indexes.keys()) {
        if (indexes.size <= INDEXES_HELD) break
        if (other !== segments.at(-1)) indexes.delete(other)
      }
    }
    return index
  }

  const sync = async (): Promise<void> => {
    try {
      await file?.datasync()
    } catch (error) {
      warn('The kept events may not survive a power cut.', { error: String(error) })
    }
  }

  const begin = async (): Promise<Segment> => {
    const number = lastNumber + 1
    const head = headOf(kind, newest ?? '')
    const begun = await open(pathOf(number), 'w', 0o600)
    try {
      await writeWhole(begun, head, 0)
    } catch (error) {
      await begun.close()
      throw error
    }
    await sync()
    await file?.close()
    file = begun
    lastNumber = number
    const segment = { number, before: newest ?? '', size: head.length, begunAt: now(), newestAt: now() }
    indexes.set(segment, Promise.resolve({ offsets: [], headers: [] }))
    segments.push(segment)
    return segment
  }

  const dropOldest = async (): Promise<void> => {
    const { number } = segments.shift()!
    for (const segment of indexes.keys()) if (segment.number === number) indexes.delete(segment)
    await rm(pathOf(number), { force: true }).catch((error) => {
      warn('A file of old events cannot be removed.', { file: pathOf(number), error: String(error) })
    })
  }

  const size = () => segments.reduce((sum, segment) => sum + segment.size, 0)

  const trim = async (): Promise<void> => {
    const oldestAt = now() - retention.milliseconds
    while (segments.length > 1 && (size() > retention.bytes || segments[0]!.newestAt < oldestAt)) {
      await dropOldest()
    }
  }

  /** The events of a record; a gap where it cannot be read. */
  const read = async (segment: Segment, offset: number, header: RecordHeader, from: string) => {
    try {
      return await remember(`${segment.number} ${offset}`, async () => {
        const bytes = await readAt(pathOf(segment.number), offset + HEADER_BYTES, header.bodyBytes)
        if (!isSound(bytes, header)) throw new Error('Its checksum is wrong.')
        return readEvents(bytes)
      })
    } catch (error) {
      // Dropped meanwhile.
      if (!segments.includes(segment)) return 'tooOld'
      warn('Kept events cannot be read; clients get a gap in their place.', {
        file: pathOf(segment.number),
        error: String(error),
      })
      return [gapBetween(from, header.last)]
    }
  }

  /** The index of a segment; the gap that is said in its place where it cannot be read. */
  const indexOrGap = async (segment: Segment, from: string): Promise<Index | 'tooOld' | [GapEvent]> => {
    try {
      return await indexOf(segment)
    } catch (error) {
      const at = segments.indexOf(segment)
      if (at < 0) return 'tooOld'
      warn('A file of events cannot be read; clients get a gap in its place.', { error: String(error) })
      return [gapBetween(from, segments[at + 1]?.before ?? newest!)]
    }
  }

  /** Where the segment stands that holds what follows the cursor, at least one event. */
  const find = (cursor: string): number | 'end' | 'tooOld' => {
    if (newest === undefined) return 'tooOld'
    if (cursor >= newest) return 'end'
    const [oldest] = segments
    if (!oldest || cursor < oldest.before) return 'tooOld'
    // The last one that begins at the cursor or before it.
    return lastIndexWhere(segments, ({ before }) => before <= cursor)
  }

  await takeUp()
  if (!readOnly) await trim()

  const log: EventLog = {
    newestCursor: () => newest,

    async oldestCursor() {
      for (const segment of [...segments]) {
        const first = await indexOf(segment).then(
          ({ headers }) => headers[0]?.first,
          () => undefined,
        )
        if (first !== undefined) return first
      }
      return undefined
    },

    async append(records, last) {
      let segment = segments.at(-1)
      if (!segment || !file || segment.size >= segmentBytes || now() - segment.begunAt >= segmentMs) {
        segment = await begin()
      }
      const index = await indexOf(segment)
      const bytes = Buffer.concat(records)
      try {
        await writeWhole(file!, bytes, segment.size)
      } catch (error) {
        // What was written of it must never be taken for a part of what comes next.
        await file!.truncate(segment.size).catch(() => {})
        throw error
      }
      for (const record of records) {
        index.offsets.push(segment.size)
        index.headers.push(readHeader(record, 0)!)
        segment.size += record.length
      }
      segment.newestAt = now()
      newest = last
      if (now() - syncedAt >= SYNC_EVERY_MS) {
        syncedAt = now()
        await sync()
      }
      await trim()
    },

    async after(cursor) {
      const at = find(cursor)
      if (typeof at === 'string') return at
      const segment = segments[at]!
      const next = segments[at + 1]
      const index = await indexOrGap(segment, cursor)
      if (!isIndex(index)) return index
      if (segment.before === '' && cursor < (index.headers[0]?.first ?? cursor)) return 'tooOld'
      const place = lastIndexWhere(index.headers, ({ last }) => last <= cursor) + 1
      const header = index.headers[place]
      // The file ends earlier than the next one says.
      if (!header) return next ? [gapBetween(cursor, next.before)] : 'end'
      const events = await read(segment, index.offsets[place]!, header, cursor)
      return events === 'tooOld' ? events : eventsAfter(events, cursor)
    },

    async *records(cursor) {
      const first = await log.after(cursor)
      if (first === 'end') return
      if (first === 'tooOld') throw new CursorTooOldError(await log.oldestCursor())
      let from = cursor
      for (const segment of segments.slice(find(cursor) as number)) {
        if (segment.before > from) yield [gapBetween(from, segment.before)]
        const index = await indexOrGap(segment, from)
        if (index === 'tooOld') throw new CursorTooOldError(await log.oldestCursor())
        if (!isIndex(index)) {
          yield index
          from = lastCursorOf(index)
          continue
        }
        for (const [at, header] of index.headers.entries()) {
          if (header.last <= cursor) continue
          const events = await read(segment, index.offsets[at]!, header, from)
          if (events === 'tooOld') throw new CursorTooOldError(await log.oldestCursor())
          yield eventsAfter(events, cursor)
          from = header.last
        }
      }
    },

    async clear() {
      await file?.close()
      file = undefined
      newest = undefined
      while (segments.length > 0) await dropOldest()
    },

    size,

    async close() {
      await sync()
      await file?.close()
      file = undefined
    },
  }
  return log
}

function isIndex(index: Index | 'tooOld' | readonly StreamEvent[]): index is Index {
  return typeof index === 'object' && 'offsets' in index
}

/** A disk that is almost full takes a part. */
async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at + written)
    written += bytesWritten
  }
}

/** Of a list of which a first part passes and the rest does not, where the last one that passes stands; -1 for none. */
function lastIndexWhere<Item>(items: readonly Item[], passes: (item: Item) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(items[middle]!)) low = middle + 1
    else high = middle
  }
  return low - 1
}
