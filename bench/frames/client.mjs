// The honest clients: all swaps, and as many pings as an account may send, whatever comes of the last:
// `node client.mjs <port> <accounts>`.
import { createRequire } from 'node:module'

const { WebSocket } = createRequire(new URL('../../apps/gateway/src/gateway.ts', import.meta.url))('ws')

const [port, accounts] = process.argv.slice(2).map(Number)
const EVERY_MS = 50

let latencies = []
let isMeasuring = false
let opened = 0
const unanswered = new Set()

for (let number = 0; number < accounts; number++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, {
    headers: { 'X-API-KEY': number.toString(16).padStart(32, 'f') },
  })
  const sentAt = new Map()
  unanswered.add(sentAt)
  let id = 0
  const ping = () => {
    id++
    sentAt.set(id, performance.now())
    socket.send(`{"id":${id},"method":"ping"}`)
  }
  socket.on('open', () => {
    socket.send('{"id":"events","method":"swapSubscribe"}')
    opened++
    if (opened === accounts) process.send('open')
    // One after the other, evenly.
    setTimeout(() => setInterval(ping, EVERY_MS), (number * EVERY_MS) / accounts)
  })
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data))
    if (frame.error) throw new Error(frame.error.message)
    const began = sentAt.get(frame.id)
    if (began === undefined) return
    sentAt.delete(frame.id)
    if (isMeasuring) latencies.push(performance.now() - began)
  })
  socket.on('close', (code) => {
    throw new Error(`An honest client was closed with ${code}.`)
  })
}

process.on('disconnect', () => process.exit(0))
process.on('message', (message) => {
  if (message === 'measure') {
    latencies = []
    isMeasuring = true
    return
  }
  // Who has no answer yet has waited at least as long.
  for (const sentAt of unanswered) {
    for (const began of sentAt.values()) latencies.push(performance.now() - began)
  }
  latencies.sort((first, second) => first - second)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  process.send({ pings: latencies.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) })
})
