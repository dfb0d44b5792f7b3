import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '@pairwire/basics'
import { createManualClock, type ManualClock } from '@pairwire/basics/testing/manual-clock'
import { type Bus, createInProcessBus } from '@pairwire/bus'
import type { SourceKind, StreamEvent } from '@pairwire/contract'
import type { ClientOptions } from 'ws'
import { takeStreams } from '../door/take-streams.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../gateway.ts'
import type { GatewayLimits } from '../limits.ts'
import { createFakeAccounts, type FakeAccounts, keyNumber } from './fake-accounts.ts'
import { connectClient, type TestClient } from './test-client.ts'

/** A gateway behind a real HTTP server; the test controls time, accounts and events. */
export type TestGateway = {
  gateway: Gateway
  bus: Bus
  accounts: FakeAccounts
  clock: ManualClock
  port: number
  server: Server
  /** The server's ends of all connections. */
  sockets: ReadonlySet<Socket>
  /** Lines of the log, as JSON. */
  logged: string[]
  /** Connects with the key of that number; creates account `a<number>` (Pro) if it does not exist. */
  connect(number?: number, options?: ClientOptions & { path?: string }): Promise<TestClient>
  /** Publishes events and lets their window end. */
  publish(...events: StreamEvent[]): Promise<void>
  close(): Promise<void>
}

/** Starts one. Close it after the test. */
export async function openGateway({
  limits = {},
  source = 'chain',
  servesEarly = true,
  clientAddress = () => '127.0.0.1',
  clock = createManualClock(),
  busMaxBytes = 1_000_000,
  beside,
  openShared,
}: {
  limits?: Partial<GatewayLimits>
  source?: SourceKind
  servesEarly?: boolean
  clientAddress?: () => string
  clock?: ManualClock
  /** What the bus keeps for replays. */
  busMaxBytes?: number
  /** Another gateway of the same deployment, with the same bus and accounts. */
  beside?: Pick<TestGateway, 'bus' | 'accounts'>
  /** Counts the seats together with other gateways. */
  openShared?: GatewayOptions['openShared']
} = {}): Promise<TestGateway> {
  const bus = beside?.bus ?? createInProcessBus({ maxBytes: busMaxBytes })
  const accounts = beside?.accounts ?? createFakeAccounts()
  const gatewayId = randomUUID()
  const logged: string[] = []
  const keep = (sentence: string, fields: unknown) => logged.push(JSON.stringify({ sentence, fields }))
  const log: Log = { info: keep, warn: keep, error: keep }
  const docsUrl = 'https://docs.example'
  const supportEmail = 'support@pairwire.example'
  const seen = { source, servesEarly, docsUrl, supportEmail, clientAddress }
  const gateway = createGateway({
    gatewayId,
    bus,
    accounts,
    clock,
    log,
    limits,
    ...seen,
    ...(openShared && { openShared }),
  })
  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => request.pipe(response))
  takeStreams(server, gateway)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve))
  const { port } = server.address() as AddressInfo // an address and a port, since it listens on one
  const clients: TestClient[] = []
  const made = new Set<number>()

  return {
    gateway,
    bus,
    accounts,
    clock,
    port,
    server,
    sockets,
    logged,
    async connect(number = 1, { path = '/', headers, ...options } = {}) {
      if (!made.has(number)) {
        made.add(number)
        accounts.set(`a${number}`, { key: keyNumber(number) })
      }
      const client = await connectClient(`ws://127.0.0.1:${port}${path}`, {
        headers: { 'X-API-KEY': keyNumber(number), ...headers },
        ...options,
      })
      clients.push(client)
      return client
    },
    async publish(...events) {
      await bus.publish(events)
      // Sending takes no time by this clock, so no window waits for long.
      clock.advance(limits.windowMs ?? 5)
    },
    async close() {
      for (const client of clients) client.socket.terminate()
      const closed = gateway.close()
      clock.advance(60_000)
      await closed
      await bus.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Connects the client of a new account with this plan. */
export function connectOnPlan(
  { accounts, connect }: TestGateway,
  number: number,
  planId: 1 | 2 | 3,
): Promise<TestClient> {
  accounts.set(`plan${planId}`, { key: keyNumber(number), planId })
  return connect(number)
}
