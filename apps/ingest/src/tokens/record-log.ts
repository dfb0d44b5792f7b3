import { readSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@pairwire/process'
import { hasSoundLine, type LogRecord, lineBytes, readKeys, readLine, writeLine } from './record-line.ts'

/**
 * Records in the order in which they were appended, in files of a few megabytes of which the oldest go first:
 *
 *     000007.log   head, record, record, …              on the disk
 *     000008.log   head, record, record, …              on the disk
 *     000009.log   head, record, record, record         the newest: in memory too
 *                                        └─ appended, not yet on the disk
 *
 * Each record has its checksum, so that one which was cut or changed is known as such. Reading is synchronous: from
 * memory, or a few hundred bytes that the system has mostly at hand. Writing is not waited for.
 */
export type RecordLog = Readonly<{
  /** Reads what an earlier process left, oldest first. Called once, before anything else. */
  load(reader: RecordReader): Promise<void>
  /** @returns the record's place, above zero; `undefined` while the disk takes nothing and memory is full of it. */
  append(record: LogRecord): number | undefined
  /** The record at a place that was given out; `undefined` when it can no longer be read. */
  read(place: number): LogRecord | undefined
  /**
   * Resolves once everything that was appended is on its way to the disk. Never rejects: what cannot be written is
   * kept and said, and the next call tries again.
   */
  flush(): Promise<void>
  /** Keys of the records in the oldest file, unless it is the newest too. */
  readOldest(take: TakeKey): Promise<void>
  /** Drops the oldest file, unless it is the newest too. */
  dropOldest(): Promise<void>
  /** Bytes of all files. */
  size(): number
  close(): Promise<void>
}>

/** Is told a record's key and its place. */
type TakeKey = (key: string, place: number) => void

/** Who is told what stands on the disk. */
export type RecordReader = Readonly<{
  take: TakeKey
  /** Nothing that was taken so far counts. */
  forgetAll(): void
}>

/** What {@link createRecordLog} needs. */
type RecordLogOptions = Readonly<{
  /** Undefined to keep everything in memory. */
  folder: string | undefined
  /** Key of the record with which every file begins; files that begin with another one are dropped. */
  head: string
  log: Log
  /** Bytes after which a new file is begun. */
  segmentBytes?: number
}>

type Segment = {
  readonly number: number
  size: number
  /** Bytes of it on the disk. */
  written: number
  /** All of it, for the newest one and until it is written. */
  bytes: Buffer | null
  file: FileHandle | null
}

const SEGMENT_BYTES = 8 * 1024 * 1024
/** Longest record as a line. */
const MAX_LINE_BYTES = 64 * 1024
/** A place is the lowest byte of a segment's number above the offset within it. */
const OFFSET_BITS = 24
const MAX_OFFSET = 2 ** OFFSET_BITS - 1
/** Full segments that wait in memory for a disk that takes nothing. */
const MAX_WAITING = 3
/** What is read at first for a record: nearly all are shorter. */
const FIRST_READ_BYTES = 1_024

/** What a file turned out to be: `other` was written under another head, `empty` was begun and no more. */
type Found = 'sound' | 'damaged' | 'other' | 'empty'

/** A log in this folder, or in memory. */
export function createRecordLog(options: RecordLogOptions): RecordLog {
  const { folder, head, log, segmentBytes = SEGMENT_BYTES } = options
  const segments: Segment[] = []
  let flushing: Promise<void> | undefined
  let hasFailed = false

  const pathOf = (number: number, ending = 'log') =>
    join(folder ?? '', `${String(number).padStart(6, '0')}.${ending}`)
  const placeOf = ({ number }: Segment, offset: number) => (number & 0xff) * 2 ** OFFSET_BITS + offset

  const begin = (number: number): Segment => {
    const bytes = Buffer.allocUnsafeSlow(segmentBytes + MAX_LINE_BYTES)
    const size = writeLine(bytes, 0, { key: head, body: '' })
    const segment = { number, size, written: 0, bytes, file: null }
    segments.push(segment)
    return segment
  }

  /** Keys of a segment's records. @returns the offset behind the last sound one */
  const readSegment = (segment: Segment, content: Buffer, take: TakeKey): Promise<number> =>
    readKeys(content, (key, at) => {
      if (at > 0) take(key, placeOf(segment, at))
    })

  /** Takes up a file that an earlier process wrote. */
  const takeUp = async (number: number, isNewest: boolean, reader: RecordReader): Promise<Found> => {
    const path = pathOf(number)
    const { size } = await stat(path)
    if (size === 0 && isNewest) return 'empty'
    if (size > MAX_OFFSET) return 'damaged'
    const content = await readFile(path)
    const first = readLine(content, 0)
    if (first !== undefined && first.key !== head) return 'other'

    const segment: Segment = { number, size: 0, written: 0, bytes: null, file: null }
    segment.size = await readSegment(segment, content, reader.take)
    if (segment.size < size) {
      // A kill cuts off the end of the newest file, and nothing sound follows there.
      if (!isNewest || segment.size === 0 || hasSoundLine(content, segment.size)) return 'damaged'
      log.info('A file ended in the middle of a record, which is left out.', {
        path,
        bytes: size - segment.size,
      })
    }
    segment.written = segment.size
    segment.file = await open(path, 'r+')
    if (isNewest) {
      await segment.file.truncate(segment.size)
      segment.bytes = Buffer.allocUnsafeSlow(Math.max(segmentBytes, segment.size) + MAX_LINE_BYTES)
      content.copy(segment.bytes, 0, 0, segment.size)
    }
    segments.push(segment)
    return 'sound'
  }

  const forgetSoFar = async (reader: RecordReader): Promise<void> => {
    reader.forgetAll()
    for (const { number, file } of segments.splice(0)) {
      await file?.close()
      await rm(pathOf(number), { force: true })
    }
  }

  /** Keeps it for whoever wants to look into it, in place of an earlier one. */
  const setAside = async (number: number): Promise<void> => {
    for (const name of await readdir(folder ?? '')) {
      if (name.endsWith('.damaged')) await rm(join(folder ?? '', name), { force: true })
    }
    const path = pathOf(number, 'damaged')
    await rename(pathOf(number), path)
    log.warn('A damaged file was set aside; what it and older files held is forgotten.', { path })
  }

  const writeAll = async (): Promise<void> => {
    try {
      for (const segment of [...segments]) {
        while (segment.written < segment.size) {
          segment.file ??= await open(pathOf(segment.number), 'w+', 0o600)
          const { bytes, written, size } = segment
          segment.written += (await segment.file.write(bytes!, written, size - written, written)).bytesWritten
        }
        if (segment !== segments.at(-1)) segment.bytes = null
      }
      if (hasFailed) log.info('Records reach the disk again.', { folder })
      hasFailed = false
    } catch (error) {
      if (!hasFailed)
        log.warn('Records cannot be written to the disk; the service tries again.', {
          folder,
          error: String(error),
        })
      hasFailed = true
    }
  }

  const flush = async (): Promise<void> => {
    if (folder === undefined) return
    // One that is under way may have passed what was appended since.
    await flushing
    flushing ??= writeAll().finally(() => {
      flushing = undefined
    })
    await flushing
  }

  return {
    load: async (reader) => {
      if (folder === undefined) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const numbers = (await readdir(folder)).flatMap((name) =>
        /^\d{6}\.log$/.test(name) ? [Number.parseInt(name, 10)] : [],
      )
      numbers.sort((left, right) => left - right)
      for (const [at, number] of numbers.entries()) {
        // What stands before a gap or damage may have been overtaken in it.
        if (segments.length > 0 && segments.at(-1)?.number !== number - 1) await forgetSoFar(reader)
        const found = await takeUp(number, at === numbers.length - 1, reader)
        if (found === 'damaged' || found === 'other') await forgetSoFar(reader)
        if (found === 'damaged') await setAside(number)
        else if (found !== 'sound') await rm(pathOf(number))
      }
    },
    append: (record) => {
      if (lineBytes(record) > MAX_LINE_BYTES) throw new RangeError('The record is too long for a line.')
      let segment = segments.at(-1) ?? begin(1)
      if (segment.size >= segmentBytes) {
        const waiting = segments.filter(({ bytes }) => bytes !== null).length
        if (hasFailed && waiting > MAX_WAITING) return undefined
        segment = begin(segment.number + 1)
      }
      const at = segment.size
      segment.size = writeLine(segment.bytes!, at, record)
      return placeOf(segment, at)
    },
    read: (place) => {
      const [first] = segments
      const segment = first && segments[((place >>> OFFSET_BITS) - first.number) & 0xff]
      if (segment === undefined) return undefined
      const at = place & MAX_OFFSET
      if (segment.bytes !== null) return at < segment.size ? readLine(segment.bytes, at) : undefined
      return readFrom(segment.file, at)
    },
    flush,
    readOldest: async (take) => {
      const [oldest] = segments
      if (oldest === undefined || segments.length === 1) return
      const { number, bytes, size } = oldest
      await readSegment(oldest, bytes?.subarray(0, size) ?? (await readFile(pathOf(number))), take)
    },
    dropOldest: async () => {
      await flushing
      if (segments.length < 2) return
      const { number, file } = segments.shift()!
      await file?.close()
      if (folder !== undefined) await rm(pathOf(number), { force: true })
    },
    size: () => segments.reduce((sum, { size }) => sum + size, 0),
    close: async () => {
      await flush()
      for (const { file } of segments) await file?.close()
    },
  }
}

/** The record at `at` of a file; `undefined` when the disk does not give it, or not as it was written. */
function readFrom(file: FileHandle | null, at: number): LogRecord | undefined {
  if (file === null) return undefined
  try {
    for (const length of [FIRST_READ_BYTES, MAX_LINE_BYTES]) {
      const bytes = Buffer.allocUnsafe(length)
      const record = readLine(bytes.subarray(0, readSync(file.fd, bytes, 0, length, at)), 0)
      if (record !== undefined) return record
    }
  } catch {
    // Answered below: a disk that fails to read is no reason to hold up a block.
  }
  return undefined
}
