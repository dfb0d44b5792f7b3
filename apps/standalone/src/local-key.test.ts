import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { createInProcessBus } from '@pairwire/bus'
import { createGateway } from '@pairwire/gateway'
import { createLocalCheck } from '@pairwire/process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { createLocalKey, type LocalKey } from './local-key.ts'

const NO_LOG = { info: () => {}, warn: () => {}, error: () => {} }

/** Rows that reached the accounts. */
const written: unknown[] = []

/** A store without accounts. */
const nobody: Parameters<LocalKey['besides']>[0] = {
  authorizeKey: async () => ({ outcome: 'unknown_key' }),
  readStandings: async () => new Map(),
  authorizeAccount: async () => ({ outcome: 'unknown_key' }),
  recordDelivered: async (rows) => {
    written.push(...rows)
    return []
  },
  recordConnections: async (notes) => void written.push(...notes),
  recordRefusedUpgrades: async (rows) => void written.push(...rows),
  mayReplay: async () => false,
  listWebhooks: async () => [],
  createWebhook: async () => expect.unreachable('this account is not there'),
}

// Guards the stream: the key is shown on a terminal, and nobody pays for its plan.
describe('the local key', () => {
  const isFromHere = createLocalCheck({ isLocal: true })
  const local = createLocalKey((request) => isFromHere({ raw: request, socket: request.socket }))
  const bus = createInProcessBus({ maxBytes: 1024 * 1024 })
  const gateway = createGateway({
    bus,
    accounts: local.besides(nobody),
    log: NO_LOG,
    source: 'simulator',
    docsUrl: '',
    supportEmail: 'support@pairwire.example',
    clientAddress: () => '127.0.0.1',
  })
  const server = createServer().on('upgrade', local.atDoors(gateway).handleUpgrade)
  let port: number
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port // it listens on a port
  })
  afterAll(async () => {
    await gateway.close()
    await bus.close()
    server.close()
  })

  /** The status of the answer: 101, or that of a refusal. */
  const knock = (headers: Record<string, string>, path = '/') =>
    new Promise<number | undefined>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
      socket.on('upgrade', ({ statusCode }) => resolve(statusCode))
      socket.on('unexpected-response', (_request, { statusCode }) => {
        resolve(statusCode)
        socket.terminate()
      })
      socket.on('open', () => socket.close())
      socket.on('error', reject)
    })

  it('opens a stream from this machine, in the header and in the query', async () => {
    expect(await knock({ 'x-api-key': local.key })).toBe(101)
    await expect.poll(() => gateway.stats().connections).toBe(0)
    expect(await knock({}, `/?key=${local.key}`)).toBe(101)
    await expect.poll(() => gateway.stats().connections).toBe(0)
  })

  it.each([
    { host: 'stream.example' },
    { host: '192.0.2.1:8080' },
    { 'x-forwarded-for': '127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '127.0.0.1' },
  ])('is unknown under another host and behind a proxy: %o', async (header) => {
    const headers = Object.fromEntries(
      Object.entries(header).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    )

    expect(await knock({ ...headers, 'x-api-key': local.key })).toBe(401)
    expect(await knock(headers, `/?key=${local.key}`)).toBe(401)
  })

  it('is unknown to the accounts, wherever a refused request continues', async () => {
    expect(await local.besides(nobody).authorizeKey(local.key)).toEqual({ outcome: 'unknown_key' })
  })

  it('has the limits of one plan: a second connection is refused', async () => {
    const first = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { 'x-api-key': local.key } })
    await once(first, 'open')

    expect(await knock({ 'x-api-key': local.key })).toBe(429)

    first.terminate()
  })

  it('is new at each start', () => {
    expect(createLocalKey(() => true).key).not.toBe(local.key)
  })

  it('leaves nothing in the accounts: no connection, no count', async () => {
    const headers: Record<string, string> = { 'x-api-key': local.key, host: 'localhost' }
    const accounts = local.besides(nobody)
    local
      .atDoors({ handleUpgrade: () => {}, handleRequest: () => true })
      .handleUpgrade(aRequest(headers), new Socket(), Buffer.alloc(0))
    const answer = await accounts.authorizeKey(headers['x-api-key'] ?? '')
    const count = {
      planInForceId: 'a',
      period: '2026-11-01',
      day: '2026-11-02',
      kind: 'buy',
      count: 3,
    } as const
    const ofAnother = { ...count, accountId: 'another' }

    await accounts.recordDelivered([
      { ...count, accountId: 'accountId' in answer ? answer.accountId : '' },
      ofAnother,
    ])
    await gateway.close()

    expect(written).toEqual([ofAnother])
  })
})

/** An upgrade request as it comes over a loopback connection. */
function aRequest(headers: Record<string, string>): IncomingMessage {
  const socket = { remoteAddress: '127.0.0.1' }
  const rawHeaders = Object.entries(headers).flat()
  return { headers, rawHeaders, socket, url: '/', httpVersion: '1.1' } as unknown as IncomingMessage
}
