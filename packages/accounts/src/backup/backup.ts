import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { copyFile, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { codeOf, flushPath } from '@pairwire/basics'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { Client, type ClientConfig } from 'pg'
import type { DatabasePlace } from '../database/open-database.ts'
import { openPglite } from '../database/open-pglite.ts'
import { copyCluster } from '../database/pglite-dump.mjs'
import { countMigrations } from '../database/schema-state.ts'
import { type Manifest, type Part, writeBackupZip } from './backup-zip.ts'
import { beginTransaction, listTables, named, readRows, TableSum } from './table-rows.ts'

/** What a backup holds, and a restore fills. */
export type BackupParts = Readonly<{
  place: DatabasePlace
  dataFolder: string
  migrationsFolder: string
  /** The version of this Pairwire. */
  version: string
}>

/** Files of the data folder that are part of a backup where they exist, besides those of the folder `brand`. */
const FILES = ['secrets.json', 'run', 'chain.json', 'status.json']

/**
 * Writes a backup to `output` and ends it. Of a PostgreSQL one transaction sees one moment; of the embedded database a copy is
 * opened aside, so a service that runs on it waits for nothing.
 */
export async function backUp(parts: BackupParts, output: Writable, signal?: AbortSignal): Promise<Manifest> {
  const { client, close } = await connectTo(await openAside(parts.place))
  try {
    await beginTransaction(client, 'isolation level repeatable read, read only')
    const manifest: Manifest = {
      version: parts.version,
      schema: await countMigrations(client, readMigrationFiles(parts)),
      madeAt: new Date().toISOString(),
      tables: [],
      sequences: await readSequences(client),
      files: listFiles(parts.dataFolder),
    }
    if (manifest.schema === 0) throw new Error('The database is empty: there is nothing to back up.')
    const tables = (await listTables(client)).map(
      (name): Part => [`tables/${name}.jsonl`, () => linesOf(name)],
    )
    await writeBackupZip(
      output,
      [
        ...manifest.files.map(
          (name): Part => [`data/${name}`, () => createReadStream(join(parts.dataFolder, name))],
        ),
        ...tables,
        // Last, as the tables' sums are known only then.
        ['manifest.json', () => [JSON.stringify(manifest, null, 2)]],
      ],
      signal,
    )
    return manifest

    async function* linesOf(name: string): AsyncGenerator<string> {
      const sum = new TableSum()
      for await (const lines of readRows(client, name, sum)) yield `${lines.join('\n')}\n`
      manifest.tables.push({ name, rows: sum.rows, hash: sum.hash })
    }
  } finally {
    await close()
  }
}

/** Writes a backup to a file for its owner alone, which is whole or not there, and replaces one of that name. */
export async function backUpToFile(
  parts: BackupParts,
  file: string,
  signal?: AbortSignal,
): Promise<Manifest> {
  const part = `${file}.${process.pid}.part`
  await rm(part, { force: true })
  try {
    const output = (await open(part, 'wx', 0o600)).createWriteStream({ flush: true })
    const manifest = await backUp(parts, output, signal).finally(() => output.destroy())
    await rename(part, file)
    await flushPath(dirname(file))
    return manifest
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** A connection to the database, or to what the embedded one holds now. */
export async function openAside(place: DatabasePlace): Promise<Opened> {
  if ('url' in place) return openPlace(place)

  const folder = await mkdtemp(join(tmpdir(), 'pairwire-backup-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const cluster = join(place.folder, 'cluster')
    if (existsSync(cluster)) await copyCluster(cluster, join(folder, 'cluster'))
    else await copyFile(join(place.folder, 'dump.tar.gz'), join(folder, 'dump.tar.gz'))
    const { config, close } = await openPlace({ ...place, folder })
    return { config, close: () => close().then(remove) }
  } catch (error) {
    await remove()
    throw codeOf(error) === 'ENOENT' ? new Error(`There is no database in ${place.folder}.`) : error
  }
}

/** A database to connect to. `close` gives an embedded one `withinMs` to end cleanly and to write its dump, none by default. */
type Opened = Readonly<{ config: ClientConfig; close(withinMs?: number): Promise<void> }>

/** Opens a database; an embedded one is in use by nobody else. */
export async function openPlace(place: DatabasePlace): Promise<Opened> {
  if ('url' in place)
    return { config: { connectionString: place.url, keepAlive: true }, close: async () => {} }
  const pglite = await openPglite(place, { warn: () => {} })
  const config = { stream: pglite.connect, user: 'postgres', database: 'postgres', ssl: false }
  return { config, close: (withinMs = 0) => pglite.close(withinMs) }
}

/** Connects to it; `close` ends both. */
export async function connectTo({ config, close }: Opened) {
  const client = new Client(config)
  // Its next query fails.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    await close()
    throw error
  }
  return { client, close: (withinMs = 0) => client.end().then(() => close(withinMs)) }
}

async function readSequences(client: Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1",
  )
  const found: Manifest['sequences'] = []
  for (const { name } of rows) {
    const place = await client.query(
      `select last_value::text as at, is_called as "isCalled" from ${named(name)}`,
    )
    found.push({ name, ...place.rows[0] })
  }
  return found
}

function listFiles(dataFolder: string): string[] {
  const brand = join(dataFolder, 'brand')
  const branded = existsSync(brand) ? readdirSync(brand, { recursive: true, encoding: 'utf8' }) : []
  return [...FILES, ...branded.map((name) => `brand/${name}`)].filter((name) =>
    statSync(join(dataFolder, name), { throwIfNoEntry: false })?.isFile(),
  )
}
