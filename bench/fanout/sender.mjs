// One sender: `node sender.mjs <mode> <port> <connections> <events a second, 0 for as many as drain> <even | slots | whole>`.
// Whole turns write to every client in each turn of the closed loop, where the gateway else keeps turns short.
//   gateway  the real createGateway behind an HTTP server, events published on a real bus
//   naive    the ws library, `send(text)` for each client and each message
//   tcp      no websocket at all: ten messages joined into one write for each client, the bound of the machine
import { createServer as createHttpServer } from 'node:http'
import { createRequire } from 'node:module'
import { createServer as createTcpServer } from 'node:net'
import { register } from 'tsx/esm/api'

register()
const { FRAME_BYTES, makeEvent, textOf } = await import('./message.mjs')

/** Events that one turn of the closed loop sends. */
const JOINED = 10

/** Milliseconds between two slots, whose events come at once. */
const SLOT_MS = 400

const [mode, portText, connectionsText, rateText, arrival] = process.argv.slice(2)
const port = Number(portText)
const expected = Number(connectionsText)
const rate = Number(rateText)
const sockets = new Set()
/** What the sender keeps beside its sockets for those that are behind. */
let ownQueues = () => 0
const keepSocket = (socket) => {
  sockets.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => sockets.delete(socket))
}

const send = await { gateway: startGateway, naive: startNaive, tcp: startTcp }[mode]()
process.send('listening')
process.on('disconnect', () => process.exit(0))
process.on('message', (message) => {
  if (message === 'start') start()
  else if (message === 'memory') {
    globalThis.gc?.()
    process.send(process.memoryUsage.rss())
  } else if (message === 'measure') measure()
})

async function startGateway() {
  const { createInProcessBus } = await import('@pairwire/bus')
  const { openGateway } = await import('../open-gateway.mjs')
  const bus = createInProcessBus({ maxBytes: 16_000_000 })
  const gateway = openGateway({
    bus,
    limits: {
      // In the closed loop no window waits; at a fixed rate it is the default.
      ...(rate === 0 ? { windowMs: 0 } : {}),
      ...(arrival === 'whole' ? { turnMs: Number.POSITIVE_INFINITY } : {}),
    },
  })
  const server = createHttpServer()
  server.on('connection', keepSocket)
  server.on('upgrade', gateway.handleUpgrade)
  await listen(server)
  ownQueues = () => gateway.stats().queuedBytes
  return (count) => bus.publish(Array.from({ length: count }, makeEvent))
}

async function startNaive() {
  // The gateway's own version: a peer of another benchmark may have brought an older one into this folder.
  const { WebSocketServer } = createRequire(new URL('../../apps/gateway/src/gateway.ts', import.meta.url))(
    'ws',
  )
  const server = createHttpServer()
  const webSockets = new WebSocketServer({ server, perMessageDeflate: false })
  server.on('connection', keepSocket)
  await listen(server)
  return (count) => {
    for (let made = 0; made < count; made++) {
      const text = textOf(makeEvent())
      for (const webSocket of webSockets.clients) webSocket.send(text)
    }
  }
}

async function startTcp() {
  const server = createTcpServer({ noDelay: true }, (socket) => {
    keepSocket(socket)
    socket.resume()
  })
  await listen(server)
  return (count) => {
    const header = Buffer.alloc(FRAME_BYTES - Buffer.byteLength(textOf(makeEvent())))
    const messages = Array.from({ length: count }, () =>
      Buffer.concat([header, Buffer.from(textOf(makeEvent()))]),
    )
    const joined = Buffer.concat(messages)
    for (const socket of sockets) socket.write(joined)
  }
}

function listen(server) {
  return new Promise((resolve) => server.listen({ port, host: '127.0.0.1', backlog: 4_096 }, resolve))
}

function start() {
  // The receiver may be a little ahead of what is accepted here.
  if (sockets.size < expected) setTimeout(start, 10)
  else if (rate > 0) sendAtRate()
  else sendAsDrained()
}

/** Closed loop: the next turn when no more than one turn is queued on the average. */
function sendAsDrained() {
  let queued = 0
  for (const socket of sockets) queued += socket.writableLength
  if (queued > 0) queued = Math.max(queued, ownQueues())
  if (queued > sockets.size * FRAME_BYTES * JOINED) setTimeout(sendAsDrained, 0)
  else {
    send(JOINED)
    setImmediate(sendAsDrained)
  }
}

/** Open loop: whatever is due, whether the sockets have drained or not. */
function sendAtRate() {
  const began = performance.now()
  let sent = 0
  setInterval(
    () => {
      const due = Math.floor(((performance.now() - began) / 1000) * rate) - sent
      if (due > 0) send(due)
      sent += due
    },
    arrival === 'slots' ? SLOT_MS : 1,
  )
}

function measure() {
  const before = process.cpuUsage()
  const began = performance.now()
  process.once('message', () => {
    const { user, system } = process.cpuUsage(before)
    const seconds = (performance.now() - began) / 1000
    process.send({ cores: (user + system) / 1e6 / seconds, rssBytes: process.memoryUsage.rss() })
  })
}
