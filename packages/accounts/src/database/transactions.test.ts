import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabaseOverLine } from '../testing/open-line.ts'
import { hasPostgres } from '../testing/postgres-server.ts'

/** Connections of the pool, all of which are lost at once. */
const CONNECTIONS = 10
const QUERY_TIMEOUT_MS = 2_000

describe.skipIf(!hasPostgres())('a transaction whose connection goes silent', () => {
  let over: Awaited<ReturnType<typeof openDatabaseOverLine>>

  beforeAll(async () => {
    over = await openDatabaseOverLine(QUERY_TIMEOUT_MS)
  })
  afterAll(() => over?.close())

  const everyConnection = (use: () => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: CONNECTIONS }, use))
  const rejected = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
    outcomes.filter(({ status }) => status === 'rejected').length

  it('before it begins leaves its place in the pool to the next', async () => {
    const { db } = over.database
    await everyConnection(() => db.execute(sql`select pg_sleep(0.1)`))
    over.line.silence()

    const outcomes = await everyConnection(() => db.transaction((tx) => tx.execute(sql`select 1`)))

    expect(rejected(outcomes)).toBe(CONNECTIONS)
    expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  })

  it('halfway is not lent again, and fails by what stopped it', async () => {
    const { db } = over.database
    let halfway = 0
    const outcomes = await everyConnection(() =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select 1`)
        if (++halfway === CONNECTIONS) over.line.silence()
        while (halfway < CONNECTIONS) await new Promise(setImmediate)
        await tx.execute(sql`select 2`)
      }),
    )

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: { message: expect.stringContaining('select 2') } })
    expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  })

  it('that only fails keeps its connection', async () => {
    const { db } = over.database
    const pidOf = async () => (await db.execute(sql`select pg_backend_pid() as pid`)).rows[0]
    const before = await pidOf()
    const failing = db.transaction(async (tx) => {
      await tx.execute(sql`select 1`)
      throw new Error('no')
    })

    await expect(failing).rejects.toThrow('no')

    expect(await pidOf()).toEqual(before)
  })
})
