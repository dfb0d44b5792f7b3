import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { hourFileName } from '@pairwire/archive'
import { flushPath } from '@pairwire/basics'
import {
  HOUR_FILES,
  HOUR_MS,
  type HourFile,
  type HourFileKind,
  hourStart,
  type Manifest,
  timeText,
} from '@pairwire/contract'
import { spoolPaths } from '../spool/hour-spool.ts'
import { blocksOf, oddLinesOf, pairsOf, quoted, readPath, swapsOf } from './columns.ts'
import { isWhole, readProof } from './hour-proof.ts'
import type { HourToMake } from './messages.ts'
import { SETTINGS } from './query.ts'
import { writeZip } from './write-zip.ts'

/** Rows per row group: what a columnar reader reads at once. */
const GROUP_ROWS = 122_880

/**
 * Makes the four files of an hour and its manifest from its spool, and syncs them to disk. The same spool gives the same
 * bytes: no file carries the time of making.
 *
 * @throws Error if the engine read fewer events than were written
 */
export async function makeHour({ spool, files }: HourToMake): Promise<Manifest> {
  const { events, blocks } = spoolPaths(spool)
  const proof = await readProof(blocks)
  const { hour } = proof.begin
  const instance = await DuckDBInstance.create(':memory:', {
    ...SETTINGS,
    temp_directory: `${files.zip}.temporary`,
  })
  try {
    const engine = await instance.connect()
    await engine.run(`CREATE TEMP TABLE odd AS ${oddLinesOf(events)}`)
    await writeParquet(engine, swapsOf(events), files.swaps)
    await writeParquet(engine, pairsOf('odd'), files.pairs)
    await writeParquet(engine, blocksOf(blocks), files.blocks)
    const rows = await rowsOf(engine, files)
    for (const kind of ['swaps', 'pairs', 'blocks'] as const) {
      if (rows[kind] !== proof[kind])
        throw new Error(`${hour}: read ${rows[kind]} of ${proof[kind]} ${kind} that were written.`)
    }
    const counts = {
      ...rows,
      byExchange: await byExchange(engine, files),
      nulls: await nullsOf(engine, files),
    }
    const zip = await writeZip(events, files.zip, hour)
    const made = await filesOf(hour, files, zip, { ...rows, zip: rows.swaps + rows.pairs })
    return manifestOf(proof, counts, made)
  } finally {
    instance.closeSync()
  }
}

async function writeParquet(engine: DuckDBConnection, select: string, path: string): Promise<void> {
  await engine.run(
    `COPY (${select}) TO ${quoted(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS})`,
  )
}

type Files = HourToMake['files']
type Rows = Record<Exclude<HourFileKind, 'zip'>, number>

async function rowsOf(engine: DuckDBConnection, files: Files): Promise<Rows> {
  const count = async (path: string) =>
    Number((await select(engine, `SELECT count(*) AS rows FROM ${table(path)}`))[0]!.rows)
  return {
    swaps: await count(files.swaps),
    pairs: await count(files.pairs),
    blocks: await count(files.blocks),
  }
}

async function byExchange(
  engine: DuckDBConnection,
  { swaps, pairs }: Files,
): Promise<Record<string, number>> {
  const found = await select(
    engine,
    `SELECT sourceExchange, count(*) AS events FROM (SELECT sourceExchange FROM ${table(swaps)} UNION ALL
     SELECT sourceExchange FROM ${table(pairs)}) GROUP BY sourceExchange ORDER BY sourceExchange`,
  )
  return Object.fromEntries(
    found.map(({ sourceExchange, events }) => [String(sourceExchange), Number(events)]),
  )
}

/** Counts amounts that do not fit into Parquet. The last one of a swap is counted from its line: NULL also means unknown. */
async function nullsOf(engine: DuckDBConnection, { swaps, pairs }: Files): Promise<number> {
  const isNull = (...names: string[]) => names.map((name) => `count(*) FILTER (${name} IS NULL)`).join(' + ')
  const supply = (token: string) =>
    `count(*) FILTER (${token}.info IS NOT NULL AND ${token}.info.supply IS NULL)`
  const [found] = await select(
    engine,
    `SELECT (SELECT ${isNull('baseAmount', 'quoteAmount')} FROM ${table(swaps)})
      + (SELECT count(*) FROM odd WHERE NOT isPair AND isBeyond)
      + (SELECT ${isNull('baseTokenLiquidityAdded', 'quoteTokenLiquidityAdded')} + ${supply('baseToken')}
           + ${supply('quoteToken')} FROM ${table(pairs)}) AS nulls`,
  )
  return Number(found!.nulls)
}

const table = (path: string) => `read_parquet(${readPath(path)})`

async function select(engine: DuckDBConnection, sql: string) {
  return (await engine.runAndReadAll(sql)).getRowObjects()
}

/** Syncs the files to disk. @returns their entries in the manifest */
async function filesOf(
  hour: string,
  files: Files,
  zipSum: string,
  rows: Record<HourFileKind, number>,
): Promise<HourFile[]> {
  const made: HourFile[] = []
  for (const kind of HOUR_FILES) {
    const path = files[kind]
    const sha256 = kind === 'zip' ? zipSum : await sumOf(path)
    const name = hourFileName(hour, kind, sha256)
    made.push({ name, bytes: (await stat(path)).size, sha256, rows: rows[kind] })
    await flushPath(path)
  }
  return made
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The manifest of an hour that is made for the first time, as far as is known here. */
function manifestOf(
  proof: Awaited<ReturnType<typeof readProof>>,
  counts: Manifest['counts'],
  files: HourFile[],
): Manifest {
  const { begin, slots, cursors, chain, gaps } = proof
  const { hour, source, made } = begin
  const from = hourStart(hour)!
  return {
    format: 1,
    hour,
    ...{ from: timeText(from), to: timeText(from + HOUR_MS), source, made, revision: 1 },
    madeAt: timeText(Date.now()),
    complete: isWhole(proof),
    ...{ counts, slots, cursors, chain, gaps, files },
  }
}
