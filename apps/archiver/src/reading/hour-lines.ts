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

/** What stands before the cursor of a line, and behind it. */
const CURSOR = '","cursor":"'
const CURSOR_ENDS = '"'

/** With what a piece of the zip ends that was deflated by itself; by chance the same bytes may stand elsewhere. */
const PIECE_END = Buffer.of(0, 0, 0xff, 0xff)

/** Deflated bytes in which the end of a piece is looked for: more than a piece has. */
const PROBED_BYTES = 1024 * 1024

/** Deflated bytes that hold the first line of a piece. */
const LINE_BYTES = 64 * 1024

/**
 * The lines of an hour behind a place, some of the zip at a time, from the piece on that has the place. What lies before
 * the place is passed over by its last cursor alone. Whoever lets go of the generator closes the zip.
 *
 * @throws Error where the zip is gone or damaged
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
    const [entry] = (await once(zip, 'entry')) as [Entry] // of yauzl
    const start = after === '' ? 0 : await pieceBefore(zip, entry, after)
    const packed = await openPacked(zip, entry, start, entry.compressedSize)
    // What breaks off is an error of the last of them.
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

/** Where the last line before `end` begins. */
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

/** Where in the deflated bytes a piece begins that has the place, or one before it: it is found by halves. */
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

/** The first piece that begins behind some deflated bytes, with its first cursor; undefined where none is near. */
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

/** The cursor of the line with which a piece begins; undefined where it is none. */
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

/** Ranges of an object of the archive, as the zip's reader asks for them. */
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
        // The reader is told by the last of them.
        pipeline(bytes, passed, () => {})
      })
      .catch((error) => passed.destroy(error))
    return passed
  }
}
