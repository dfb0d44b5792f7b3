// The clients of this benchmark: `node clients.mjs <clients> <port of a gateway>…`, shared out to the gateways. They read
// and look at nothing; how much came they tell when asked.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

const [count, ...ports] = process.argv.slice(2).map(Number)
const SUBSCRIBE = '{"id":1,"method":"swapSubscribe"}'
const ANSWER = '"id":1,"result"'
/** What comes is read over what came before. */
const scratch = Buffer.alloc(1024 * 1024)
let received = 0

process.on('disconnect', () => process.exit(0))
process.on('message', () => process.send({ received }))
const AT_ONCE = 50
for (let opened = 0; opened < count; opened += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, count - opened) }, (_, at) => opened + at)
  await Promise.all(some.map((number) => open(ports[number % ports.length])))
}
process.send('open')

/** Opens a websocket, subscribes and resolves once that is answered. */
function open(port) {
  return new Promise((resolve, reject) => {
    let said = ''
    const onBytes = (bytes) => {
      received += bytes
      if (said === undefined) return true
      const before = said
      said += scratch.latin1Slice(0, bytes)
      const isUpgraded = said.includes('\r\n\r\n')
      if (isUpgraded && !before.includes('\r\n\r\n')) socket.write(frameOf(SUBSCRIBE))
      if (said.includes(ANSWER)) {
        said = undefined
        resolve()
      }
      return true
    }
    const socket = connect({
      ...{ host: '127.0.0.1', port, noDelay: true },
      onread: { buffer: scratch, callback: onBytes },
    })
    socket.on('error', reject)
    socket.on('connect', () => socket.write(upgrade()))
  })
}

/** A text frame; a mask of zeros leaves the text as it is. */
function frameOf(text) {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

function upgrade() {
  return `GET /?key=${'a'.repeat(32)} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
}
