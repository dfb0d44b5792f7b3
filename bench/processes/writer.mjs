// What the machine allows: a process that only writes frames of the same lengths to as many sockets at the same times, one
// write per socket, built beforehand.
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { now } from '../harness/clock.mjs'
import { listen } from '../harness/listen.mjs'
import { serve } from '../harness/serve.mjs'
import { startTicks } from '../harness/ticks.mjs'
import { serverFrame } from '../harness/websocket.mjs'
import { createWriteTimes } from '../harness/write-times.mjs'

const writeTimes = createWriteTimes()
const sockets = []

const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', (client) => {
    sockets[Number(client)] = socket
    writeTimes.watch(socket)
    socket.write('hello')
  })
})
serve({ port: await listen(server) }, { play })

/** `bursts`: milliseconds from the beginning, and for each client the frames that it gets; measured from `fromMs` on. */
async function play({ bursts, frameBytes, fromMs }) {
  const stamps = {}
  const began = now() + 500
  const dues = bursts.map(({ at }) => began + at)
  /** Built before they are due, the next while the previous one is sent. */
  let made = makeWrites(bursts[0], 0, frameBytes)
  writeTimes.begin()
  await startTicks(dues, (number, came) => {
    if (bursts[number].at >= fromMs) stamps[number] = came
    for (const [client, bytes] of made) sockets[client].write(bytes)
    made = makeWrites(bursts[number + 1], number + 1, frameBytes)
  })
  await wait(500)
  return { stamps, written: writeTimes.arrivals() }
}

function makeWrites(burst, number, frameBytes) {
  const frame = frameOf(number, frameBytes)
  return burst?.writes.map(([client, frames]) => [
    client,
    Buffer.concat(Array.from({ length: frames }, () => frame)),
  ])
}

/** A frame of this many bytes, four of them for the header. */
function frameOf(number, length) {
  return serverFrame(Buffer.from(`"signature":"${number}"`.padEnd(length - 4, 'x')))
}
