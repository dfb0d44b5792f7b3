import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { flushPath } from '@pairwire/basics'
import { getTableName, is } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { PgTable } from 'drizzle-orm/pg-core'
import type { Client } from 'pg'
import * as z from 'zod'
import { UNFINISHED } from '../database/lock-data-folder.ts'
import { type DatabasePlace, MIGRATION_LOCK } from '../database/open-database.ts'
import * as tablesOfCode from '../database/schema.ts'
import { countMigrations, runMigrations } from '../database/schema-state.ts'
import { createSecrets } from '../secrets.ts'
import { type BackupParts, connectTo, openPlace } from './backup.ts'
import { type BackupZip, openBackupZip } from './backup-zip.ts'
import {
  addRows,
  beginTransaction,
  listTables,
  named,
  readRows,
  TableSum,
  takeRulesOff,
} from './table-rows.ts'

/** What was restored, for people. */
export type Restored = Readonly<{
  version: string
  schema: number
  madeAt: string
  bytes: number
  rows: number
  /** Sealed API keys, all of which were opened. */
  keys: number
  seconds: number
}>

/** Secrets that may have sealed the keys: of the backup's `secrets.json`, if it holds one, and of the environment. */
export type FindSecrets = (kept: string | undefined) => readonly Parameters<typeof createSecrets>[0][]

/** What is read here of a row of `accounts`. */
const SealedKey = z.object({ id: z.string(), key_sealed: z.string() })

/** Characters of rows that are sent at once. */
const BATCH_LENGTH = 512 * 1024

/** Milliseconds in which the filled embedded database may close and write its dump. */
const CLOSE_WITHIN_MS = 120_000

/**
 * Restores the backup `file` into the data folder and database of `parts`, both empty, and brings the database to the newest
 * migration. The caller holds the folder. Everything happens in one transaction; files are marked as unfinished until its
 * end. After a fault all is as it was. An embedded database that is not kept is not closed cleanly.
 *
 * @throws Error with a sentence for a damaged file, a wrong secret, a newer version, a database in use
 */
export async function restore(
  file: string,
  parts: BackupParts,
  findSecrets: FindSecrets,
  { isKept = true, signal }: Readonly<{ isKept?: boolean; signal?: AbortSignal | undefined }> = {},
): Promise<Restored> {
  const startedMs = performance.now()
  const mark = join(parts.dataFolder, UNFINISHED)
  const made = [mark]
  const zip = await openBackupZip(file, signal)
  try {
    const { version, schema, madeAt, tables, files } = zip.manifest
    const migrations = readMigrationFiles(parts)
    if (schema > migrations.length) {
      throw new Error(`This backup was made by a newer Pairwire: restore it with ${version} or later.`)
    }
    const keys = await openKeys(zip, findSecrets)
    writeFileSync(mark, '', { mode: 0o600, flush: true })
    await flushPath(parts.dataFolder)
    for (const name of files) {
      // The library refuses names that lead out of the folder.
      const bytes = await buffer(await zip.read(`data/${name}`))
      made.push(join(parts.dataFolder, name.split('/', 1)[0]!))
      mkdirSync(dirname(join(parts.dataFolder, name)), { recursive: true, mode: 0o700 })
      writeFileSync(join(parts.dataFolder, name), bytes, { mode: 0o600, flush: true })
    }
    if ('folder' in parts.place) made.push(parts.place.folder)
    await fill(zip, parts.place, migrations, isKept ? CLOSE_WITHIN_MS : 0)
    await rm(mark)
    await flushPath(parts.dataFolder)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const seconds = Math.round(performance.now() - startedMs) / 1_000
    return { version, schema, madeAt, bytes: zip.bytes, rows, keys, seconds }
  } catch (error) {
    for (const path of made.reverse()) await rm(path, { recursive: true, force: true })
    throw error
  } finally {
    zip.close()
  }
}

/** Restores `file` into a temporary folder and the embedded database, and removes both. */
export async function checkBackup(
  file: string,
  parts: Omit<BackupParts, 'place' | 'dataFolder'> & { workerUrl: URL },
  findSecrets: FindSecrets,
  signal?: AbortSignal,
): Promise<Restored> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'pairwire-check-'))
  try {
    const place = { folder: join(dataFolder, 'database'), workerUrl: parts.workerUrl }
    return await restore(file, { ...parts, dataFolder, place }, findSecrets, { isKept: false, signal })
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
}

/** Fills the empty database in one transaction, and compares what it then holds with the backup. */
async function fill(
  zip: BackupZip,
  place: DatabasePlace,
  migrations: MigrationMeta[],
  closeWithinMs: number,
): Promise<void> {
  const { schema, tables, sequences } = zip.manifest
  const { client, close } = await connectTo(await openPlace(place))
  let withinMs = 0
  try {
    await beginTransaction(client, 'read write')
    await emptyOut(client, migrations)
    await runMigrations(client, migrations.slice(0, schema))
    const putRulesBack = await takeRulesOff(client)
    for (const { name } of tables) {
      for await (const lines of batchesOf(await zip.read(`tables/${name}.jsonl`)))
        await addRows(client, name, lines)
    }
    await putRulesBack()
    await compare(client, zip)
    for (const { name, at, isCalled } of sequences) {
      await client.query('select setval($1, $2::bigint, $3)', [named(name), at, isCalled])
    }
    await runMigrations(client, migrations.slice(schema))
    // Messages since the backup have numbers that receivers know: none is given twice, as an endpoint has no thousand a second.
    await client.query(`update webhooks set n = greatest(n, extract(epoch from now()) * 1000)`)
    await client.query('commit')
    withinMs = closeWithinMs
  } finally {
    await close(withinMs)
  }
}

/** Insists that nobody uses the database and that no account is in it, and removes our empty tables. */
async function emptyOut(client: Client, migrations: MigrationMeta[]): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  const others = await client.query(
    `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
     and coalesce(backend_type, 'client backend') = 'client backend'`,
  )
  if (others.rows.length > 0) {
    throw new Error(
      `The database is in use by ${others.rows.length} other connections: stop what runs on it first.`,
    )
  }
  if ((await countMigrations(client, migrations)) === 0) {
    if ((await listTables(client)).length === 0) return
    throw new Error('The database has tables of something else: restore into an empty one.')
  }
  const { rows } = await client.query('select 1 from public.accounts limit 1')
  if (rows.length > 0) throw new Error('The database has accounts: restore into an empty one.')
  const ours = Object.values(tablesOfCode).flatMap((table) =>
    is(table, PgTable) ? [named(getTableName(table))] : [],
  )
  await client.query(`drop table if exists ${ours.join(', ')} cascade`)
  await client.query('drop schema drizzle cascade')
}

/** The lines of a file of the backup, in batches. */
async function* batchesOf(lines: Readable): AsyncGenerator<string[]> {
  let rest = ''
  for await (const text of lines.setEncoding('utf8')) {
    rest += text
    // Not by `readline`, which also ends lines at characters that JSON may hold.
    const end = rest.length < BATCH_LENGTH ? 0 : rest.lastIndexOf('\n')
    if (end <= 0) continue
    yield rest.slice(0, end).split('\n')
    rest = rest.slice(end + 1)
  }
  if (rest !== '') yield rest.trimEnd().split('\n')
}

/** @throws Error with a sentence if a table is not as it was */
async function compare(client: Client, { manifest }: BackupZip): Promise<void> {
  for (const { name, rows, hash } of manifest.tables) {
    const sum = new TableSum()
    for await (const _ of readRows(client, name, sum));
    if (sum.rows === rows && sum.hash === hash) continue
    throw new Error(
      `The table ${name} is not as it was: ${sum.rows} rows of ${rows}, or other values in them.`,
    )
  }
}

/** Opens every sealed key. @returns how many. @throws Error with a sentence if one cannot be opened */
async function openKeys(zip: BackupZip, findSecrets: FindSecrets): Promise<number> {
  const hasSecrets = zip.manifest.files.includes('secrets.json')
  const kept = hasSecrets ? await text(await zip.read('data/secrets.json')) : undefined
  const found = findSecrets(kept).map((secrets) => ({ open: createSecrets(secrets).keys.open, opened: 0 }))
  let keys = 0
  for await (const lines of batchesOf(await zip.read('tables/accounts.jsonl'))) {
    for (const line of lines) {
      const { id, key_sealed: sealed } = SealedKey.parse(JSON.parse(line))
      keys++
      for (const secret of found) if (canOpen(secret.open, sealed, id)) secret.opened++
    }
  }
  const opened = Math.max(0, ...found.map((secret) => secret.opened))
  if (opened === keys) return keys
  if (found.length === 0) {
    throw new Error(
      'KEY_ENCRYPTION_SECRET: this backup has no secrets.json; set it to the secret of that service.',
    )
  }
  throw new Error(
    opened === 0
      ? 'KEY_ENCRYPTION_SECRET: the keys in this backup, which is whole, were sealed with another secret.'
      : `Only ${opened} of ${keys} sealed keys can be opened.`,
  )
}

function canOpen(open: (sealed: string, id: string) => string, sealed: string, id: string): boolean {
  try {
    open(sealed, id)
    return true
  } catch {
    return false
  }
}
