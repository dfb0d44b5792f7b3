// The clients of this benchmark: `node clients.mjs <gateway's port> <nats-server's websocket port> <of each>`. Plain
// sockets that note when bytes came, and look for the times in them once all is over: a websocket library, or that
// look, would take most of the time.
import { connect } from 'node:net'
import { register } from 'tsx/esm/api'
import { textFrame, upgradeRequest } from '../by-hand.mjs'

register()
const { MARK } = await import('../fanout/message.mjs')

const [port, natsPort, count] = process.argv.slice(2).map(Number)
const mark = Buffer.from(MARK)
const STAMP = 19
/** What came on each socket since it was asked to measure, piece by piece, and when. */
const arrivals = []
let isMeasuring = false
process.on('disconnect', () => process.exit(0))
process.on('message', async (message) => {
  if (message === 'open') {
    for (let opened = 0; opened < count; opened++) {
      await open(port, ['{"id":1,"method":"swapSubscribe"}'], '"id":1,"result"')
      await open(natsPort, ['CONNECT {"verbose":false}\r\nSUB bench.swaps 1\r\nPING\r\n'], 'PONG')
    }
    process.send('open')
  } else if (message === 'measure') isMeasuring = true
  else {
    isMeasuring = false
    process.send({ latencies: arrivals.flatMap((pieces) => latenciesOf(pieces.splice(0))) })
  }
})

/** Opens a websocket, sends frames of text and resolves once the answer to them has come. */
function open(at, frames, answer) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: at, noDelay: true })
    const pieces = []
    arrivals.push(pieces)
    let said = ''
    let isUpgraded = false
    socket.on('error', reject)
    socket.on('connect', () => socket.write(upgradeRequest()))
    socket.on('data', (bytes) => {
      if (isMeasuring) pieces.push({ at: process.hrtime.bigint(), bytes })
      if (said === undefined) return
      said += bytes.toString('latin1')
      if (!isUpgraded && said.includes('\r\n\r\n')) {
        isUpgraded = true
        for (const text of frames) socket.write(textFrame(text))
      }
      if (!said.includes(answer)) return
      said = undefined
      resolve()
    })
  })
}

/** How old each swap was when the last of it came, by the clock that all processes have in common, milliseconds. */
function latenciesOf(pieces) {
  const latencies = []
  let rest = Buffer.alloc(0)
  for (const { at, bytes } of pieces) {
    const all = Buffer.concat([rest, bytes])
    let read = Math.max(0, all.length - mark.length)
    for (let found = all.indexOf(mark); found >= 0; found = all.indexOf(mark, found + mark.length)) {
      const end = found + mark.length + STAMP
      if (end > all.length) {
        read = found
        break
      }
      latencies.push(Number(at - BigInt(all.latin1Slice(found + mark.length, end))) / 1e6)
      read = Math.max(read, end)
    }
    rest = all.subarray(read)
  }
  return latencies
}
