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
import { expect, onTestFinished } from 'vitest'
import { takeStreams } from '../door/take-streams.ts'
import { openGateway } from '../open-gateway.ts'

/** Why these gateways cannot run here; undefined if they can. */
export const missingServers = hasPostgres()
  ? whyNoNatsServer()
  : 'there is no PostgreSQL from the distribution'

const SILENT = { info() {}, warn() {}, error() {} }

const SETTINGS = {
  ...({ sourceKind: 'simulator', servesEarly: false, publicUrl: 'https://stream.example' } as const),
  ...{ port: 0, trustProxy: [], connectRatePerAddress: 100, supportEmail: 'help@stream.example' },
}

/** Accounts on PostgreSQL, the bus of an api on NATS, and three gateways that have both in common. */
export async function startGateways() {
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
    takeStreams(server, gateway)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(async () => {
      await gateway.close(0)
      server.close()
    })
    await expect.poll(gateway.isCounted).toBe(true)
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  return { accounts, api, gateways: await Promise.all([openOne(), openOne(), openOne()]) }
}
