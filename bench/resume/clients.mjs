// Clients: `node clients.mjs <live | resuming> <port> <count>`. Plain sockets: live ones time each frame, the others
// count their bytes.
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { register } from 'tsx/esm/api'
import { textFrame, upgradeRequest } from '../by-hand.mjs'

register()
const { FRAME_BYTES, MARK } = await import('../fanout/message.mjs')

const [mode, port, count] = process.argv.slice(2)
const mark = Buffer.from(MARK)
const shared = Buffer.allocUnsafe(256 * 1024)
let latencies = []
let bytes = 0
let began = performance.now()
// The machine is shared: what is measured is the service, as its live clients see it.
if (mode === 'resuming') setPriority(10)

function open(from) {
  const params = from === undefined ? {} : { resume_from: from }
  return new Promise((resolve, reject) => {
    let greeting = ''
    const onread = {
      buffer: shared,
      callback(length, buffer) {
        if (greeting !== undefined) {
          greeting += buffer.latin1Slice(0, length)
          if (!greeting.includes('\r\n\r\n')) return true
          if (!greeting.startsWith('HTTP/1.1 101')) reject(new Error(greeting))
          greeting = undefined
          socket.write(textFrame(JSON.stringify({ id: 1, method: 'swapSubscribe', params })))
          resolve()
          return true
        }
        bytes += length
        if (mode === 'live') time(buffer, length)
        return true
      },
    }
    const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true, onread })
    socket.on('error', reject)
    socket.on('connect', () => socket.write(upgradeRequest()))
  })
}

/** The oldest event of each chunk. */
function time(buffer, length) {
  const at = buffer.indexOf(mark)
  if (at < 0 || at + mark.length + 19 > length) return
  const made = BigInt(buffer.latin1Slice(at + mark.length, at + mark.length + 19))
  latencies.push(Number(process.hrtime.bigint() - made) / 1e6)
}

process.send('ready')
process.on('disconnect', () => process.exit(0))
process.on('message', async (message) => {
  if (message.open) {
    for (let opened = 0; opened < Number(count); opened++) await open(message.from)
    process.send('open')
  } else if (message === 'measure') {
    latencies = []
    bytes = 0
    began = performance.now()
  } else {
    latencies.sort((first, second) => first - second)
    process.send({
      p50Ms: latencies[latencies.length >> 1],
      p99Ms: latencies[Math.floor(latencies.length * 0.99)],
      maxMs: latencies.at(-1),
      framesPerSecond: bytes / FRAME_BYTES / ((performance.now() - began) / 1000),
    })
  }
})
