import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type GapEvent, parseCursor, type StreamEvent } from '@pairwire/contract'
import { CursorTooOldError, type InTurn } from './bus.ts'
import {
  emptyIndex,
  findRecords,
  findSegments,
  headOf,
  type Index,
  readAt,
  type Segment,
} from './event-files.ts'
import { HEADER_BYTES, isSound, readEvents, readHeader } from './event-record.ts'
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
  /** Whether the cursor is not `tooOld`. */
  holds(cursor: string): Promise<boolean>
  /**
   * Events that follow the cursor, at least one, as far as one record has them: `end` where there is none on the disk,
   * `tooOld` where there were some that are dropped or not known of.
   */
  after(cursor: string, inTurn?: InTurn): Promise<readonly StreamEvent[] | 'end' | 'tooOld'>
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
  let file: FileHandle | undefined
  let newest: string | undefined
  let syncedAt = now()
  let lastNumber = segments.at(-1)?.number ?? 0

  const warned = new Set<string>()

  /** Says once what of a file cannot be read. */
  const warnOfDamage = (segment: Segment, { offsets, lasts }: Index, at: number, error?: unknown) => {
    const file = pathOf(segment.number)
    const { fromSlot, toSlot } = gapBetween(lasts[at - 1] || segment.before || lasts[at]!, lasts[at]!).params
    const sentence = `Kept events are damaged at byte ${offsets[at]} of ${basename(file)}: slots ${fromSlot} to ${toSlot} cannot be read whole, and clients get a gap in their place.`
    if (!warned.has(sentence)) warn(sentence, { file, ...(error !== undefined && { error: String(error) }) })
    warned.add(sentence)
  }

  /** Takes up the newest file: cuts off what is not whole, and goes on to the one before where nothing is left. */
  const takeUp = async (): Promise<void> => {
    for (let segment = segments.at(-1); segment; segment = segments.at(-1)) {
      const { index, end, damaged } = await findRecords(pathOf(segment.number), true)
      const last = index.lasts.at(-1)
      if (end < segment.size) {
        const slot = parseCursor(last ?? segment.before)?.slot ?? 'any'
        warn(
          `Events behind slot ${slot} are left out: from byte ${end} on a file is damaged, or not wholly written.`,
          { file: pathOf(segment.number), bytes: segment.size - end },
        )
      }
      if (last === undefined && segments.length > 1) {
        segments.pop()
        if (!readOnly) await rm(pathOf(segment.number))
        continue
      }
      if (!readOnly) {
        for (const place of damaged) warnOfDamage(segment, index, place)
        file = await open(pathOf(segment.number), 'r+')
        await file.truncate(end)
      }
      segment.size = end
      segment.index = Promise.resolve(index)
      newest = last ?? (segment.before === '' ? undefined : segment.before)
      return
    }
  }

  const indexOf = (segment: Segment): Promise<Index> => {
    segment.index ??= findRecords(pathOf(segment.number), false).then(
      ({ index }) => index,
      (error) => {
        segment.index = undefined
        throw error
      },
    )
    return segment.index
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
    const index = Promise.resolve(emptyIndex())
    const segment = {
      number,
      before: newest ?? '',
      size: head.length,
      begunAt: now(),
      newestAt: now(),
      index,
    }
    segments.push(segment)
    return segment
  }

  const dropOldest = async (): Promise<void> => {
    const { number } = segments.shift()!
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
  const read = async (segment: Segment, index: Index, at: number, from: string, inTurn?: InTurn) => {
    const offset = index.offsets[at]!
    try {
      return await remember(`${segment.number} ${offset}`, async () => {
        const bytes = await readAt(pathOf(segment.number), offset, index.sizes[at]!)
        const header = readHeader(bytes, 0)
        const body = bytes.subarray(HEADER_BYTES)
        if (!header || !isSound(body, header)) throw new Error('Its checksum is wrong.')
        return readEvents(body, inTurn)
      })
    } catch (error) {
      // Dropped meanwhile.
      if (!segments.includes(segment)) return 'tooOld'
      warnOfDamage(segment, index, at, error)
      return [gapBetween(from, index.lasts[at]!)]
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
          (index) => index.first,
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
        const { first, last } = readHeader(record, 0)!
        index.first ??= first
        index.offsets.push(segment.size)
        index.sizes.push(record.length)
        index.lasts.push(last)
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

    async holds(cursor) {
      const at = find(cursor)
      if (typeof at === 'string') return at === 'end'
      return segments[at]!.before !== '' || cursor >= ((await log.oldestCursor()) ?? cursor)
    },

    async after(cursor, inTurn) {
      const at = find(cursor)
      if (typeof at === 'string') return at
      const segment = segments[at]!
      const next = segments[at + 1]
      const index = await indexOrGap(segment, cursor)
      if (!isIndex(index)) return index
      if (segment.before === '' && cursor < (index.first ?? cursor)) return 'tooOld'
      const place = lastIndexWhere(index.lasts, (last) => last <= cursor) + 1
      // The file ends earlier than the next one says.
      if (place === index.lasts.length) return next ? [gapBetween(cursor, next.before)] : 'end'
      const events = await read(segment, index, place, cursor, inTurn)
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
        for (const [at, last] of index.lasts.entries()) {
          if (last <= cursor) continue
          const events = await read(segment, index, at, from)
          if (events === 'tooOld') throw new CursorTooOldError(await log.oldestCursor())
          yield eventsAfter(events, cursor)
          from = last
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
