import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import { openDatabaseOverLine } from '../testing/open-line.ts'
import { hasPostgres } from '../testing/postgres-server.ts'

const QUERY_TIMEOUT_MS = 1_000

describe.skipIf(!hasPostgres())('counts whose answer is lost', () => {
  let over: Awaited<ReturnType<typeof openDatabaseOverLine>>

  beforeAll(async () => {
    over = await openDatabaseOverLine(QUERY_TIMEOUT_MS)
  })
  afterAll(() => over?.close())

  it('are added once, although their gateway sends them again', async () => {
    const secret = new Uint8Array(32)
    const secrets = { keyEncryption: secret, pepper: secret }
    const { db, barrier } = over.database
    const accounts = createAccounts({ db, barrier, clock: Date.now, secrets })
    const [accountId, planInForceId] = [randomUUID(), randomUUID()]
    const day = new Date().toISOString().slice(0, 10)
    const row = { accountId, planInForceId, period: day, day, kind: 'buy', count: 3 } as const
    const batch = { counter: randomUUID(), number: 1 }
    await accounts.getUsage(accountId)
    over.line.swallowAnswers()

    const lost = accounts.recordDelivered([row], [], batch)

    await expect(lost).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    await accounts.recordDelivered([row], [], batch)
    expect(await accounts.getUsage(accountId)).toMatchObject([{ buys: 3 }])
  })
})
