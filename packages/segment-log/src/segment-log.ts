import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** One file of a log. */
export type Segment = {
  readonly number: number
  /** Its first line, up to a limit; empty if it has none. */
  readonly head: string
  /** Bytes on disk. */
  size: number
  /** When it was created, and when it was last written; Unix milliseconds. */
  readonly begunAt: number
  newestAt: number
}

/** The record format of a log. */
export type RecordFormat<Header> = Readonly<{
  /** Number of bytes that tell whether a sound record begins at an offset. */
  headerBytes: number
  /** Bytes read at once when searching for records. */
  pieceBytes: number
  /**
   * Returns the header at `at`, with the size of its whole record; undefined if there is no valid header, or the record
   * does not end before `end`.
   */
  readHeader(bytes: Buffer, at: number, end: number): (Header & Readonly<{ recordBytes: number }>) | undefined
}>

/** A record by its position in a file; bytes without a header are damaged. */
export type Found<Header> = Readonly<{ at: number; size: number; header: Header | undefined }>

/** What {@link SegmentLog.open} needs. */
type SegmentLogOptions = Readonly<{
  folder: string
  /** Extension of its file names. */
  ending: string
  /** Unix milliseconds. */
  now?: () => number
  /** Whether another process may be writing the log: the folder is then not created. */
  isReadOnly?: boolean
}>

/** Bytes within which a head ends. */
const MAX_HEAD_BYTES = 128

/** Records found per turn, so that a long file does not block the process's sockets. */
const RECORDS_PER_TURN = 1_000

/** Bytes read at once when searching for the next header after damage. */
const SEARCHED_BYTES = 256 * 1024

/**
 * Records in the files of one folder, of which the oldest are removed first:
 *
 *     000007.log   head, record, record, …
 *     000008.log   head, record, record, …
 *     000009.log   head, record, record, …  ← written at its end
 *
 * A head is a line of text. The owner defines the record format, and how much is kept.
 */
export class SegmentLog {
  /** Oldest first. */
  readonly segments: Segment[] = []
  readonly #folder: string
  readonly #ending: string
  readonly #now: () => number
  /** The newest file, while it is being written. */
  #written: Readonly<{ segment: Segment; file: FileHandle }> | undefined
  /** Files read synchronously, kept open. */
  readonly #read = new Map<Segment, number>()
  #lastNumber = 0

  private constructor({ folder, ending, now = Date.now }: SegmentLogOptions) {
    this.#folder = folder
    this.#ending = ending
    this.#now = now
  }

  /** Opens the log in a folder. Rejects when the folder cannot be used. */
  static async open(options: SegmentLogOptions): Promise<SegmentLog> {
    const log = new SegmentLog(options)
    const { folder, ending, isReadOnly = false } = options
    if (!isReadOnly) await mkdir(folder, { recursive: true, mode: 0o700 })
    const name = new RegExp(`^(\\d{6,})\\.${ending}$`)
    const numbers = (await readdir(folder)).flatMap((each) => name.exec(each)?.slice(1).map(Number) ?? [])
    for (const number of numbers.sort((left, right) => left - right))
      log.segments.push(await log.#find(number))
    log.#lastNumber = log.segments.at(-1)?.number ?? 0
    return log
  }

  /** Bytes of all files. */
  get size(): number {
    return this.segments.reduce((sum, { size }) => sum + size, 0)
  }

  pathOf({ number }: Pick<Segment, 'number'>): string {
    return join(this.#folder, `${String(number).padStart(6, '0')}.${this.#ending}`)
  }

  /** Begins a file behind the newest one. Rejects, and leaves no file open, when the disk fails. */
  async begin(head: string, number = this.#lastNumber + 1): Promise<Segment> {
    const segment = { number, head, size: 0, begunAt: this.#now(), newestAt: 0 }
    const file = await open(this.pathOf(segment), 'w', 0o600)
    try {
      await writeWhole(file, Buffer.from(`${head}\n`), 0)
      await this.#shut()
    } catch (error) {
      await file.close()
      throw error
    }
    this.#written = { segment, file }
    segment.size = head.length + 1
    this.#lastNumber = number
    this.segments.push(segment)
    return segment
  }

  /** Appends bytes to the newest file, all or none. Rejects when the disk does not take all. */
  async append(segment: Segment, bytes: Buffer): Promise<void> {
    const file = await this.#open(segment)
    await writeWhole(file, bytes, segment.size)
    segment.size += bytes.length
    segment.newestAt = this.#now()
  }

  /** Truncates the newest file to `size`. */
  async truncate(segment: Segment, size: number): Promise<void> {
    const file = await this.#open(segment)
    await file.truncate(size)
    segment.size = size
  }

  /** Flushes the newest file to disk. */
  async sync(): Promise<void> {
    await this.#written?.file.datasync()
  }

  /** Reads bytes of a file from `at` on, as far as there are any. */
  async read(segment: Segment, at: number, length: number): Promise<Buffer> {
    return this.#reading(segment, (file) => readPiece(file, at, length))
  }

  /** Does so synchronously, since the system usually has recent data cached. The file stays open for the next read. */
  readNow(segment: Segment, at: number, length: number): Buffer {
    const file = this.#read.get(segment) ?? openSync(this.pathOf(segment), 'r')
    this.#read.set(segment, file)
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, at))
  }

  /** Passes the records of a file after its head to `take`, from headers alone, and damage before the last sound one. */
  async scan<Header>(
    segment: Segment,
    format: RecordFormat<Header>,
    take: (found: Found<Header>) => void,
  ): Promise<void> {
    await this.#reading(segment, async (file) => {
      const { size } = await file.stat()
      let piece = await readPiece(file, 0, Math.min(format.pieceBytes, size))
      let pieceAt = 0
      let at = piece.indexOf('\n') + 1
      for (let count = 1; at < size; count++) {
        if (at + format.headerBytes > pieceAt + piece.length && pieceAt + piece.length < size) {
          piece = await readPiece(file, at, format.pieceBytes)
          pieceAt = at
        }
        const header = format.readHeader(piece, at - pieceAt, size - pieceAt)
        const end = header ? at + header.recordBytes : await findHeader(file, at + 1, size, format)
        if (end === undefined) return
        take({ at, size: end - at, header })
        at = end
        if (count % RECORDS_PER_TURN === 0) await setImmediate()
      }
    })
  }

  /** Removes a file from the log and the disk; if the disk fails, it rejects and the log continues without the file. */
  async remove(segment: Segment): Promise<void> {
    await this.leaveOut(segment)
    await rm(this.pathOf(segment), { force: true })
  }

  /** Removes a file from the log only; it stays in the folder. */
  async leaveOut(segment: Segment): Promise<void> {
    this.segments.splice(this.segments.indexOf(segment), 1)
    if (this.#written?.segment === segment) await this.#shut()
    const file = this.#read.get(segment)
    this.#read.delete(segment)
    if (file !== undefined) closeSync(file)
  }

  async close(): Promise<void> {
    await this.#shut()
    for (const file of this.#read.values()) closeSync(file)
    this.#read.clear()
  }

  /** Opens a file for writing; the previous one is no longer written. */
  async #open(segment: Segment): Promise<FileHandle> {
    if (this.#written?.segment === segment) return this.#written.file
    await this.#shut()
    const file = await open(this.pathOf(segment), 'r+')
    this.#written = { segment, file }
    return file
  }

  async #shut(): Promise<void> {
    const file = this.#written?.file
    this.#written = undefined
    await file?.close()
  }

  #find(number: number): Promise<Segment> {
    return this.#reading({ number }, async (file) => {
      const { size, mtimeMs } = await file.stat()
      const piece = await readPiece(file, 0, MAX_HEAD_BYTES)
      const head = piece.toString('latin1', 0, Math.max(0, piece.indexOf('\n')))
      return { number, head, size, begunAt: mtimeMs, newestAt: mtimeMs }
    })
  }

  /** Opens a file for `read`, and closes it. */
  async #reading<Result>(
    segment: Pick<Segment, 'number'>,
    read: (file: FileHandle) => Promise<Result>,
  ): Promise<Result> {
    const file = await open(this.pathOf(segment), 'r')
    return read(file).finally(() => file.close())
  }
}

/** Returns the offset of the next header, at `from` or later; headers are recognised by their checksum. */
async function findHeader<Header>(
  file: FileHandle,
  from: number,
  size: number,
  { headerBytes, readHeader }: RecordFormat<Header>,
): Promise<number | undefined> {
  for (let at = from; at < size; at += SEARCHED_BYTES) {
    const piece = await readPiece(file, at, SEARCHED_BYTES + headerBytes)
    for (let place = 0; place < SEARCHED_BYTES && at + place < size; place++) {
      if (readHeader(piece, place, size - at)) return at + place
    }
  }
  return undefined
}

/** An almost full disk takes a part, which must not end up before the next record. */
async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  try {
    for (let written = 0; written < bytes.length; ) {
      written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
    }
  } catch (error) {
    await file.truncate(at).catch(() => {})
    throw error
  }
}

async function readPiece(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  return bytes.subarray(0, bytesRead)
}
