import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import { type Database, openDatabase } from '../database/open-database.ts'
import { openLine } from '../testing/open-line.ts'
import { MIGRATIONS } from '../testing/pglite-folders.ts'
import {
  createPostgresDatabase,
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from '../testing/postgres-server.ts'

const QUERY_TIMEOUT_MS = 1_000

describe.skipIf(!hasPostgres())('counts whose answer is lost', () => {
  let server: PostgresServer
  let database: Database
  let line: Awaited<ReturnType<typeof openLine>>

  beforeAll(async () => {
    server = await startPostgres()
    line = await openLine(server.socket)
    const { pathname } = new URL((await createPostgresDatabase(server.adminUrl)).url)
    database = await openDatabase(
      { url: `postgresql://postgres@127.0.0.1:${line.port}${pathname}` },
      { migrationsFolder: MIGRATIONS, log: { warn: () => {} }, queryTimeoutMs: QUERY_TIMEOUT_MS },
    )
  })
  afterAll(async () => {
    await database?.close()
    line?.close()
    await server?.stop()
  })

  it('are added once, although their gateway sends them again', async () => {
    const secret = new Uint8Array(32)
    const secrets = { keyEncryption: secret, pepper: secret }
    const { db, barrier } = database
    const accounts = createAccounts({ db, barrier, clock: Date.now, secrets })
    const [accountId, planInForceId] = [randomUUID(), randomUUID()]
    const day = new Date().toISOString().slice(0, 10)
    const row = { accountId, planInForceId, period: day, day, kind: 'buy', count: 3 } as const
    const batch = { counter: randomUUID(), number: 1 }
    await accounts.getUsage(accountId)
    line.swallowAnswers()

    const lost = accounts.recordDelivered([row], [], batch)

    await expect(lost).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    await accounts.recordDelivered([row], [], batch)
    expect(await accounts.getUsage(accountId)).toMatchObject([{ buys: 3 }])
  })
})
