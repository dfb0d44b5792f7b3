// The service: `node old-service.mjs <port> <folder> <last slot>`. The real gateway and bus on a store that is full, with
// the bounds of production and as much memory, every key an account of its own, and 600 swaps every 0.4 s. It watches its own loop.
import { createServer } from 'node:http'
import { register } from 'tsx/esm/api'
import { anybody } from '../anybody.mjs'
import { noteLongPauses, openCoreWait } from '../soak/watch.mjs'

register()
const { createInProcessBus, openEventStore } = await import('@pairwire/bus')
const { parseCursor } = await import('@pairwire/contract')
const { createGateway } = await import('@pairwire/gateway')
const { slotOf } = await import('./old-store.mjs')

const SLOT_MS = 400
const [port, folder, lastSlot] = process.argv.slice(2)
const log = { info() {}, warn: console.error, error: console.error }
const opened = performance.now()
const store = await openEventStore({
  folder,
  source: 'chain',
  retention: { milliseconds: 86_400_000, bytes: 1e10 },
  now: Date.now,
  log,
})
const openMs = performance.now() - opened
const bus = createInProcessBus({ maxBytes: 32 * 1024 * 1024, store })
const accounts = anybody()
const standing = await accounts.authorizeAccount()
const of = async (accountId) => ({ ...standing, accountId })
const gateway = createGateway({
  bus,
  accounts: { ...accounts, authorizeKey: of, authorizeAccount: of },
  log,
  simulated: false,
  docsUrl: 'http://localhost/docs',
  clientAddress: () => '127.0.0.1',
  limits: { connectsPerSecondPerAddress: 1e6 },
})

// A folder that is used again has what an earlier run published.
let slot = Math.max(Number(lastSlot), parseCursor(store.newestCursor()).slot)
/** What the bus keeps in memory is full before anything is measured. */
for (let filled = 0; filled < 150; filled++) {
  await bus.publish(slotOf(++slot))
  await new Promise((resolve) => setTimeout(resolve, 20))
}
setInterval(() => void bus.publish(slotOf(++slot)), SLOT_MS)

const server = createServer()
server.on('upgrade', gateway.handleUpgrade)
await new Promise((resolve) => server.listen({ port, host: '127.0.0.1', backlog: 4_096 }, resolve))

/** Each look at the loop tells what passed since the last, and how long of it this thread waited for a core. */
const pauses = noteLongPauses()
const waited = openCoreWait()
let ownMs = 0
let lookedAt = performance.now()
let waitedMs = waited()
setInterval(() => {
  const [now, waitedNow] = [performance.now(), waited()]
  ownMs = Math.max(ownMs, now - lookedAt - (waitedNow - waitedMs))
  lookedAt = now
  waitedMs = waitedNow
}, 1)

let cpu = process.cpuUsage()
let began = performance.now()
let rss = []
setInterval(() => rss.push(process.memoryUsage.rss()), 100)
process.on('message', async (message) => {
  if (message === 'measure') {
    pauses.length = 0
    ownMs = 0
    rss = []
    cpu = process.cpuUsage()
    began = performance.now()
    return
  }
  const { user, system } = process.cpuUsage(cpu)
  process.send({
    pauses: [...pauses],
    ownMs,
    cores: (user + system) / 1e3 / (performance.now() - began),
    rss: rss.sort((one, other) => one - other).at(rss.length >> 1),
    mostRss: rss.at(-1),
    memory: process.memoryUsage(),
    ended: gateway.stats().ended,
    connections: gateway.stats().connections,
  })
})
process.on('disconnect', () => process.exit(0))
process.send({ openMs })
