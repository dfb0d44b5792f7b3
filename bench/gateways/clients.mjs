// The clients of this benchmark: `node clients.mjs <clients> <port of a gateway>…`, shared out to the gateways. They read
// and look at nothing; how much came they tell when asked.
import { connect } from 'node:net'
import { textFrame, upgradeRequest } from '../by-hand.mjs'

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
      if (isUpgraded && !before.includes('\r\n\r\n')) socket.write(textFrame(SUBSCRIBE))
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
    socket.on('connect', () => socket.write(upgradeRequest()))
  })
}
