// The gateway of this benchmark, alone in its process: `node service.mjs <port>`. Every key is an account on Pro.
import { createServer } from 'node:http'
import { register } from 'tsx/esm/api'

register()
const { createInProcessBus } = await import('@pairwire/bus')
const { createGateway } = await import('@pairwire/gateway')
const { makeEvent } = await import('../fanout/message.mjs')

const EVENTS_PER_SECOND = 200

const bus = createInProcessBus({ maxBytes: 16_000_000 })
const allowed = (accountId) => ({
  outcome: 'allowed',
  accountId,
  planId: 3,
  connectionLimit: 1,
  endsAt: null,
  planInForceId: 'bench',
  period: '2026-11-01',
  periodEndsAt: new Date(Date.now() + 86_400_000),
  standing: { key: 'bench', plan: 'bench' },
  delivered: { newPair: 0, swap: 0 },
})
const gateway = createGateway({
  bus,
  accounts: {
    authorizeKey: async (key) => allowed(key),
    authorizeAccount: async (accountId) => allowed(accountId),
    readStandings: async (ids) => new Map(ids.map((id) => [id, { key: 'bench', plan: 'bench' }])),
    recordDelivered: async () => {},
    recordConnections: async () => {},
  },
  log: { info() {}, warn: console.error, error: console.error },
  simulated: false,
  docsUrl: 'http://localhost/docs',
  clientAddress: () => '127.0.0.1',
  limits: { connectsPerSecondPerAddress: 1_000 },
})
const server = createServer()
server.on('upgrade', gateway.handleUpgrade)
server.listen({ port: Number(process.argv[2]), host: '127.0.0.1', backlog: 4_096 }, () =>
  process.send('listening'),
)

setInterval(() => bus.publish([makeEvent()]), 1000 / EVENTS_PER_SECOND)

process.on('disconnect', () => process.exit(0))
let before
process.on('message', (message) => {
  if (message === 'measure') before = { cpu: process.cpuUsage(), at: performance.now() }
  else {
    const { user, system } = process.cpuUsage(before.cpu)
    const seconds = (performance.now() - before.at) / 1000
    const { ended, connections } = gateway.stats()
    process.send({ cores: (user + system) / 1e6 / seconds, connections, ended })
  }
})
