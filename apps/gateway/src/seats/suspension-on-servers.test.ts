import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAccounts, openDatabase } from '@pairwire/accounts'
import { MIGRATIONS } from '@pairwire/accounts/testing/pglite-folders'
import {
  createPostgresDatabase,
  hasPostgres,
  startPostgres,
} from '@pairwire/accounts/testing/postgres-server'
import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { startNatsServer, whyNoNatsServer } from '@pairwire/bus/testing/nats-server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { takeUpgrades } from '../door/upgrade-request.ts'
import { openGateway } from '../open-gateway.ts'
import { connectClient } from '../testing/test-client.ts'

const SILENT = { info() {}, warn() {}, error() {} }

const SETTINGS = {
  ...({ sourceKind: 'simulator', servesEarly: false, publicUrl: 'https://stream.example' } as const),
  ...{ port: 0, trustProxy: [], connectRatePerAddress: 100, supportEmail: 'help@stream.example' },
}

/** Accounts on PostgreSQL, the bus of an api on NATS, and three gateways that have both in common. */
async function startDeployment() {
  const [postgres, nats] = await Promise.all([startPostgres(), startNatsServer()])
  onTestFinished(async () => void (await Promise.all([postgres.stop(), nats.stop()])))
  const { url } = await createPostgresDatabase(postgres.adminUrl)
  const database = await openDatabase({ url }, { migrationsFolder: MIGRATIONS, log: SILENT })
  onTestFinished(() => database.close())
  const secret = new Uint8Array(32)
  const secrets = { keyEncryption: secret, pepper: secret }
  const accounts = createAccounts({ ...database, clock: Date.now, secrets })

  const openBus = async (publishes: boolean) => {
    const bus = await openNatsBus({
      ...{ address: readNatsAddress(nats.url), source: 'simulator', publishes, log: SILENT },
      ...{ retention: { milliseconds: 3_600_000, bytes: 1e7 }, maxBytes: 1e5, takeOverMs: 0 },
    })
    onTestFinished(() => bus.close())
    return bus
  }
  const api = await openBus(true)
  const openOne = async () => {
    const gateway = openGateway(SETTINGS, {
      ...{ bus: await openBus(false), accounts, log: SILENT, shared: accounts },
    })
    const server = createServer()
    takeUpgrades(server, gateway.handleUpgrade)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(async () => {
      await gateway.close(0)
      server.close()
    })
    await vi.waitFor(() => expect(gateway.isCounted()).toBe(true), { timeout: 5_000 })
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  return { accounts, api, gateways: await Promise.all([openOne(), openOne(), openOne()]) }
}

const missing = hasPostgres() ? whyNoNatsServer() : 'there is no PostgreSQL from the distribution'

describe.skipIf(missing !== undefined)('on PostgreSQL and NATS, a suspended account', () => {
  // Guards everybody else: an abuser must be gone, also where the message was lost.
  it('loses its streams on three gateways within a second, or ten without the message, and is let in once freed', async () => {
    const { accounts, api, gateways } = await startDeployment()
    const email = 'ann@example.org'
    const { accountId, account } = await accounts.createAccount(email)
    await accounts.grantPlan(email, 3, 9)
    const headers = { 'X-API-KEY': account.user.APIKey }
    const connectAll = () => Promise.all(gateways.map((url) => connectClient(url, { headers })))
    const by = { actor: 'root', via: 'tool', address: null, verb: 'account suspend' } as const

    for (const [isTold, withinMs] of [
      [true, 1_000],
      [false, 10_000],
    ] as const) {
      const clients = await connectAll()
      await Promise.all(clients.map((client) => client.ask({ id: 1, method: 'swapSubscribe' })))

      await accounts.suspend(email, { reason: 'Abuse.' }, by)
      const from = performance.now()
      if (isTold) await api.sendControl({ type: 'planChanged', accountId })
      const ends = await Promise.all(clients.map(({ closed }) => closed))
      const tookMs = performance.now() - from

      const reason = 'This account is suspended. Write to help@stream.example.'
      expect(ends).toEqual(gateways.map(() => ({ code: 4003, reason })))
      for (const { texts } of clients)
        expect(JSON.parse(texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
      expect(tookMs).toBeLessThan(withinMs)
      await expect(connectAll()).rejects.toThrow()
      await accounts.unsuspend(email, by)
    }

    for (const { socket } of await connectAll()) socket.terminate()
  }, 30_000)
})
