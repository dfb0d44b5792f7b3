// The whole street in one process: the simulator through decoders, bus, store and gateway to clients that keep the cursor of
// every event. Reports how many events were published, and how many arrived, are missing or came out of order.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { log, openGateway } from '../harness/gateway.mjs'
import { listen } from '../harness/listen.mjs'
import { libraryOf, product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { createInProcessBus, openEventStore } = await product('packages/bus/src/index.ts')
const { createIngest, openSource } = await product('apps/ingest/src/index.ts')
const { systemClock } = await product('packages/basics/src/clock.ts', 'packages/process/src/clock.ts')
const WebSocket = libraryOf('apps/gateway', 'ws')

const { folder, seconds, swaps, clients: clientCount } = args
const retention = { milliseconds: 86_400_000, bytes: 1e10 }
const store = await openEventStore({ folder, source: 'simulator', retention, now: Date.now, log })
const bus = createInProcessBus({ maxBytes: 16 * 1024 * 1024, store })
const source = openSource(`simulator?swaps=${swaps}`, {
  ...{ clock: systemClock, nextRun: async () => 1, loopByDefault: false },
})
const ingest = createIngest({ source, bus, clock: systemClock, log })
const { gateway, server } = openGateway({ bus, simulated: true })
const url = `ws://127.0.0.1:${await listen(server)}/?key=${'0'.repeat(32)}`
const clients = await Promise.all(Array.from({ length: clientCount }, openClient))

const published = []
bus.subscribe((events) => {
  for (const { kind, cursor } of events) if (kind !== 'latestBlock') published.push(cursor)
})
const before = process.cpuUsage()
ingest.start()
await wait(seconds * 1_000)
await ingest.stop()
const { user, system } = process.cpuUsage(before)
const isWaiting = () => clients.some((received) => received.length < published.length)
for (let turn = 0; turn < 500 && isWaiting(); turn++) await wait(10)
await gateway.close()
await bus.close()

const sumOf = (count) => clients.reduce((sum, received) => sum + count(received), 0)
serve({
  published: published.length,
  received: sumOf((received) => received.length),
  missing: sumOf((received) => {
    const got = new Set(received)
    return published.filter((cursor) => !got.has(cursor)).length
  }),
  outOfOrder: sumOf(
    (received) => received.filter((cursor, at) => at > 0 && cursor <= received[at - 1]).length,
  ),
  cores: (user + system) / 1e6 / seconds,
})

/** A client of all swaps and all new pairs; returns the cursors that it receives. */
async function openClient() {
  const received = []
  const socket = new WebSocket(url)
  let answers = 0
  socket.on('message', (data) => {
    const cursor = /"cursor":"([^"]+)"\}$/.exec(String(data))?.[1]
    if (cursor) received.push(cursor)
    else answers++
  })
  await once(socket, 'open')
  socket.send('{"id":1,"method":"swapSubscribe"}')
  socket.send('{"id":2,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true}}')
  while (answers < 2) await wait(10)
  return received
}
