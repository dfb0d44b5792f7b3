// A gateway on a bus in a separate process, or a peer in its place. It publishes what `pace` says from `start` on:
// `{ drained: true }` ten events whenever the sockets have drained, `{ perSecond, everyMs }` what is due so often.
//   gateway  the real gateway; its bus is in memory, on a store in `folder`, or on `nats`
//   naive    the ws library, `send(text)` for each client and each message
//   tcp      no websocket at all: messages joined into one write for each client, the bound of the machine
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { FRAME_BYTES, goOnBehind, makePackedSlot, makeSlot, textOf } from '../harness/events.mjs'
import { log, openGateway } from '../harness/gateway.mjs'
import { listen } from '../harness/listen.mjs'
import { createMeter } from '../harness/meter.mjs'
import { libraryOf, product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { peer = 'gateway', pace, clients = 0, folder, nats, isPacked } = args
/** Events sent in one turn of the closed loop. */
const JOINED = 10
const BUS_BYTES = 32 * 1024 * 1024
/** Slots that fill the memory of a bus on a store before anything is measured. */
const SLOTS_BEFORE = 150
const RETENTION = { milliseconds: 86_400_000, bytes: 1e10 }

const sockets = new Set()
const meter = createMeter({ watchesLoop: args.watchesLoop })
const opened = performance.now()
const { server, send, stats = () => ({ queuedBytes: 0 }) } = await { gateway, naive, tcp }[peer]()
const openMs = performance.now() - opened
server.on('connection', (socket) => {
  sockets.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => sockets.delete(socket))
})
serve(
  { port: await listen(server), openMs },
  {
    start,
    begin: () => meter.begin(),
    read: () => ({ ...meter.read(), ...stats() }),
    memory() {
      globalThis.gc?.()
      return process.memoryUsage.rss()
    },
  },
)

async function gateway() {
  const bus = await openBus()
  const { gateway, server } = openGateway({ bus, isProduction: args.isProduction, limits: args.limits })
  const newest = folder && (await bus.newestCursor())
  if (newest) goOnBehind(newest)
  const next = isPacked ? makePackedSlot : makeSlot
  for (let filled = 0; isPacked && filled < SLOTS_BEFORE; filled++) {
    await bus.publish(next((pace.perSecond * pace.everyMs) / 1_000))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { server, send: (count) => void bus.publish(next(count)), stats: () => gateway.stats() }
}

async function openBus() {
  if (nats) {
    const { openNatsBus, readNatsAddress } = await product('packages/bus/src/nats/nats-bus.ts')
    return openNatsBus({
      ...{ address: readNatsAddress(nats), source: 'chain', maxBytes: BUS_BYTES, log },
      retention: { milliseconds: 3_600_000, bytes: 1e9 },
    })
  }
  const { createInProcessBus, openEventStore } = await product('packages/bus/src/index.ts')
  if (!folder) return createInProcessBus({ maxBytes: BUS_BYTES })
  const store = await openEventStore({ folder, source: 'chain', retention: RETENTION, now: Date.now, log })
  return createInProcessBus({ maxBytes: BUS_BYTES, store })
}

function naive() {
  const { WebSocketServer } = libraryOf('apps/gateway', 'ws')
  const server = createHttpServer()
  const webSockets = new WebSocketServer({ server, perMessageDeflate: false })
  return {
    server,
    send(count) {
      for (const event of makeSlot(count)) {
        const text = textOf(event)
        for (const webSocket of webSockets.clients) webSocket.send(text)
      }
    },
  }
}

function tcp() {
  const server = createTcpServer({ noDelay: true }, (socket) => socket.resume())
  return {
    server,
    send(count) {
      const texts = makeSlot(count).map((event) => Buffer.from(textOf(event)))
      const header = Buffer.alloc(FRAME_BYTES - texts[0].length)
      const joined = Buffer.concat(texts.flatMap((text) => [header, text]))
      for (const socket of sockets) socket.write(joined)
    },
  }
}

function start() {
  // The clients may be slightly ahead of the connections accepted here.
  if (sockets.size < clients) setTimeout(start, 10)
  else if (pace.drained) sendAsDrained()
  else sendAtPace(pace)
}

/** Closed loop: the next turn comes when no more than one turn is queued on average. */
function sendAsDrained() {
  let queued = 0
  for (const socket of sockets) queued += socket.writableLength
  if (queued > 0) queued = Math.max(queued, stats().queuedBytes)
  if (queued > sockets.size * FRAME_BYTES * JOINED) setTimeout(sendAsDrained, 0)
  else {
    send(JOINED)
    setImmediate(sendAsDrained)
  }
}

/** Open loop: whatever is due, whether the sockets have drained or not. */
function sendAtPace({ perSecond, everyMs }) {
  const began = performance.now()
  let sent = 0
  setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond) - sent
    if (due > 0) send(due)
    sent += due
  }, everyMs)
}
