// The clients of this benchmark: `node clients.mjs <gateway's port> <nats-server's websocket port> <of each>`. Plain
// sockets that look for the time in each swap, since a websocket library here would take most of the time.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { register } from 'tsx/esm/api'

register()
const { MARK } = await import('../fanout/message.mjs')

const [port, natsPort, count] = process.argv.slice(2).map(Number)
const mark = Buffer.from(MARK)
const STAMP = 19
let latencies
process.on('disconnect', () => process.exit(0))
process.on('message', async (message) => {
  if (message === 'open') {
    for (let opened = 0; opened < count; opened++) {
      await open(port, ['{"id":1,"method":"swapSubscribe"}'], '"id":1,"result"')
      await open(natsPort, ['CONNECT {"verbose":false}\r\nSUB bench.swaps 1\r\nPING\r\n'], 'PONG')
    }
    process.send('open')
  } else if (message === 'measure') latencies = []
  else {
    process.send({ latencies })
    latencies = undefined
  }
})

/** Opens a websocket, sends frames of text and resolves once the answer to them has come. */
function open(at, frames, answer) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: at, noDelay: true })
    let said = ''
    let isUpgraded = false
    let rest = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('connect', () => socket.write(upgrade()))
    socket.on('data', (chunk) => {
      if (said !== undefined) {
        said += chunk.toString('latin1')
        if (!isUpgraded && said.includes('\r\n\r\n')) {
          isUpgraded = true
          for (const text of frames) socket.write(frameOf(text))
        }
        if (!said.includes(answer)) return
        said = undefined
        resolve()
      } else rest = note(rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk)
    })
  })
}

/** Notes how old each swap is, by the clock that all processes have in common; returns what is not whole yet. */
function note(bytes) {
  const now = process.hrtime.bigint()
  let read = Math.max(0, bytes.length - mark.length)
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) {
    const end = at + mark.length + STAMP
    if (end > bytes.length) {
      read = at
      break
    }
    latencies?.push(Number(now - BigInt(bytes.latin1Slice(at + mark.length, end))) / 1e6)
    read = Math.max(read, end)
  }
  return bytes.subarray(read)
}

/** A text frame; a mask of zeros leaves the text as it is. */
function frameOf(text) {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

function upgrade() {
  return `GET /?key=${'a'.repeat(32)} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
}
