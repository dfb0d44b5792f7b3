// The clients of the soak, in a process of their own: `node clients.mjs <stream url>`; keys and filters come as a message.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import WebSocket from 'ws'

const url = process.argv[2]
/** Connections being opened; a busy machine looks each key up in its own time. */
const AT_A_TIME = 5
const GAP = Buffer.from('"gapNotification"')
const counts = { received: 0, gaps: 0, closed: 0, refused: 0 }

process.on('message', async (message) => {
  if (message.clients) {
    const left = [...message.clients]
    const worker = async () => {
      for (let client = left.pop(); client; client = left.pop()) await connect(client)
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, worker))
    process.send('connected')
  } else process.send(counts)
})
process.on('disconnect', () => process.exit(0))
process.send('ready')

async function connect({ key, mints }) {
  const socket = await open(key)
  socket.on('close', () => counts.closed++)
  const params = { include: { baseTokenMint: mints } }
  socket.send(JSON.stringify({ id: 1, method: 'swapSubscribe', params }))
  const [answer] = await once(socket, 'message')
  if (JSON.parse(answer).error) counts.refused++
  socket.on('message', (data) => {
    counts.received++
    if (data.includes(GAP)) counts.gaps++
  })
}

/** Tries again where the service is too busy to look at the key. */
async function open(key) {
  for (let tries = 1; ; tries++) {
    const socket = new WebSocket(url, { headers: { 'X-API-KEY': key }, perMessageDeflate: false })
    try {
      await once(socket, 'open')
      return socket
    } catch (error) {
      if (tries === 10) throw error
      await wait(1_000)
    }
  }
}
