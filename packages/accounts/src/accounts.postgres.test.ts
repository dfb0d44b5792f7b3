import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeAccounts } from './accounts.suite.ts'
import { createAccounts } from './create-accounts.ts'
import { type Database, openDatabase } from './database/open-database.ts'
import { MIGRATIONS } from './testing/pglite-folders.ts'
import { createPostgresDatabase, hasPostgres, startPostgres } from './testing/postgres-server.ts'

/** Address of a PostgreSQL server on which the tests may create databases; without it they start a server. */
const given = process.env.PAIRWIRE_TEST_POSTGRES

const open = (url: string) => openDatabase({ url }, { migrationsFolder: MIGRATIONS, log: { warn: () => {} } })

if (given || hasPostgres()) {
  const server = given ? { adminUrl: given, stop: async () => {} } : await startPostgres()
  const { url, drop } = await createPostgresDatabase(server.adminUrl)
  const database = await open(url)

  const remove = async () => {
    await drop()
    await server.stop()
  }
  describeAccounts('PostgreSQL', { database, remove })
} else {
  describe('accounts on PostgreSQL', () => {
    it.skip('needs PostgreSQL from the distribution, or its address in PAIRWIRE_TEST_POSTGRES', () => {})
  })
}

describe.skipIf(!hasPostgres())('a PostgreSQL server started for the tests', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let url: string
  const databases: Database[] = []

  beforeAll(async () => {
    server = await startPostgres()
    url = (await createPostgresDatabase(server.adminUrl)).url
  })
  afterAll(async () => {
    for (const database of databases) await database.close()
    await server.stop()
  })

  it('is migrated once by processes that start at the same time', async () => {
    databases.push(...(await Promise.all([open(url), open(url), open(url)])))

    expect(databases.map(({ healthy }) => healthy())).toEqual([true, true, true])
  })

  it('fails only the transaction whose connection breaks between two queries', async () => {
    const { db } = databases[0]!
    const broken = db.transaction(async (transaction) => {
      const { rows } = await transaction.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      await db.execute(sql`select pg_terminate_backend(${rows[0]!.pid})`)
      // Until the end of the connection has arrived.
      await new Promise((resolve) => setTimeout(resolve, 100))
      await transaction.execute(sql`select 1`)
    })

    await expect(broken).rejects.toThrow()
    expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  })

  it('is reported lost when its server stops, and verbs answer that it is unavailable', async () => {
    const [database] = databases
    const { db, barrier, healthy, onFailure } = database!
    const secret = new Uint8Array(32)
    const accounts = createAccounts({
      db,
      barrier,
      clock: Date.now,
      secrets: { keyEncryption: secret, pepper: secret },
    })
    expect(await accounts.authorizeKey('0'.repeat(32))).toEqual({ outcome: 'unknown_key' })
    const failure = new Promise<Error>((resolve) => onFailure(resolve))

    await server.stop()

    expect((await failure).message).toContain('The database at DATABASE_URL does not answer')
    expect(healthy()).toBe(false)
    await expect(accounts.authorizeKey('0'.repeat(32))).rejects.toMatchObject({
      errorType: 'ERR_UNAVAILABLE',
    })
    await expect(accounts.addStatus('x')).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
  })
})
