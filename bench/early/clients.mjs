// The clients of `npm run bench -- early`: `clients.mjs <measured | rest>`. Plain sockets, since a websocket
// library would read frames for longer than they are under way. What is measured keeps what came and when; it is read
// once all is over. The rest lets go of what comes.
import { once } from 'node:events'
import { connect } from 'node:net'
import { textFrame, upgradeRequest } from '../by-hand.mjs'
import { arrivalsOf } from './arrivals.mjs'

const isMeasured = process.argv[2] === 'measured'
const now = () => Number(process.hrtime.bigint()) / 1e6
/** What came to each client: bytes, and when. */
const came = []
let received = 0

process.on('disconnect', () => process.exit(0))
process.on('message', async (message) => {
  if (message.port) {
    await open(message.port, message)
    process.send('open')
  } else process.send({ received, arrivals: came.map((chunks) => arrivalsOf(chunks)) })
})
process.send('ready')

/** Opens a socket; `request` is what is asked behind the upgrade, nothing on a bare one. */
async function open(port, { client, request }) {
  const chunks = []
  came.push(chunks)
  /** Until the answer came. */
  let said = ''
  let isUpgraded = request === undefined
  let opened
  const done = new Promise((resolve) => {
    opened = resolve
  })
  const callback = (length, bytes) => {
    if (said === undefined) {
      received += length
      if (isMeasured) chunks.push([now(), Buffer.from(bytes.subarray(0, length))])
      return true
    }
    said += bytes.latin1Slice(0, length)
    if (!isUpgraded && said.includes('\r\n\r\n')) {
      if (!said.startsWith('HTTP/1.1 101')) throw new Error(said)
      isUpgraded = true
      socket.write(textFrame(request))
    }
    if (!said.includes(request === undefined ? 'hello' : '"result"')) return true
    said = undefined
    opened()
    return true
  }
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: SHARED, callback } })
  await once(socket, 'connect')
  socket.write(request === undefined ? String(client) : upgradeRequest())
  await done
}

const SHARED = Buffer.allocUnsafe(256 * 1024)
