import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { type Database, openDatabase } from './open-database.ts'
import { openPglite, type Pglite } from './open-pglite.ts'

const MUTE_WORKER_URL = new URL('../testing/mute-pglite-worker.mjs', import.meta.url)
const MORTAL_WORKER_URL = new URL('../testing/mortal-pglite-worker.mjs', import.meta.url)

describe('the embedded database', () => {
  describe('over separate connections', () => {
    let folder: string
    let remove: () => void
    let pglite: Pglite

    beforeAll(async () => {
      ;({ folder, remove } = await createPgliteFolder())
      pglite = await openPglite({ folder, workerUrl: WORKER_URL }, { warn: (line) => expect.fail(line) })
    })
    afterAll(async () => {
      await pglite.close(60_000)
      remove()
    })

    /** A client with an open transaction that has written a row. */
    async function aClientHalfway(): Promise<{ client: Client; stream: ReturnType<Pglite['connect']> }> {
      const stream = pglite.connect()
      const client = new Client({ stream: () => stream, user: 'postgres', database: 'postgres', ssl: false })
      client.on('error', () => {})
      await client.connect()
      await client.query('begin')
      await client.query(`insert into status_items (details, created_at) values ('half', now())`)
      return { client, stream }
    }
    async function countInAnother(): Promise<number> {
      const client = new Client({
        stream: pglite.connect,
        user: 'postgres',
        database: 'postgres',
        ssl: false,
      })
      await client.connect()
      const { rows } = await client.query('select count(*)::int as count from status_items')
      await client.end()
      return rows[0].count
    }

    it('rolls back a transaction whose connection ends cleanly', async () => {
      const { client } = await aClientHalfway()

      await client.end()

      expect(await countInAnother()).toBe(0)
    })

    it('rolls back a transaction whose connection breaks', async () => {
      const { stream } = await aClientHalfway()

      stream.destroy()

      expect(await countInAnother()).toBe(0)
    })

    it('rolls back a transaction whose connection is silent when the next one sends a query', async () => {
      await aClientHalfway()

      expect(await countInAnother()).toBe(0)
    })

    it('is dumped once its dump is a day old or missing, and not before', async () => {
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

      // The clock was set back since then.
      ages(-48)
      await pglite.dumpIfOld()
      expect(statSync(dump).mtimeMs).toBeLessThan(Date.now() + 3_600_000)
    })
  })

  describe('in trouble', () => {
    let folder: string
    let remove: () => void
    let lines: string[]
    let database: Database | undefined

    const open = async (workerUrl = WORKER_URL): Promise<Database> => {
      database = await openDatabase(
        { folder, workerUrl },
        {
          migrationsFolder: MIGRATIONS,
          log: { warn: (line) => lines.push(line) },
          queryTimeoutMs: 2_000,
          closeWithinMs: 60_000,
        },
      )
      return database
    }
    const damage = () => truncateSync(join(folder, 'cluster', 'global', 'pg_control'), 0)

    beforeEach(async () => {
      lines = []
      ;({ folder, remove } = await createPgliteFolder())
    })
    afterEach(async () => {
      await database?.close(0) // at once: nobody needs its dump
      database = undefined
      remove()
    })

    it('times out a query outside the transaction that waits for it, and fails all queries when its thread dies', async () => {
      const { db, barrier, healthy, onFailure } = await open(MORTAL_WORKER_URL)
      const failures: Error[] = []
      onFailure((error) => failures.push(error))

      const deadlock = db.transaction(async () => db.execute(sql`select 1`))
      await expect(deadlock).rejects.toThrow()
      await expect(db.execute(sql`select 1`)).resolves.toBeDefined()
      expect(healthy()).toBe(true)

      await expect(db.execute(sql`select 'die'`)).rejects.toThrow()
      await expect(db.execute(sql`select 1`)).rejects.toThrow()
      const secret = new Uint8Array(32)
      const accounts = createAccounts({
        db,
        barrier,
        clock: Date.now,
        secrets: { keyEncryption: secret, pepper: secret },
      })
      await expect(accounts.authorizeKey('0'.repeat(32))).rejects.toMatchObject({
        errorType: 'ERR_UNAVAILABLE',
      })
      await expect(accounts.resetKey(randomUUID())).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
      expect(healthy()).toBe(false)
      expect(failures).toHaveLength(1)
      expect(lines).toEqual([failures[0]?.message])
    })

    // Guards the dump of a shutdown on a busy machine.
    it('uses all the time given to a close, half to end and half to dump', async () => {
      const { close } = await open(MUTE_WORKER_URL)

      await close(2_000)

      const seconds = lines.map((line) => Number(/did not answer within ([\d.]+) s/.exec(line)?.[1]))
      expect(lines.join()).toMatch(/not closed cleanly.*without a new dump/)
      expect(seconds[0]! + seconds[1]!).toBeGreaterThan(1.6)
    })

    it('gives a close whose time is over no time, rather than less than none', async () => {
      const { close } = await open(MUTE_WORKER_URL)
      const warned = vi.spyOn(process, 'emitWarning')
      onTestFinished(() => warned.mockRestore())

      await close(-250)

      expect(lines).toEqual([expect.stringMatching(/within 0 s\.$/), expect.stringMatching(/within 0 s\.$/)])
      expect(warned).not.toHaveBeenCalled()
    })

    it('with unreadable files is restored from the dump of its last close, with a warning, and keeps the files', async () => {
      const before = await open()
      await before.db.execute(sql`insert into status_items (details, created_at) values ('dumped', now())`)
      await before.close()
      await before.close()
      expect(before.healthy()).toBe(false)
      expect(statSync(join(folder, 'dump.tar.gz')).mode & 0o777).toBe(0o600)
      expect(lines).toEqual([])
      damage()

      const after = await open()

      const { rows } = await after.db.execute(sql`select details from status_items`)
      expect(rows).toEqual([{ details: 'dumped' }])
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain('COULD NOT BE OPENED')
      const aside = readdirSync(folder).find((name) => name.startsWith('cluster.unreadable-'))
      expect(lines[0]).toContain(aside)
    })

    it('with unreadable files and no dump is left as it is, and says so in a sentence', async () => {
      rmSync(join(folder, 'dump.tar.gz'))
      damage()

      await expect(open()).rejects.toThrow(`The database in ${folder} cannot be opened`)

      expect(readdirSync(folder)).toEqual(['cluster'])
    })

    it('with unreadable files is left as it is if the dump is unreadable too', async () => {
      truncateSync(join(folder, 'dump.tar.gz'), 100)
      damage()

      await expect(open()).rejects.toThrow(`The database in ${folder} cannot be opened`)

      expect(readdirSync(folder).sort()).toEqual(['cluster', 'dump.tar.gz'])
      expect(readFileSync(join(folder, 'cluster', 'global', 'pg_control'))).toHaveLength(0)
    })
  })
})

describe('a database that cannot be reached', () => {
  it('stops the start with a sentence that holds no password', async () => {
    // Port 9 of this machine (discard): nothing listens there.
    const opening = openDatabase(
      { url: 'postgresql://user:hunter2@127.0.0.1:9/pairwire' },
      { migrationsFolder: MIGRATIONS, log: { warn: () => {} } },
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
