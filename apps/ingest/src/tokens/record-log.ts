import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@pairwire/basics'
import { type Segment, SegmentLog } from '@pairwire/segment-log'
import { LINE_FORMAT, type LogRecord, MAX_LINE_BYTES, readLine, writeLine } from './record-line.ts'

/** Called with a record's key and its place. */
type TakeKey = (key: string, place: number) => void

/** Called with the contents of the disk. */
export type RecordReader = Readonly<{
  take: TakeKey
  /** Nothing read so far is valid. */
  forgetAll(): void
}>

/** What a {@link RecordLog} needs. */
type RecordLogOptions = Readonly<{
  /** Undefined to keep everything in memory. */
  folder: string | undefined
  /** Key of the first record of every file; files with another one are dropped. */
  head: string
  log: Log
  /** Bytes after which a new file is begun. */
  segmentBytes?: number
}>

/** A file, on disk or not yet. */
type Page = {
  readonly number: number
  size: number
  /** Undefined before it exists on disk. */
  segment: Segment | undefined
  /** Lines that are not on disk yet, by offset. */
  readonly held: Map<number, Buffer>
}

const SEGMENT_BYTES = 8 * 1024 * 1024
/** A place is the lowest byte of a page's number above the offset within it. */
const OFFSET_BITS = 24
const MAX_OFFSET = 2 ** OFFSET_BITS - 1
/** Full pages that wait in memory while the disk refuses writes. */
const MAX_WAITING = 3
/** Bytes read first for a record: nearly all are shorter. */
const FIRST_READ_BYTES = 1_024

/**
 * Records in the order of appending, in a log of files; those not on disk yet are in memory. Reading is synchronous:
 * from memory, or a few hundred bytes that the system usually has cached. Writing happens in the background.
 */
export class RecordLog {
  readonly #options: RecordLogOptions
  /** First line of every file. */
  readonly #head: string
  readonly #pages: Page[] = []
  #files: SegmentLog | undefined
  #flushing: Promise<void> | undefined
  #hasFailed = false

  constructor(options: RecordLogOptions) {
    this.#options = options
    this.#head = writeLine({ key: options.head, body: '' }).toString('latin1').slice(0, -1)
  }

  /** Reads what an earlier process left, oldest first. Call it once, before anything else. */
  async load(reader: RecordReader): Promise<void> {
    const { folder } = this.#options
    if (folder === undefined) return
    this.#files = await SegmentLog.open({ folder, ending: 'log' })
    for (const segment of [...this.#files.segments]) {
      // Records before a gap or damage may have been replaced in it.
      const before = this.#pages.at(-1)
      if (before && before.number !== segment.number - 1) await this.#forgetSoFar(this.#files, reader)
      await this.#takeUp(this.#files, segment, reader)
    }
  }

  /** @returns the record's place, a positive number; `undefined` while the disk refuses writes and memory is full. */
  append(record: LogRecord): number | undefined {
    const line = writeLine(record)
    let page = this.#pages.at(-1) ?? this.#begin(1)
    if (page.size >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) {
      const waiting = this.#pages.filter(({ held }) => held.size > 0).length
      if (this.#hasFailed && waiting > MAX_WAITING) return undefined
      page = this.#begin(page.number + 1)
    }
    const at = page.size
    page.held.set(at, line)
    page.size += line.length
    return placeOf(page, at)
  }

  /** Returns the record at a place; `undefined` when it can no longer be read. */
  read(place: number): LogRecord | undefined {
    const [first] = this.#pages
    const page = first && this.#pages[((place >>> OFFSET_BITS) - first.number) & 0xff]
    if (page === undefined) return undefined
    const at = place & MAX_OFFSET
    const line = page.held.get(at)
    if (line) return readLine(line, 0)
    return page.segment && at < page.segment.size ? this.#readFromDisk(page.segment, at) : undefined
  }

  /**
   * Resolves once everything appended is written. Never rejects: what cannot be written is kept and logged, and the
   * next call retries.
   */
  async flush(): Promise<void> {
    if (!this.#files) return
    // A running flush may have passed later records.
    await this.#flushing
    this.#flushing ??= this.#writeAll(this.#files).finally(() => {
      this.#flushing = undefined
    })
    await this.#flushing
  }

  /** Reads the keys of the records in the oldest file, unless it is also the newest. */
  async readOldest(take: TakeKey): Promise<void> {
    const [oldest] = this.#pages
    if (oldest === undefined || this.#pages.length === 1) return
    if (oldest.segment)
      await this.#files!.scan(oldest.segment, LINE_FORMAT, ({ at, header }) => {
        if (header) take(header.key, placeOf(oldest, at))
      })
    for (const [at, line] of oldest.held) take(readLine(line, 0)!.key, placeOf(oldest, at))
  }

  /** Drops the oldest file, unless it is also the newest. */
  async dropOldest(): Promise<void> {
    await this.#flushing
    if (this.#pages.length < 2) return
    const { segment } = this.#pages.shift()!
    if (segment) await this.#files?.remove(segment)
  }

  /** Bytes of all files. */
  size(): number {
    return this.#pages.reduce((sum, { size }) => sum + size, 0)
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#files?.close()
  }

  #begin(number: number): Page {
    const page = { number, size: this.#head.length + 1, segment: undefined, held: new Map() }
    this.#pages.push(page)
    return page
  }

  /** Resumes a file that an earlier process wrote. */
  async #takeUp(files: SegmentLog, segment: Segment, reader: RecordReader): Promise<void> {
    const { number, size, head } = segment
    const isNewest = segment === files.segments.at(-1)
    if (size === 0 && isNewest) return files.remove(segment)

    const isOurs = head === this.#head && size <= MAX_OFFSET
    let end = head.length + 1
    let isDamaged = !isOurs && readLine(Buffer.from(`${head}\n`), 0) === undefined
    if (isOurs) {
      await files.scan(segment, LINE_FORMAT, (found) => {
        if (found.header) reader.take(found.header.key, placeOf(segment, found.at))
        else isDamaged = true
        end = found.at + found.size
      })
      // A kill cuts off the end of the newest file, and nothing valid follows there.
      isDamaged ||= end < size && !isNewest
    }
    if (!isOurs || isDamaged) {
      await this.#forgetSoFar(files, reader)
      return isDamaged ? this.#setAside(files, segment) : files.remove(segment)
    }
    if (end < size) {
      const details = { path: files.pathOf(segment), bytes: size - end }
      this.#options.log.info('A file ended in the middle of a record, which is left out.', details)
      await files.truncate(segment, end)
    }
    this.#pages.push({ number, size: end, segment, held: new Map() })
  }

  async #forgetSoFar(files: SegmentLog, reader: RecordReader): Promise<void> {
    reader.forgetAll()
    for (const { segment } of this.#pages.splice(0)) await files.remove(segment!)
  }

  /** Keeps it for the operator to inspect, in place of an earlier one. */
  async #setAside(files: SegmentLog, segment: Segment): Promise<void> {
    const folder = this.#options.folder!
    for (const name of await readdir(folder)) {
      if (name.endsWith('.damaged')) await rm(join(folder, name), { force: true })
    }
    const path = files.pathOf(segment).replace(/log$/, 'damaged')
    await files.leaveOut(segment)
    await rename(files.pathOf(segment), path)
    this.#options.log.warn('A damaged file was set aside; what it and older files held is forgotten.', {
      path,
    })
  }

  async #writeAll(files: SegmentLog): Promise<void> {
    const { folder, log } = this.#options
    try {
      for (const page of this.#pages.filter(({ held }) => held.size > 0)) {
        page.segment ??= await files.begin(this.#head, page.number)
        const lines = [...page.held]
        await files.append(page.segment, Buffer.concat(lines.map(([, line]) => line)))
        for (const [at] of lines) page.held.delete(at)
      }
      if (this.#hasFailed) log.info('Records reach the disk again.', { folder })
      this.#hasFailed = false
    } catch (error) {
      const sentence = 'Records cannot be written to the disk; the service tries again.'
      if (!this.#hasFailed) log.warn(sentence, { folder, error: String(error) })
      this.#hasFailed = true
    }
  }

  /** Reads the record at `at` of a file; `undefined` when it is unreadable or damaged. */
  #readFromDisk(segment: Segment, at: number): LogRecord | undefined {
    try {
      for (const length of [FIRST_READ_BYTES, MAX_LINE_BYTES]) {
        const record = readLine(this.#files!.readNow(segment, at, length), 0)
        if (record !== undefined) return record
      }
    } catch {
      // Handled below: a failing disk must not delay a block.
    }
    return undefined
  }
}

function placeOf({ number }: Pick<Page, 'number'>, offset: number): number {
  return (number & 0xff) * 2 ** OFFSET_BITS + offset
}
