// The service: `node service.mjs <port> <minutes> <folder>`. The real gateway and bus with its store on disk, filled with so many
// minutes; then slots of 600 swaps every 0.4 s.
import { createServer } from 'node:http'
import { register } from 'tsx/esm/api'

register()
const { createInProcessBus, openEventStore } = await import('@pairwire/bus')
const { formatCursor } = await import('@pairwire/contract')
const { createGateway } = await import('@pairwire/gateway')
const { anybody } = await import('../anybody.mjs')
const { makeEvent } = await import('../fanout/message.mjs')

const SLOT_MS = 400
const SWAPS = 600
const [port, minutes] = process.argv.slice(2).map(Number)
const folder = process.argv[4]
const log = { info() {}, warn: console.error, error: console.error }
const store = await openEventStore({
  folder,
  source: 'chain',
  retention: { milliseconds: 86_400_000, bytes: 1e10 },
  now: Date.now,
  log,
})
const bus = createInProcessBus({ maxBytes: 64 * 1024 * 1024, store })
const gateway = createGateway({
  bus,
  accounts: anybody(),
  log,
  simulated: false,
  docsUrl: 'http://localhost/docs',
  clientAddress: () => '127.0.0.1',
  limits: {
    connectsPerSecondPerAddress: 1e6,
    connectsPerSecondPerKey: 1e6,
    connectsBurstPerKey: 1e6,
    resumesPerMinute: 1e6,
    requestsPerSecond: 1e9,
    requestsBurst: 1e9,
    readingPerSecond: 1e12,
    readingBurst: 1e12,
  },
})

let slot = 400_000_000
/** Swaps of a slot are made, and timed, when they are published. */
const publishSlot = () => {
  slot++
  const events = Array.from({ length: SWAPS }, (_, transactionIndex) => {
    const event = makeEvent()
    return {
      ...event,
      cursor: formatCursor({ run: 1, slot, transactionIndex, eventIndex: 0 }),
      params: { ...event.params, slot },
    }
  })
  return bus.publish(events)
}

for (let filled = 0; filled < (minutes * 60_000) / SLOT_MS; filled++) {
  await publishSlot()
  if (filled % 20 === 0) await store.settled()
}
await store.settled()
const server = createServer()
server.on('upgrade', gateway.handleUpgrade)
await new Promise((resolve) => server.listen({ port, host: '127.0.0.1', backlog: 4_096 }, resolve))
process.send({ from: formatCursor({ run: 1, slot: 400_000_001, transactionIndex: 0, eventIndex: 0 }) })
process.on('disconnect', () => process.exit(0))

let before
let began
let startBytes = 0
let mostBytes = 0
process.on('message', (message) => {
  if (message === 'start') setInterval(publishSlot, SLOT_MS)
  else if (message === 'measure') {
    before = process.cpuUsage()
    began = performance.now()
    startBytes = process.memoryUsage.rss()
    setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
    }, 100)
  } else {
    const { user, system } = process.cpuUsage(before)
    const cores = (user + system) / 1e3 / (performance.now() - began)
    process.send({
      cores,
      rssBytes: process.memoryUsage.rss(),
      startBytes,
      mostBytes,
      heldBytes: gateway.stats().heldBytes,
      ended: gateway.stats().ended,
    })
  }
})
