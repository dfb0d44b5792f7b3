// The clients of `npm run bench -- early`: `clients.mjs <port> <clients> <commitment>`.
import { once } from 'node:events'
import WebSocket from 'ws'

const [port, count, commitment] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]]
const now = () => Number(process.hrtime.bigint()) / 1e6

const [{ pools }] = await once(process, 'message')
/** Signature and time of what every tenth client was sent. */
const arrivals = []
for (let at = 0; at < count; at++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?key=${'0'.repeat(32)}`, { perMessageDeflate: false })
  await once(socket, 'open')
  const include = { ammAccount: [pools[at % pools.length]] }
  socket.send(JSON.stringify({ id: 1, method: 'swapSubscribe', params: { commitment, include } }))
  await once(socket, 'message')
  if (at % 10 > 0) continue
  socket.on('message', (data) => {
    const arrived = now()
    const signature = /"signature":"(\w+)"/.exec(data.toString('latin1'))?.[1]
    if (signature) arrivals.push([signature, arrived])
  })
}
process.send({ ready: true })
process.on('message', ({ end }) => end && process.send({ arrivals }))
