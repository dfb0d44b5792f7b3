import { randomBytes, randomInt } from 'node:crypto'
import { createWriteStream, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { getTableColumns, sql } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import type { Database } from '../database/open-database.ts'
import * as schema from '../database/schema.ts'
import { createSecrets } from '../secrets.ts'
import {
  createMigratedParts,
  createParts,
  KEPT_SECRETS,
  KINDS,
  type Kind,
  openParts,
  removeParts,
  sumsOf,
  temporaryFolder,
} from '../testing/backup-parts.ts'
import { copyFirstMigrations, MIGRATION_COUNT } from '../testing/older-migrations.ts'
import { MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { hasPostgres } from '../testing/postgres-server.ts'
import { type BackupParts, backUpToFile } from './backup.ts'
import { openBackupZip, writeBackupZip } from './backup-zip.ts'
import { checkBackup, type FindSecrets, restore } from './restore.ts'

afterAll(removeParts)

const SECRETS = { keyEncryption: new Uint8Array(32).fill(1), pepper: new Uint8Array(32).fill(2) }
const OTHERS = { ...SECRETS, keyEncryption: new Uint8Array(32).fill(3) }
/** Takes any `secrets.json` for the tests' secrets. */
const findSecrets = (kept: string | undefined) => (kept === undefined ? [] : [SECRETS])

/** All but the one that is a copy of what others say. */
const TABLES = Object.values({ ...schema, moneyMonths: undefined }).filter(
  (table) => table instanceof PgTable,
)

const ID = '11111111-2222-4333-8444-555555555555'
const KEY = '0123456789abcdef0123456789abcdef'

/** Values that are hard to keep, by the kind of a column. */
const HARD: Readonly<Record<string, unknown>> = {
  PgUUID: ID,
  PgText: 'a\u2028"\\\n\u{1f600}\tz',
  PgInteger: 7,
  PgBigInt64: 9_223_372_036_854_775_807n,
  PgBigInt53: Number.MAX_SAFE_INTEGER,
  PgBoolean: true,
  PgTimestamp: new Date(1_795_000_000_001),
  PgDateString: '2026-01-31',
  PgJsonb: { text: 'a\u2029"', deep: [{ number: 0.1 }, null] },
  PgArray: ['a,b', '{"c"}', ''],
}

const hasSequence = (table: (typeof TABLES)[number]) =>
  Object.values(getTableColumns(table)).some(({ columnType }) => /Serial/.test(columnType))

/** The tables, each after those that its rows name. */
function inOrder(tables: typeof TABLES): typeof TABLES {
  const names = tables.map((table) => getTableConfig(table).name)
  const ready = tables.filter((table) =>
    getTableConfig(table).foreignKeys.every(
      (key) => !names.includes(getTableConfig(key.reference().foreignTable).name),
    ),
  )
  const rest = tables.filter((table) => !ready.includes(table))
  return rest.length === 0 ? ready : [...ready, ...inOrder(rest)]
}

/** Rows that {@link fillEveryTable} makes. */
const ROWS = TABLES.length + 2 * TABLES.filter(hasSequence).length

/** A row for every table, three for one with a sequence. An account with a plan and a key is among them. */
async function fillEveryTable({ db }: Database): Promise<void> {
  const secrets = createSecrets(SECRETS)
  const known: Record<string, object> = {
    accounts: { keyHash: secrets.hashKey(KEY), keySealed: secrets.keys.seal(KEY, ID), suspendedAt: null },
    mails: { receiver: null },
    subscriptions: { kind: 'grant', planId: 3, endsAt: null, endedAt: null, cancelledAt: null },
  }
  for (const table of inOrder(TABLES)) {
    const { name } = getTableConfig(table)
    const columns = Object.entries(getTableColumns(table))
    const values = columns.map(([key, column]) => [key, column.enumValues?.[0] ?? HARD[column.columnType]])
    const row = { ...Object.fromEntries(values), ...known[name] }
    for (let count = 0; count < (hasSequence(table) ? 3 : 1); count++) await db.insert(table).values(row)
  }
  // A number that JavaScript cannot hold, and one that the trigger on reports would not write.
  await db.execute(
    sql`update billing_events set raw = raw || '{"large": 12345678901234567890.10}', monthly = 123`,
  )
}

/** A data folder with something of everything. */
async function fullParts(kind: Kind): Promise<BackupParts> {
  const parts = await createMigratedParts(kind)
  const database = await openParts(parts)
  await fillEveryTable(database)
  await database.close()
  mkdirSync(join(parts.dataFolder, 'brand/deep'), { recursive: true })
  writeFileSync(join(parts.dataFolder, 'secrets.json'), KEPT_SECRETS)
  writeFileSync(join(parts.dataFolder, 'run'), '7')
  writeFileSync(join(parts.dataFolder, 'chain.json'), '{"slot":1}')
  writeFileSync(join(parts.dataFolder, 'status.json'), '{}')
  writeFileSync(join(parts.dataFolder, 'brand/deep/logo.svg'), '<svg/>')
  writeFileSync(join(parts.dataFolder, 'other'), 'not kept')
  return parts
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('database') && statSync(join(folder, name)).isFile())
    .sort()

/** Definitions of all indexes, constraints and triggers. */
const rulesOf = async ({ db }: Database) => {
  const { rows } = await db.execute(sql`
    select pg_get_indexdef(indexrelid) as rule from pg_index where indrelid in (
      select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all select conrelid::regclass || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`)
  return rows
}

const freshRules = new Map<Kind, ReturnType<typeof readFreshRules>>()

/** The rules of a fresh database of this kind, read once. */
function rulesOfFresh(kind: Kind): ReturnType<typeof readFreshRules> {
  const found = freshRules.get(kind) ?? readFreshRules(kind)
  freshRules.set(kind, found)
  return found
}

async function readFreshRules(kind: Kind) {
  const database = await openParts(await createMigratedParts(kind))
  const rules = await rulesOf(database)
  await database.close(0)
  return rules
}

const sources = new Map<Kind, BackupParts>()
const files = new Map<Kind, string>()
beforeAll(async () => {
  for (const kind of KINDS) {
    const source = await fullParts(kind)
    const file = join(temporaryFolder(), 'one.zip')
    await backUpToFile(source, file)
    sources.set(kind, source)
    files.set(kind, file)
  }
}, 600_000)

describe.each(KINDS)('a backup of an %s database', (from) => {
  it('is one zip for its owner alone, with every table and every sequence', async () => {
    const file = files.get(from)!
    const zip = await openBackupZip(file)
    zip.close()

    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(file, '..'))).toEqual(['one.zip'])
    expect(zip.manifest.tables.filter(({ rows }) => rows === 0)).toEqual([])
    const names = TABLES.map((table) => getTableConfig(table).name)
    expect(zip.manifest.tables.map(({ name }) => name).sort()).toEqual(names.sort())
    const sequences = TABLES.filter(hasSequence).map((table) => `${getTableConfig(table).name}_id_seq`)
    expect(zip.manifest.sequences).toEqual(
      sequences.sort().map((name) => ({ name, at: '3', isCalled: true })),
    )
    const kept = ['secrets.json', 'run', 'chain.json', 'status.json', 'brand/deep/logo.svg']
    expect(zip.manifest.files).toEqual(kept)
  })

  it.each(KINDS)(
    'restores into an %s database with equal rows, and gives new numbers after it',
    async (to) => {
      const source = sources.get(from)!
      const target = await createParts(to)

      const restored = await restore(files.get(from)!, target, findSecrets)

      expect(restored).toMatchObject({ version: '0.1.0', schema: MIGRATION_COUNT, keys: 1, rows: ROWS })
      expect(filesIn(target.dataFolder)).toEqual(
        filesIn(source.dataFolder).filter((name) => name !== 'other'),
      )
      expect(readFileSync(join(target.dataFolder, 'secrets.json'), 'utf8')).toBe(KEPT_SECRETS)
      const database = await openParts(target)
      const accounts = createAccounts({ ...database, clock: Date.now, secrets: SECRETS })
      expect(await accounts.authorizeKey(KEY)).toMatchObject({ outcome: 'allowed', planId: 3 })
      await accounts.addStatus('four')
      const { rows } = await database.db.execute(sql`select max(id) as id from status_items`)
      expect(rows).toEqual([{ id: 4 }])
      expect(await rulesOf(database)).toEqual(await rulesOfFresh(to))
      await database.close(0)
    },
    300_000,
  )
})

describe('a check of a backup', () => {
  const check = (file: string, secrets: FindSecrets = findSecrets, migrationsFolder = MIGRATIONS) =>
    checkBackup(file, { migrationsFolder, version: '0.1.0', workerUrl: WORKER_URL }, secrets)

  const tryBytes = (bytes: Buffer) => {
    const damaged = join(temporaryFolder(), 'damaged.zip')
    writeFileSync(damaged, bytes)
    return check(damaged)
  }

  it('restores it, says how long that took, and leaves nothing behind', async () => {
    const folder = temporaryFolder()
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())

    const checked = await check(files.get('embedded')!)

    expect(checked).toMatchObject({ keys: 1, rows: ROWS })
    expect(checked.seconds).toBeGreaterThan(0)
    expect(readdirSync(folder)).toEqual([])
  }, 300_000)

  it('finds where it is cut off', async () => {
    const whole = readFileSync(files.get('embedded')!)
    for (let turn = 0; turn < inCi(40, 5); turn++) {
      const length = turn < 2 ? turn : randomInt(whole.length)
      await expect(tryBytes(whole.subarray(0, length)), `${length}`).rejects.toThrow('is damaged or cut off')
    }
  })

  it('finds any byte changed', async () => {
    const whole = readFileSync(files.get('embedded')!)
    for (let turn = 0; turn < inCi(60, 25); turn++) {
      const at = turn < 20 ? whole.length - 1 - 5 * turn : randomInt(whole.length)
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 1 << randomInt(8)
      await expect(tryBytes(bytes), `byte ${at}`).rejects.toThrow('is damaged or cut off')
    }
    await expect(tryBytes(randomBytes(1_000))).rejects.toThrow('or is no backup of Pairwire')
  })

  it('tells a wrong secret and a missing one from a damaged file', async () => {
    const file = files.get('embedded')!

    await expect(check(file, () => [OTHERS])).rejects.toThrow(
      'KEY_ENCRYPTION_SECRET: the keys in this backup, which is whole, were sealed with another secret.',
    )
    await expect(check(file, () => [])).rejects.toThrow(
      'KEY_ENCRYPTION_SECRET: this backup has no secrets.json',
    )
  })

  it('refuses one of a newer release, and names the version to use', async () => {
    await expect(
      check(files.get('embedded')!, findSecrets, copyFirstMigrations(MIGRATION_COUNT - 1, temporaryFolder())),
    ).rejects.toThrow('This backup was made by a newer Pairwire: restore it with 0.1.0 or later.')
  })
})

describe.skipIf(!hasPostgres())('a restore', () => {
  const every = inCi(1, 6)
  it.each(
    Array.from(
      { length: Math.ceil((MIGRATION_COUNT - 1) / every) },
      (_, at) => MIGRATION_COUNT - 1 - at * every,
    ),
  )('takes a backup made after %s migrations, and brings it to the newest', async (count) => {
    const older = {
      ...(await createParts('PostgreSQL')),
      migrationsFolder: copyFirstMigrations(count, temporaryFolder()),
    }
    const before = await openParts(older)
    const sealed = createSecrets(SECRETS).keys.seal('key', '11111111-2222-4333-8444-555555555555')
    await before.db.execute(sql`
        insert into accounts (id, email, email_normalised, created_at, marketing_emails, key_hash, key_sealed)
        values ('11111111-2222-4333-8444-555555555555', 'a@b.c', 'a@b.c', '2026-01-01', false, 'hash', ${sealed})`)
    await before.close()
    const file = join(temporaryFolder(), 'older.zip')
    await backUpToFile(older, file)
    const target = await createParts('PostgreSQL')

    expect(await restore(file, target, () => [SECRETS])).toMatchObject({ schema: count, keys: 1 })

    const names = (await sumsOf(target)).map(({ name }) => name)
    expect(names.sort()).toEqual(TABLES.map((table) => getTableConfig(table).name).sort())
  })

  it('takes a database with empty tables, and none with accounts, with strangers’ tables or in use', async () => {
    const target = await createParts('PostgreSQL')
    const { place } = target as { place: { url: string } }
    const other = new Client({ connectionString: place.url })
    await other.connect()
    const file = files.get('PostgreSQL')!
    const refused = expect(restore(file, target, findSecrets)).rejects
    await refused.toThrow('The database is in use by 1 other connection')
    await other.query('create table strange ()')
    await other.end()
    await expect(restore(file, target, findSecrets)).rejects.toThrow('tables of something else')
    const clean = new Client({ connectionString: place.url })
    await clean.connect()
    await clean.query('drop table strange')
    await clean.end()
    await (await openParts(target)).close()

    await restore(file, target, findSecrets)

    await expect(restore(file, { ...target, dataFolder: temporaryFolder() }, findSecrets)).rejects.toThrow(
      'The database has accounts',
    )
    expect(await sumsOf(target)).toEqual(await sumsOf(sources.get('PostgreSQL')!))
  })

  it('leaves everything as it was when a row does not fit', async () => {
    const source = sources.get('PostgreSQL')!
    const file = join(temporaryFolder(), 'wrong.zip')
    const zip = await openBackupZip(files.get('PostgreSQL')!)
    zip.close()
    const tables = zip.manifest.tables.map((table) => ({ ...table, hash: '0'.repeat(64) }))
    await writeBackupZip(createWriteStream(file), [
      ['tables/accounts.jsonl', () => []],
      ['manifest.json', () => [JSON.stringify({ ...zip.manifest, files: [], tables: tables.slice(0, 1) })]],
    ])
    const target = await createParts('PostgreSQL')

    await expect(restore(file, target, findSecrets)).rejects.toThrow('is not as it was: 0 rows of 1')

    expect(readdirSync(target.dataFolder)).toEqual([])
    await expect(sumsOf(target)).rejects.toThrow('The database is empty')
    expect(await sumsOf(source)).toHaveLength(TABLES.length)
  })

  // Guards what a check proves: rows come in before the references between them.
  it('refuses a row whose parent is missing', async () => {
    const file = join(temporaryFolder(), 'orphan.zip')
    const zip = await openBackupZip(files.get('PostgreSQL')!)
    const sessions = await text(await zip.read('tables/sessions.jsonl'))
    zip.close()
    const tables = zip.manifest.tables.filter(({ name }) => name === 'sessions')
    await writeBackupZip(createWriteStream(file), [
      ['tables/accounts.jsonl', () => []],
      ['tables/sessions.jsonl', () => [sessions]],
      ['manifest.json', () => [JSON.stringify({ ...zip.manifest, files: [], tables })]],
    ])

    await expect(restore(file, await createParts('PostgreSQL'), findSecrets)).rejects.toThrow('foreign key')
  })
})
