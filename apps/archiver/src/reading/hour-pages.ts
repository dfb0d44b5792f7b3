import type { Archive } from '@pairwire/archive'
import { BoundedMap } from '@pairwire/basics'
import {
  ARCHIVE_PAGE_BYTES,
  eventListText,
  fileOf,
  HOUR_MS,
  hourStart,
  type Manifest,
  type PageAnswer,
  type PageAsk,
} from '@pairwire/contract'
import type { Engine } from '../engine/engine.ts'
import { type HourLine, readHourLines } from './hour-lines.ts'
import { HourPlaces } from './hour-places.ts'
import type { LocalFiles } from './local-files.ts'

/** What hours are read with. */
export type HourReading = Readonly<{
  archive: Pick<Archive, 'find' | 'list' | 'open'>
  engine: Pick<Engine, 'ask'>
  files: Pick<LocalFiles, 'use'>
}>

/** Readers kept open, so that the next page continues where the last one ended. */
const MOST_READERS = 64

/** Hours whose blocks and gaps are cached; an hour has some 9,000 blocks. */
const MOST_PLACES = 8

/**
 * Pages of hours. A reader of the zip continues from page to page; any other cursor is searched from the beginning.
 */
export class HourPages {
  readonly #options: HourReading
  /** By the hour's zip and the cursor of the last page. */
  readonly #readers = new Map<string, HourReader>()
  readonly #places = new BoundedMap<string, Promise<HourPlaces>>(MOST_PLACES)

  constructor(options: HourReading) {
    this.#options = options
  }

  async page({ source, hour, after, from }: PageAsk): Promise<PageAnswer> {
    const { archive } = this.#options
    const begin = hourStart(hour)!
    // The list is in memory, and may lack for a minute an hour that another process has published.
    const [listed] = await archive.list(source, begin, begin + HOUR_MS)
    const manifest = listed ?? (await archive.find(source, hour))
    if (!manifest) return { outcome: 'missing' }
    const places = await this.#placesOf(manifest)
    const place = after ?? (from === undefined ? '' : places.before(from))
    if (place === undefined) return { outcome: 'page', events: eventListText([]), isLast: true }

    const zip = fileOf(manifest, 'zip').name
    const reader = this.#take(`${zip} ${place}`) ?? new HourReader(archive, manifest, places, place)
    const { texts, isLast } = await reader.next()
    if (isLast) await reader.close()
    else this.#keep(`${zip} ${reader.place}`, reader)
    return { outcome: 'page', events: eventListText(texts), isLast }
  }

  async close(): Promise<void> {
    const readers = [...this.#readers.values()]
    this.#readers.clear()
    await Promise.all(readers.map((reader) => reader.close()))
  }

  async #placesOf(manifest: Manifest): Promise<HourPlaces> {
    const name = `${manifest.source} ${fileOf(manifest, 'blocks').name} ${manifest.revision}`
    const read = this.#places.ensure(name, async () => {
      const { files, engine } = this.#options
      const blocks = await files.use(manifest, 'blocks', (path) => engine.ask('blocks', { path }))
      return new HourPlaces(manifest, blocks)
    })
    try {
      return await read
    } catch (error) {
      this.#places.delete(name)
      throw error
    }
  }

  #take(place: string): HourReader | undefined {
    const reader = this.#readers.get(place)
    this.#readers.delete(place)
    return reader
  }

  #keep(place: string, reader: HourReader): void {
    void this.#take(place)?.close()
    this.#readers.set(place, reader)
    const [oldest] = this.#readers.keys()
    if (this.#readers.size > MOST_READERS) void this.#take(oldest!)?.close()
  }
}

/** Reads an hour page by page: the lines of its zip, with blocks and gaps between them. */
class HourReader {
  /** The cursor of the last page. */
  place: string
  readonly #lines: AsyncGenerator<readonly HourLine[]>
  readonly #between: readonly HourLine[]
  /** Lines read from the zip last, and the next position in them and in the blocks and gaps. */
  #piece: readonly HourLine[] = []
  #nextOfPiece = 0
  #nextBetween = 0
  #isRead = false

  constructor(archive: Pick<Archive, 'open'>, manifest: Manifest, places: HourPlaces, place: string) {
    this.place = place
    this.#lines = readHourLines(archive, manifest, place)
    this.#between = places.after(place)
  }

  /** The next page: texts of events. */
  async next(): Promise<{ texts: readonly string[]; isLast: boolean }> {
    const texts: string[] = []
    let bytes = 0
    for (;;) {
      while (this.#nextOfPiece === this.#piece.length && !this.#isRead) await this.#read()
      const [line, between] = [this.#piece[this.#nextOfPiece], this.#between[this.#nextBetween]]
      const isLine = line !== undefined && (!between || line.cursor < between.cursor)
      const next = isLine ? line : between
      if (!next) return { texts, isLast: true }
      const text = isLine ? eventText(line) : next.text
      bytes += Buffer.byteLength(text) + SEPARATOR_BYTES
      if (bytes > ARCHIVE_PAGE_BYTES) return { texts, isLast: false }
      texts.push(text)
      this.place = next.cursor
      if (isLine) this.#nextOfPiece++
      else this.#nextBetween++
    }
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined)
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#lines.next()
    this.#piece = value ?? []
    this.#nextOfPiece = 0
    this.#isRead = done === true
  }
}

/** Bytes between two events in a list. */
const SEPARATOR_BYTES = 2

/** The event of a line: its params plus two members at the end. */
function eventText({ cursor, text }: HourLine): string {
  const params = text.lastIndexOf(',"cursor":"')
  const behind = text.slice(params + ',"cursor":"'.length + cursor.length + 1)
  // No text of a pair contains these characters unescaped, since JSON escapes quotes.
  const kind = text.includes(',"swap":{') ? 'swap' : 'newPair'
  return `{"kind":"${kind}","cursor":"${cursor}","params":${text.slice(0, params)}}${behind}`
}
