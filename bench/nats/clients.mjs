// The clients of this benchmark: `node clients.mjs <gateway's port> <nats-server's websocket port> <of each>`.
import { wsconnect } from '@nats-io/nats-core'
import { register } from 'tsx/esm/api'
import WebSocket from 'ws'

register()
const { MARK } = await import('../fanout/message.mjs')

// Node has none of its own before 22.
globalThis.WebSocket = WebSocket
const [port, natsPort, count] = process.argv.slice(2).map(Number)
const mark = Buffer.from(MARK)
let latencies
process.on('disconnect', () => process.exit(0))
process.on('message', async (message) => {
  if (message === 'open') {
    await Promise.all(Array.from({ length: count }, open))
    process.send('open')
  } else if (message === 'measure') latencies = []
  else {
    process.send({ latencies })
    latencies = undefined
  }
})

async function open() {
  const client = new WebSocket(`ws://127.0.0.1:${port}/?key=${'a'.repeat(32)}`)
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject))
  client.send('{"id":1,"method":"swapSubscribe"}')
  await new Promise((resolve) => client.once('message', resolve))
  client.on('message', note)
  const nats = await wsconnect({ servers: `ws://127.0.0.1:${natsPort}` })
  nats.subscribe('bench.swaps', {
    callback: (_, { data }) => note(Buffer.from(data.buffer, data.byteOffset, data.length)),
  })
  await nats.flush()
}

/** Notes how old the swap in a message is, by the clock that all processes have in common. */
function note(data) {
  if (!latencies) return
  const at = data.indexOf(mark) + mark.length
  const made = BigInt(data.toString('latin1', at, at + 19))
  latencies.push(Number(process.hrtime.bigint() - made) / 1e6)
}
