import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from './open-database.ts'
import { openPglite } from './open-pglite.ts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from './testing/pglite-folders.ts'

const MORTAL_WORKER_URL = new URL('./testing/mortal-pglite-worker.mjs', import.meta.url)

describe('the embedded database', { timeout: 60_000 }, () => {
  let folder: string
  let remove: () => void
  let lines: string[]
  const opened: Database[] = []

  const open = async (workerUrl = WORKER_URL, queryTimeoutMs = 10_000): Promise<Database> => {
    const database = await openDatabase(
      { folder, workerUrl },
      {
        migrationsFolder: MIGRATIONS,
        log: (line) => lines.push(line),
        queryTimeoutMs,
        closeWithinMs: 60_000,
      },
    )
    opened.push(database)
    return database
  }
  const addNotice = ({ db }: Database, details: string) =>
    db.execute(sql`insert into status_items (details, created_at) values (${details}, now())`)
  const noticesOf = async ({ db }: Database) =>
    (await db.execute(sql`select details from status_items order by id`)).rows.map(({ details }) => details)

  beforeEach(async () => {
    lines = []
    ;({ folder, remove } = await createPgliteFolder())
  })
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close()
    remove()
  })

  it('keeps what was written over a clean close, and makes a dump at it', async () => {
    const first = await open()
    await addNotice(first, 'kept')

    await first.close()
    await first.close()

    expect(first.healthy()).toBe(false)
    expect(statSync(join(folder, 'dump.tar.gz')).mode & 0o777).toBe(0o600)
    expect(await noticesOf(await open())).toEqual(['kept'])
    expect(lines).toEqual([])
  })

  it('undoes what a connection left open when the next one takes over', async () => {
    const pglite = await openPglite({ folder, workerUrl: WORKER_URL }, (line) => lines.push(line))
    const { Client } = await import('pg')
    const connect = async () => {
      const client = new Client({
        stream: pglite.connect,
        user: 'postgres',
        database: 'postgres',
        ssl: false,
      })
      client.on('error', () => {})
      await client.connect()
      return client
    }
    const insert = `insert into status_items (details, created_at) values ('half', now())`
    const count = 'select count(*)::int as count from status_items'
    const countBy = async (client: Awaited<ReturnType<typeof connect>>) =>
      (await client.query(count)).rows[0].count

    // One says goodbye, one breaks off, one just stops talking.
    const polite = await connect()
    await polite.query('begin')
    await polite.query(insert)
    await polite.end()
    expect(await countBy(await connect())).toBe(0)

    const broken = await connect()
    await broken.query('begin')
    await broken.query(insert)
    ;(broken as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    expect(await countBy(await connect())).toBe(0)

    const silent = await connect()
    await silent.query('begin')
    await silent.query(insert)
    expect(await countBy(await connect())).toBe(0)

    await pglite.close(60_000)
  })

  it('gives a query on the outer connection inside a transaction up instead of waiting for ever', async () => {
    const database = await open(WORKER_URL, 200)

    const deadlock = database.db.transaction(async () => {
      await database.db.execute(sql`select 1`)
    })

    await expect(deadlock).rejects.toThrow()
    expect(await noticesOf(database)).toEqual([])
  })

  it('fails every query and says so when its thread dies', async () => {
    const database = await open(MORTAL_WORKER_URL)
    const failures: Error[] = []
    database.onFailure((error) => failures.push(error))

    const dying = database.db.execute(sql`select 'die'`)

    await expect(dying).rejects.toThrow()
    await expect(noticesOf(database)).rejects.toThrow()
    expect(database.healthy()).toBe(false)
    expect(failures).toHaveLength(1)
    expect(lines).toHaveLength(1)
  })

  describe('whose files cannot be opened', () => {
    const damage = () => truncateSync(join(folder, 'cluster', 'global', 'pg_control'), 0)

    it('is restored from its dump, says so loudly and keeps the unreadable files', async () => {
      const before = await open()
      await addNotice(before, 'dumped')
      await before.close()
      damage()

      const after = await open()

      expect(await noticesOf(after)).toEqual(['dumped'])
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain('COULD NOT BE OPENED')
      const aside = readdirSync(folder).find((name) => name.startsWith('cluster.unreadable-'))
      expect(lines[0]).toContain(aside)
    })

    it('stays as it is without a dump, and the error is one sentence that names the folder', async () => {
      rmSync(join(folder, 'dump.tar.gz'))
      damage()

      await expect(open()).rejects.toThrow(`The database in ${folder} cannot be opened`)

      expect(readdirSync(folder)).toEqual(['cluster'])
    })

    it('stays as it is when the dump is unreadable too', async () => {
      truncateSync(join(folder, 'dump.tar.gz'), 100)
      damage()

      await expect(open()).rejects.toThrow(`The database in ${folder} cannot be opened`)

      expect(readdirSync(folder).sort()).toEqual(['cluster', 'dump.tar.gz'])
      expect(readFileSync(join(folder, 'cluster', 'global', 'pg_control'))).toHaveLength(0)
    })
  })

  it('is dumped again once its dump is a day old or missing, and not before', async () => {
    const pglite = await openPglite({ folder, workerUrl: WORKER_URL }, (line) => lines.push(line))
    const dump = join(folder, 'dump.tar.gz')
    const ages = (hours: number) => utimesSync(dump, new Date(), new Date(Date.now() - hours * 3_600_000))
    const isNew = () => Date.now() - statSync(dump).mtimeMs < 3_600_000

    ages(23)
    await pglite.dumpIfOld()
    expect(isNew()).toBe(false)

    ages(25)
    await pglite.dumpIfOld()
    expect(isNew()).toBe(true)

    rmSync(dump)
    await pglite.dumpIfOld()
    expect(existsSync(dump)).toBe(true)

    await pglite.close(60_000)
  })
})

describe('a database that cannot be reached', () => {
  it('stops the start with a sentence that holds no password', async () => {
    // Port 9 of the own machine (discard): nothing listens there.
    const opening = openDatabase(
      { url: 'postgresql://user:hunter2@127.0.0.1:9/pairwire' },
      { migrationsFolder: MIGRATIONS, log: () => {} },
    )

    const error: Error = await opening.then(
      () => expect.fail('it opened'),
      (reason) => reason,
    )
    expect(error.message).toMatch(
      /^The database at DATABASE_URL cannot be opened or migrated: .*ECONNREFUSED/,
    )
    expect(error.stack).not.toContain('hunter2')
  })
})
