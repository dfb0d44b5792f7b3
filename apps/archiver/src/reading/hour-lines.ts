import { once } from 'node:events'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { constants, createInflateRaw, inflateRaw } from 'node:zlib'
import type { Archive } from '@pairwire/archive'
import { fileOf, type Manifest, parseCursor } from '@pairwire/contract'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

/** A line of an hour's zip: an event in chain order. */
export type HourLine = Readonly<{ cursor: string; text: string }>

const LINE_END = 10

/** The text before the cursor of a line, and after it. */
const CURSOR = '","cursor":"'
const CURSOR_ENDS = '"'

/** The end of a piece that was deflated independently; the same bytes may also occur elsewhere by chance. */
const PIECE_END = Buffer.of(0, 0, 0xff, 0xff)

/** Deflated bytes to search for the end of a piece: more than a piece has. */
const PROBED_BYTES = 1024 * 1024

/** Deflated bytes that hold the first line of a piece. */
const LINE_BYTES = 64 * 1024

/**
 * The lines of an hour after a cursor, read bit by bit, starting at the piece of the zip that holds the cursor. Lines before
 * it are skipped, comparing only the last cursor of each chunk. Ending the generator closes the zip.
 *
 * @throws Error if the zip is gone or damaged
 */
export async function* readHourLines(
  archive: Pick<Archive, 'open'>,
  manifest: Manifest,
  after: string,
): AsyncGenerator<readonly HourLine[]> {
  const { bytes: size } = fileOf(manifest, 'zip')
  const ranges = new ArchiveRanges(archive, manifest)
  const zip = await fromRandomAccessReaderPromise(ranges, size, { lazyEntries: true, autoClose: false })
  try {
    zip.readEntry()
    const [entry] = (await once(zip, 'entry')) as [Entry] // yauzl's event
    const start = after === '' ? 0 : await pieceBefore(zip, entry, after)
    const packed = await openPacked(zip, entry, start, entry.compressedSize)
    // An error in any stream surfaces in the last one.
    const lines = pipeline(packed, createInflateRaw(), () => {})
    let rest: Buffer = Buffer.alloc(0)
    let isBehind = after !== ''
    for await (const piece of lines as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const end = bytes.lastIndexOf(LINE_END) + 1
      rest = bytes.subarray(end)
      if (end === 0) continue
      if (isBehind && lastCursor(bytes.toString('latin1', lineBefore(bytes, end), end - 1)) <= after) continue
      const lines = bytes
        .toString('utf8', 0, end - 1)
        .split('\n')
        .map(readLine)
      yield isBehind ? lines.filter(({ cursor }) => cursor > after) : lines
      isBehind = false
    }
    if (rest.length > 0) throw new Error(`${manifest.hour}: the last line of the zip has no end.`)
  } finally {
    zip.close()
  }
}

/** The start of the last line before `end`. */
function lineBefore(bytes: Buffer, end: number): number {
  return end < 2 ? 0 : bytes.lastIndexOf(LINE_END, end - 2) + 1
}

function readLine(text: string): HourLine {
  return { cursor: lastCursor(text), text }
}

/** A cursor has no character that JSON escapes. */
function lastCursor(line: string): string {
  const begin = line.lastIndexOf(CURSOR.slice(1)) + CURSOR.length - 1
  return line.slice(begin, line.indexOf(CURSOR_ENDS, begin))
}

/** The deflated offset of a piece that holds the cursor or comes before it, found by binary search. */
async function pieceBefore(zip: ZipFile, entry: Entry, after: string): Promise<number> {
  let [from, to] = [0, entry.compressedSize]
  while (to - from > PROBED_BYTES) {
    const middle = Math.floor((from + to) / 2)
    const piece = await pieceBehind(zip, entry, middle)
    if (piece && piece.cursor <= after) from = piece.start
    else to = middle
  }
  return from
}

/** The first piece after an offset in the deflated bytes, with its first cursor; undefined if none is near. */
async function pieceBehind(zip: ZipFile, entry: Entry, at: number) {
  const until = Math.min(at + PROBED_BYTES, entry.compressedSize)
  const packed = await buffer(await openPacked(zip, entry, at, until))
  for (let end = packed.indexOf(PIECE_END); end >= 0; end = packed.indexOf(PIECE_END, end + 1)) {
    const start = end + PIECE_END.length
    const cursor = await firstCursor(packed.subarray(start, start + LINE_BYTES))
    if (cursor !== undefined) return { start: at + start, cursor }
  }
  return undefined
}

/** The cursor of the first line of a piece; undefined if the bytes are not a piece. */
async function firstCursor(packed: Buffer): Promise<string | undefined> {
  const text = await inflate(packed, { finishFlush: constants.Z_SYNC_FLUSH }).catch(() => undefined)
  const end = text?.indexOf(LINE_END) ?? -1
  const cursor = end < 0 ? '' : lastCursor(text!.toString('utf8', 0, end))
  return parseCursor(cursor) && cursor
}

const inflate = promisify<Buffer, object, Buffer>(inflateRaw)

/** Deflated bytes of the entry; `end` is exclusive. */
function openPacked(zip: ZipFile, entry: Entry, start: number, end: number): Promise<Readable> {
  return zip.openReadStreamPromise(entry, { decodeFileData: false, start, end })
}

/** Reads ranges of an object in the archive for the zip reader. */
class ArchiveRanges extends RandomAccessReader {
  readonly #archive: Pick<Archive, 'open'>
  readonly #manifest: Manifest

  constructor(archive: Pick<Archive, 'open'>, manifest: Manifest) {
    super()
    this.#archive = archive
    this.#manifest = manifest
  }

  /** `end` is exclusive. */
  override _readStreamForRange(start: number, end: number): Readable {
    const passed = new PassThrough()
    this.#archive
      .open(this.#manifest, 'zip', { start, end: end - 1 })
      .then((bytes) => {
        if (!bytes) throw new Error(`${this.#manifest.hour}: the zip is gone.`)
        // The reader sees the error on the last stream.
        pipeline(bytes, passed, () => {})
      })
      .catch((error) => passed.destroy(error))
    return passed
  }
}
