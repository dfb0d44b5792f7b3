import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockAccount } from '../database/lock-account.ts'
import { type Database, openDatabase } from '../database/open-database.ts'
import { accounts as accountsTable, webhookDeadLetters, webhooks } from '../database/schema.ts'
import { type AccountsUnderTest, createAccountsUnderTest } from '../testing/accounts-under-test.ts'
import { MIGRATIONS } from '../testing/pglite-folders.ts'
import {
  createPostgresDatabase,
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from '../testing/postgres-server.ts'

// Guards people and deliveries: PostgreSQL ends one of two transactions that wait for each other with an error.
describe.skipIf(!hasPostgres())('an endpoint of webhooks that two processes change at once', () => {
  let server: PostgresServer
  let database: Database
  let under: AccountsUnderTest

  beforeAll(async () => {
    server = await startPostgres()
    const { url } = await createPostgresDatabase(server.adminUrl)
    database = await openDatabase({ url }, { migrationsFolder: MIGRATIONS, log: { warn: () => {} } })
    under = createAccountsUnderTest(database)
  })
  afterAll(async () => {
    await database?.close()
    await server?.stop()
  })

  /** A person with endpoints that this process has, each with a message in hand. */
  async function someEndpoints(howMany: number) {
    const { accounts, aPerson, aPaidPlan, reset } = under
    await reset()
    const { accountId } = await aPerson()
    await aPaidPlan(accountId, { planId: 3 })
    const body = { kind: 'swap', url: 'https://hooks.example.com/', maxEvents: 100, maxWaitMs: 500 } as const
    for (let n = 0; n < howMany; n++) await accounts.createWebhook(accountId, body, '')
    const owner = randomUUID()
    const { mine } = await accounts.takeWebhooks(owner)
    return { accountId, owner, endpoints: mine }
  }

  /** Notes a message in hand of an endpoint. */
  async function aMessage(owner: string, { id, revision }: { id: string; revision: number }) {
    const bounds = { type: 'swap', at: 0, after: '', first: '1', last: '2', count: 1, buys: 1 } as const
    const note = { id, owner, revision, message: { ...bounds, digest: '' }, behindSince: new Date() }
    return { id, message: (await under.accounts.noteMessage(note))! }
  }

  /** What became of it, but for the outcome. */
  const anAnswer = (accountId: string, owner: string, of: Awaited<ReturnType<typeof aMessage>>) => ({
    ...{ ...of, owner, behindSince: new Date() },
    attempt: { at: new Date().toISOString(), status: 410, ms: 1, error: 'It answered 410.' },
    charge: { planInForceId: accountId, period: '2026-01-31' },
  })

  /** Resolves once a query waits for a lock. */
  async function untilOneWaits() {
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await database.db.execute(waiting)).rows.length === 0);
  }

  it('lets an answer that queues a mail wait for the deletion of its account', async () => {
    const { accounts } = under
    const { accountId, owner, endpoints } = await someEndpoints(1)
    const answer = anAnswer(accountId, owner, await aMessage(owner, endpoints[0]!))

    const noting: Promise<unknown>[] = []
    await database.db.transaction(async (tx) => {
      await lockAccount(tx, accountId)
      noting.push(Promise.allSettled([accounts.noteAnswer({ ...answer, outcome: { is: 'stop' } })]))
      await untilOneWaits()
      await tx.delete(accountsTable).where(eq(accountsTable.id, accountId))
    })

    expect(await noting[0]).toEqual([{ status: 'fulfilled', value: undefined }])
  })

  it('lets places be noted while its account is deleted', async () => {
    const { accounts } = under
    const { accountId, owner, endpoints } = await someEndpoints(2)
    const [first, second] = endpoints.map((endpoint) => ({ ...endpoint, place: '5' }))

    const noting: Promise<unknown>[] = []
    await database.db.transaction(async (tx) => {
      await lockAccount(tx, accountId)
      await tx.delete(webhooks).where(eq(webhooks.id, second!.id))
      noting.push(Promise.allSettled([accounts.notePlaces(owner, [first!, second!])]))
      await Promise.race([noting[0], untilOneWaits()])
      await tx.delete(accountsTable).where(eq(accountsTable.id, accountId))
    })

    expect(await noting[0]).toEqual([{ status: 'fulfilled', value: undefined }])
  })

  it('lets endpoints be given back while one of their account is deleted', async () => {
    const { accounts } = under
    const { owner, endpoints } = await someEndpoints(2)
    const [first, second] = endpoints.map(({ id }) => id)

    const freeing: Promise<unknown>[] = []
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`select from ${webhooks} where id = ${second} for update`)
      freeing.push(Promise.allSettled([accounts.freeWebhooks(owner, [first!, second!])]))
      await Promise.race([freeing[0], untilOneWaits()])
      await tx.execute(sql`select from ${webhooks} where id = ${first} for update`)
    })

    expect(await freeing[0]).toEqual([{ status: 'fulfilled', value: undefined }])
    const kept = await accounts.readWebhooks(owner, [first!, second!])
    expect(kept.map(({ id }) => id)).toEqual([second])
  })

  it('lets a dead letter be queued while it is sent again', async () => {
    const { accounts } = under
    const { accountId, owner, endpoints } = await someEndpoints(1)
    const { id, message } = await aMessage(owner, endpoints[0]!)
    const dead = { is: 'dead', status: 400, body: '' } as const
    await accounts.noteAnswer({ ...anAnswer(accountId, owner, { id, message }), outcome: dead })

    const queueing: Promise<unknown>[] = []
    await database.db.transaction(async (tx) => {
      await new Promise<void>((resolve) => {
        const lock = async () => {
          await tx.execute(sql`select from ${webhooks} where id = ${id} for update`)
          resolve()
        }
        queueing.push(Promise.allSettled([accounts.queueDeadLetter(accountId, id, message.n, lock)]))
      })
      await untilOneWaits()
      await tx.execute(sql`delete from ${webhookDeadLetters} where endpoint_id = ${id}`)
    })

    expect(await queueing[0]).toEqual([{ status: 'fulfilled', value: undefined }])
  })

  // Guards receivers: what two processes have at once, both send.
  it('is taken by one of those that begin at the same moment', async () => {
    const { accounts } = under
    const { endpoints } = await someEndpoints(3)
    for (let round = 0; round < 20; round++) {
      await database.db.execute(sql`update ${webhooks} set owner = null`)

      const taken = await Promise.all(Array.from({ length: 8 }, () => accounts.takeWebhooks(randomUUID())))

      const ids = taken.flatMap(({ mine }) => mine.map(({ id }) => id))
      expect(ids.sort()).toEqual(endpoints.map(({ id }) => id).sort())
    }
  })
})
