// What the machine allows: a process that does nothing but write frames of the same lengths to as many sockets at the
// same times, one write a socket, made beforehand: `bare.mjs`.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { now, startTicks } from './ticks.mjs'
import { createWriteTimes } from './write-times.mjs'

const writeTimes = createWriteTimes()
const sockets = []

const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', (client) => {
    sockets[Number(client)] = socket
    writeTimes.watch(socket)
    socket.write('hello')
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('disconnect', () => process.exit(0))
process.send({ port: server.address().port })

/** `bursts`: milliseconds from the beginning, and for each client the frames that it gets; measured `fromMs` on. */
const [{ bursts, frameBytes, fromMs }] = await once(process, 'message')
const stamps = {}
const began = now() + 500
const dues = bursts.map(({ at }) => began + at)
/** Made before they are due, the next while the one before it goes out. */
let made = makeWrites(0)
writeTimes.begin()
await startTicks(dues, (number, came) => {
  if (bursts[number].at >= fromMs) stamps[number] = came
  for (const [client, bytes] of made) sockets[client].write(bytes)
  made = makeWrites(number + 1)
})
await wait(500)
process.send({ stamps, written: writeTimes.arrivals() })

function makeWrites(number) {
  const frame = frameOf(number, frameBytes)
  return bursts[number]?.writes.map(([client, frames]) => [
    client,
    Buffer.concat(Array.from({ length: frames }, () => frame)),
  ])
}

function frameOf(number, length) {
  const bytes = Buffer.alloc(length, 'x')
  bytes[0] = 0x81
  bytes[1] = 126
  bytes.writeUInt16BE(length - 4, 2)
  bytes.write(`"signature":"${number}"`, 4)
  return bytes
}
