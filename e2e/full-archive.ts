import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeZip } from '../apps/archiver/src/engine/write-zip.ts'
import { aKeptHour } from '../apps/archiver/src/testing/a-kept-hour.ts'
import { aStreamBlock, hashOf } from '../apps/archiver/src/testing/a-stream.ts'
import { anEngine } from '../apps/archiver/src/testing/an-engine.ts'
import { hourFileName } from '../packages/archive/src/hour-names.ts'
import { systemClock } from '../packages/basics/src/index.ts'
import {
  encodeBase58,
  HOUR_FILES,
  HOUR_MS,
  type HourFileKind,
  hourName,
  type Manifest,
  paramsText,
  type StreamEvent,
} from '../packages/contract/src/index.ts'

/** Slots from the beginning of an hour to that of the next. */
const SLOTS = 100

/** Swaps of the newest hour: enough that a reader of one column need not fetch the whole file. */
const NEWEST_SWAPS = 10_000

type Folder = Readonly<{ manifest: Manifest; files: Readonly<Record<HourFileKind, string>> }>

/**
 * Fills the archive of a stopped service with `count` hours of the simulator up to `to`, the newest a large one, that of
 * `emptyAt` without an event. The others have their own zips and the Parquet of the newest, to keep a test of hundreds of
 * hours fast. The service builds the months' indexes.
 */
export async function fillArchive(
  dataFolder: string,
  to: number,
  count: number,
  emptyAt: number,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-full-archive-'))
  const engine = anEngine(systemClock)
  const start = (at: number) => (to - (count - at) * HOUR_MS) / 1_000
  const make = async (at: number, blocks: StreamEvent[][]): Promise<Folder> => {
    const made = join(folder, String(at))
    return aKeptHour(made, blocks, engine, { source: 'simulator', start: start(at) })
  }
  const newest = await make(count - 1, largeBlocks((count - 1) * SLOTS, start(count - 1)))
  const empty = await make(emptyAt, [
    aStreamBlock(emptyAt * SLOTS + 1, { blockTime: start(emptyAt), parent: 0, swaps: [] }),
  ])
  engine.close()

  for (let at = 0; at < count; at++) {
    const hour =
      at === count - 1 ? newest : at === emptyAt ? empty : await light(folder, newest, at, start(at))
    const month = join(dataFolder, 'archive/simulator', `${hour.manifest.from.slice(0, 7)}`)
    mkdirSync(month, { recursive: true })
    HOUR_FILES.forEach((kind, index) => {
      linkSync(hour.files[kind], join(month, hour.manifest.files[index]!.name))
    })
    writeFileSync(join(month, `${hour.manifest.hour}.json`), JSON.stringify(hour.manifest))
  }
  rmSync(folder, { recursive: true })
}

/** An hour with three swaps and a pair in its zip, and otherwise the files of another hour. */
async function light(folder: string, other: Folder, at: number, start: number): Promise<Folder> {
  const slot = at * SLOTS + 1
  const place = { blockTime: start + 60 }
  const blocks = [
    aStreamBlock(slot, { ...place, pairs: [`Pair é ${at}`] }),
    aStreamBlock(slot + 1, { ...place, swaps: [{}, { walletAccount: hashOf(at) }] }),
  ]
  const hour = hourName(start * 1_000)
  const [lines, zip] = [join(folder, `${hour}.ndjson`), join(folder, `${hour}.zip`)]
  writeFileSync(lines, blocks.flat().map(lineOf).join(''))
  const sha256 = await writeZip(lines, zip, hour)
  const files = other.manifest.files.map((file, index) => {
    const kind = HOUR_FILES[index]!
    const own = kind === 'zip' ? { ...file, sha256, bytes: statSync(zip).size, rows: 4 } : file
    return { ...own, name: hourFileName(hour, kind, own.sha256) }
  })
  const time = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000', '')
  const last = blocks.at(-1)!.at(-1)!.cursor
  const manifest: Manifest = {
    ...other.manifest,
    ...{ hour, from: time(start), to: time(start + HOUR_MS / 1_000) },
    counts: { ...other.manifest.counts, swaps: 3, pairs: 1, blocks: 2 },
    ...{ slots: { first: slot, last: slot + 1 }, cursors: { first: blocks[0]![0]!.cursor, last }, files },
  }
  return { manifest, files: { ...other.files, zip } }
}

/** A line of a zip as in `history.md` of the docs; '' for a block, which has none. */
function lineOf(event: StreamEvent): string {
  if (event.kind !== 'swap' && event.kind !== 'newPair') return ''
  const { cursor, receivedAt } = event
  return `${paramsText(event).slice(0, -1)},"cursor":"${cursor}","receivedAt":${receivedAt}}\n`
}

/** Blocks whose swaps compress like those of the chain: signatures are random. */
function largeBlocks(slot: number, start: number): StreamEvent[][] {
  const perBlock = NEWEST_SWAPS / SLOTS / 2
  const wallets = Array.from({ length: 1_000 }, (_, at) => hashOf(at))
  return Array.from({ length: NEWEST_SWAPS / perBlock }, (_, at) =>
    aStreamBlock(slot + at + 1, {
      ...{ blockTime: start + at, parent: at === 0 ? 0 : slot + at },
      swaps: Array.from({ length: perBlock }, (_swap, index) => ({
        walletAccount: wallets[(at * 37 + index * 11) % wallets.length]!,
        quotePrice: `0.0000${1_000 + ((at * 7 + index * 13) % 9_000)}`,
        usdValue: ((at * 31 + index) % 5_000) / 4,
        sourceExchange: index % 3 === 0 ? 'pumpfun' : 'pumpswap',
      })),
      pairs: at % 50 === 0 ? [`Pair ${at}`] : [],
    }).map((event) =>
      event.kind === 'swap'
        ? { ...event, params: { ...event.params, signature: encodeBase58(randomBytes(64)) } }
        : event,
    ),
  )
}
