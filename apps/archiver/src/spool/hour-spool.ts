import { type FileHandle, mkdir, open, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type NotificationEvent, paramsText, type StreamEvent } from '@pairwire/contract'
import { hiddenPath, renameSafely } from './safe-rename.ts'
import {
  readSpoolLine,
  type SpoolBegin,
  type SpoolBlock,
  type SpoolGap,
  spoolLineText,
} from './spool-line.ts'

/** The two spools of an hour, in its folder. */
export const spoolPaths = (folder: string) => ({
  /** Swaps and pairs, one per line as in the zip. */
  events: join(folder, 'events.ndjson'),
  /** The state at the beginning, then blocks and gaps: see `spool-line.ts`. */
  blocks: join(folder, 'blocks.ndjson'),
})

/** Characters of events that are encoded at once. */
const PIECE_CHARACTERS = 64 * 1024

/** Lines of the second spool whose events are verified after a crash; earlier ones were synced long before. */
const COMPARED_LINES = 1_024

/** Lines of the second spool after which both files are synced, whatever the time. */
const SYNC_LINES = COMPARED_LINES / 2

/** The spool of the current hour. Events are in its files after `flush`, and survive a power cut after `sync`. */
export class HourSpool {
  readonly folder: string
  readonly begin: SpoolBegin
  /** The newest cursor, flushed or not. */
  cursor: string
  /** Undefined before the first block of the hour. */
  lastBlock: Pick<SpoolBlock, 'blockTime' | 'blockhash'> | undefined
  /** Gaps since the last block. */
  gaps: SpoolGap[] = []
  readonly #events: FileHandle
  readonly #blocks: FileHandle
  readonly #text: string[] = []
  #characters = 0
  readonly #pieces: Buffer[] = []
  readonly #lines: string[] = []
  #linesToSync = 0
  /** Bytes of the first file, flushed or not, and the CRC of those since the last line of the second one. */
  #at = 0
  #sum = 0
  #swaps = 0
  #pairs = 0
  /** Bytes of the first file up to the last line of the second one. */
  #sealedAt = 0

  private constructor(folder: string, begin: SpoolBegin, events: FileHandle, blocks: FileHandle) {
    this.folder = folder
    this.begin = begin
    this.cursor = begin.cursor
    this.#events = events
    this.#blocks = blocks
  }

  /** Begins an hour in a new folder, with the gaps before its first block. */
  static async create(folder: string, begin: SpoolBegin, gaps: readonly SpoolGap[] = []): Promise<HourSpool> {
    const unfinished = hiddenPath(folder)
    await mkdir(unfinished)
    const { events, blocks } = spoolPaths(unfinished)
    const lines = [begin, ...gaps.map((gap) => ({ ...gap, at: 0, sum: 0, swaps: 0, pairs: 0 }))]
    await writeFile(events, '', { flush: true })
    await writeFile(blocks, lines.map(spoolLineText).join(''), { flush: true })
    await renameSafely(unfinished, folder)
    return HourSpool.reopen(folder)
  }

  /** Opens a spool that an earlier process left, after truncating both files to the last line that is complete in both. */
  static async reopen(folder: string): Promise<HourSpool> {
    const paths = spoolPaths(folder)
    const { begin, lines, bytes, at } = await readSpool(paths)
    await truncate(paths.blocks, bytes)
    await truncate(paths.events, at)
    const events = await open(paths.events, 'a')
    const blocks = await open(paths.blocks, 'a').catch(async (error) => {
      await events.close()
      throw error
    })
    const spool = new HourSpool(folder, begin, events, blocks)
    spool.#at = at
    for (const line of lines) spool.#reach(line)
    return spool
  }

  /** Adds the next event. */
  add(event: StreamEvent): void {
    if (event.kind === 'gap') {
      const { resume_from: _, ...gap } = event.params
      this.#addLine({ kind: 'gap', cursor: event.cursor, ...this.#place(), ...gap })
    } else if (event.kind === 'latestBlock') this.#addBlock(event)
    else this.#addEvent(event)
  }

  #addEvent(event: Exclude<NotificationEvent, { kind: 'latestBlock' }>): void {
    const { cursor, receivedAt } = event
    const came =
      receivedAt === undefined || this.begin.made === 'backfill' ? '' : `,"receivedAt":${receivedAt}`
    const line = `${paramsText(event).slice(0, -1)},"cursor":"${cursor}"${came}}\n`
    this.#text.push(line)
    this.#characters += line.length
    if (event.kind === 'swap') this.#swaps++
    else this.#pairs++
    this.cursor = cursor
    if (this.#characters >= PIECE_CHARACTERS) this.#endPiece()
  }

  #addBlock(event: Extract<NotificationEvent, { kind: 'latestBlock' }>): void {
    const { cursor, params, receivedAt, blockhash, parentBlockhash } = event
    this.#addLine({
      kind: 'block',
      ...{ cursor, ...this.#place(), slot: params.block, blockTime: params.blockTime },
      ...(this.begin.made === 'stream' && { receivedAt }),
      ...{ blockhash, parentBlockhash },
    })
  }

  #addLine(line: SpoolBlock | SpoolGap): void {
    this.#lines.push(spoolLineText(line))
    this.#sum = 0
    this.#swaps = 0
    this.#pairs = 0
    this.#reach(line)
  }

  #reach(line: SpoolBlock | SpoolGap): void {
    this.cursor = line.cursor
    this.#sealedAt = line.at
    if (line.kind === 'gap') this.gaps.push(line)
    else {
      this.lastBlock = line
      this.gaps = []
    }
  }

  #place() {
    this.#endPiece()
    return { at: this.#at, sum: this.#sum, swaps: this.#swaps, pairs: this.#pairs }
  }

  #endPiece(): void {
    if (this.#text.length === 0) return
    const piece = Buffer.from(this.#text.splice(0).join(''))
    this.#sum = crc32(piece, this.#sum)
    this.#at += piece.length
    this.#pieces.push(piece)
    this.#characters = 0
  }

  /** Writes the added events. Once it rejects, the spool must be reopened. */
  async flush(): Promise<void> {
    this.#endPiece()
    const [pieces, lines] = [this.#pieces.splice(0), this.#lines.splice(0)]
    // Order matters: a line of the second file describes the first one.
    if (pieces.length > 0) await this.#events.appendFile(Buffer.concat(pieces))
    if (lines.length > 0) await this.#blocks.appendFile(lines.join(''))
    this.#linesToSync += lines.length
    if (this.#linesToSync >= SYNC_LINES) await this.sync()
  }

  /** Syncs flushed bytes to disk. */
  async sync(): Promise<void> {
    if (this.#linesToSync === 0) return
    this.#linesToSync = 0
    await this.#events.datasync()
    await this.#blocks.datasync()
  }

  /** Syncs everything to disk. Drops a block that has not ended, since what is missing from it is unknown. */
  async seal(): Promise<void> {
    await this.flush()
    await this.sync()
    if (this.#swaps + this.#pairs > 0) await this.#events.truncate(this.#sealedAt)
  }

  async close(): Promise<void> {
    await Promise.all([this.#events.close(), this.#blocks.close()])
  }
}

/** The complete part of a spool: its lines, their size in bytes, and the size of the first file at the last of them. */
async function readSpool(paths: ReturnType<typeof spoolPaths>) {
  const text = await readFile(paths.blocks, 'utf8')
  const [head = '', ...rest] = text.split('\n').slice(0, -1)
  const begin = readSpoolLine(head)
  if (begin.kind !== 'begin') throw new Error(`${paths.blocks} does not begin like a spool.`)
  const lines: (SpoolBlock | SpoolGap)[] = []
  let bytes = Buffer.byteLength(head) + 1
  const file = await open(paths.events)
  try {
    const { size } = await file.stat()
    for (const [place, each] of rest.entries()) {
      const line = readWhole(each)
      const from = lines.at(-1)?.at ?? 0
      if (!line || line.at > size) break
      if (place >= rest.length - COMPARED_LINES && (await sumOf(file, from, line.at)) !== line.sum) break
      lines.push(line)
      bytes += Buffer.byteLength(each) + 1
    }
  } finally {
    await file.close()
  }
  return { begin, lines, bytes, at: lines.at(-1)?.at ?? 0 }
}

/** A line of a block or a gap; undefined for a line damaged by a power cut. */
function readWhole(text: string): SpoolBlock | SpoolGap | undefined {
  try {
    const line = readSpoolLine(text)
    return line.kind === 'begin' ? undefined : line
  } catch {
    return undefined
  }
}

async function sumOf(file: FileHandle, from: number, to: number): Promise<number> {
  const bytes = Buffer.alloc(to - from)
  await file.read(bytes, 0, bytes.length, from)
  return crc32(bytes)
}
