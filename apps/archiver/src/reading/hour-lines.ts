import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { Archive } from '@pairwire/archive'
import { fileOf, type Manifest } from '@pairwire/contract'
import { fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl'

/** A line of an hour's zip: an event in chain order. */
export type HourLine = Readonly<{ cursor: string; text: string }>

const LINE_END = 10

/** What stands before the cursor of a line, and behind it. */
const CURSOR = '","cursor":"'
const CURSOR_ENDS = '"'

/**
 * The lines of an hour behind a place, a piece of the zip at a time. Pieces that lie before the place are passed over by
 * their last cursor alone. Whoever lets go of the generator closes the zip.
 *
 * @throws Error where the zip is gone or damaged
 */
export async function* readHourLines(
  archive: Pick<Archive, 'open'>,
  manifest: Manifest,
  after: string,
): AsyncGenerator<readonly HourLine[]> {
  const zip = await openZip(archive, manifest)
  try {
    const entry = await openEntry(zip)
    let rest: Buffer = Buffer.alloc(0)
    let isBehind = after !== ''
    for await (const piece of entry as AsyncIterable<Buffer>) {
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

async function openZip(archive: Pick<Archive, 'open'>, manifest: Manifest): Promise<ZipFile> {
  const reader = new ArchiveRanges(archive, manifest)
  const { bytes } = fileOf(manifest, 'zip')
  return promisify<ZipFile>((done) =>
    fromRandomAccessReader(reader, bytes, { lazyEntries: true, autoClose: false }, (error, zip) =>
      done(error, zip!),
    ),
  )()
}

async function openEntry(zip: ZipFile): Promise<Readable> {
  zip.readEntry()
  const [entry] = await once(zip, 'entry')
  return promisify<Readable>((done) => zip.openReadStream(entry, (error, stream) => done(error, stream!)))()
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
        return pipeline(bytes, passed)
      })
      .catch((error) => passed.destroy(error))
    return passed
  }
}
