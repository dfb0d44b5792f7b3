import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeAccounts } from './accounts.suite.ts'
import { createAccounts } from './create-accounts.ts'
import { type Database, openDatabase } from './database/open-database.ts'
import { aConnection, expectRefusal } from './testing/accounts-under-test.ts'
import { MIGRATIONS } from './testing/pglite-folders.ts'
import { createPostgresDatabase, hasPostgres, startPostgres } from './testing/postgres-server.ts'

/** Address of a PostgreSQL server on which the tests may create databases; without it they start a server. */
const given = process.env.PAIRWIRE_TEST_POSTGRES

const SECRETS = { keyEncryption: new Uint8Array(32), pepper: new Uint8Array(32) }

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

  it('does again the transaction that it undid because of a deadlock', async () => {
    const { db } = databases[0]!
    const lock = (name: string) => sql`select pg_advisory_xact_lock(hashtext(${name}))`
    let begun = 0
    const cross = (first: string, second: string) =>
      db.transaction(async (tx) => {
        await tx.execute(lock(first))
        begun++
        while (begun < 2) await new Promise(setImmediate)
        await tx.execute(lock(second))
      })

    await Promise.all([cross('one', 'other'), cross('other', 'one')])

    expect(begun).toBe(3)
  })

  it('loses neither a deletion nor the connections that a gateway records at the same time', async () => {
    const { db, barrier } = databases[0]!
    const accounts = createAccounts({ db, barrier, clock: Date.now, secrets: SECRETS })
    await accounts.createAccount('ann@example.org')
    const { accountId } = await accounts.findAccount('ann@example.org')
    // A gateway takes them by their ids, a deletion as they lie there.
    const [first, second] = [randomUUID(), randomUUID()].sort().map((id) => aConnection(accountId, { id }))
    for (const one of [second!, first!]) await accounts.recordConnections([one])
    const waiting = async (count: number) => {
      const query = sql`select count(*)::int as count from pg_locks where not granted`
      while (Number((await db.execute(query)).rows[0]!.count) < count) await new Promise(setImmediate)
    }
    let [isHeld, isLetGo] = [false, false]
    const holding = db.transaction(async (tx) => {
      await tx.execute(sql`select from stream_connections where id = ${first!.id} for update`)
      isHeld = true
      while (!isLetGo) await new Promise(setImmediate)
    })
    while (!isHeld) await new Promise(setImmediate)

    const recording = accounts.recordConnections([first!, second!])
    await waiting(1)
    const deletion = accounts.deleteAccount(accountId)
    await waiting(2)
    isLetGo = true

    await Promise.all([holding, recording, deletion])
    await expectRefusal('ERR_NOT_FOUND', accounts.findAccount('ann@example.org'))
  })

  it.each([
    ['its server may write no file, as on a full disk', 'temp_file_limit', '0', 'database error 53400'],
    ['its server takes no writes', 'default_transaction_read_only', 'on', 'This part of the service is away'],
  ])('fails a look at the alarms while %s', async (_state, setting, value, words) => {
    const { db, barrier, close } = await open(url)
    const accounts = createAccounts({ db, barrier, clock: Date.now, secrets: SECRETS })
    const owner = randomUUID()
    const look = async () => {
      await accounts.takeLease('alarms', owner, 0)
      await accounts.readAlarmFacts()
    }
    await look()
    await db.execute(sql.raw(`set ${setting} = ${value}`))

    await expect(look()).rejects.toThrow(words)
    await close()
  })

  it('is reported lost when its server stops, and verbs answer that it is unavailable', async () => {
    const [database] = databases
    const { db, barrier, healthy, onFailure } = database!
    const accounts = createAccounts({ db, barrier, clock: Date.now, secrets: SECRETS })
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
