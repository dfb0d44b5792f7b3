// The receiver: `node receiver.mjs <gateway | naive | tcp> <port> <connections> <one | distinct | filtered>`. Plain sockets that
// count bytes, since a websocket library here would be the bottleneck. One connection is read frame by frame, to see
// that they are whole. With distinct ids each connection has one of its own, from 1 up; filtered ones want one token of
// those that are traded and nine others.
import { connect } from 'node:net'
import { register } from 'tsx/esm/api'
import { textFrame, upgradeRequest } from '../by-hand.mjs'

register()
const { FRAME_BYTES, MARK, MINTS } = await import('./message.mjs')

const [mode, portText, connectionsText, ids] = process.argv.slice(2)
const port = Number(portText)
const connections = Number(connectionsText)
const mark = Buffer.from(MARK)
/** All messages of one chunk in so many are timed. */
const SAMPLE_EVERY = 32

const shared = Buffer.allocUnsafe(256 * 1024)
let bytes = 0
let chunks = 0
let measuring = false
let latencies = []
/** The gateway asks now and then whether a client reads; nobody has to answer within a minute. */
const PING = [0x89, 0]
/** Bytes of the connection that is read whole. */
const probe = []

const frameOfLength = (text) =>
  Buffer.concat([
    Buffer.from([0x81, 0x80 | 126, text.length >> 8, text.length & 255, 0, 0, 0, 0]),
    Buffer.from(text),
  ])

/** Never traded. */
const { encodeBase58 } = await import('@pairwire/contract')
const OTHERS = Array.from({ length: 9 }, (_, at) => encodeBase58(new Uint8Array(32).fill(240 + at)))

const filteredSubscribe = (number) =>
  frameOfLength(
    JSON.stringify({
      id: 1,
      method: 'swapSubscribe',
      params: { include: { baseTokenMint: [MINTS[number % MINTS.length], ...OTHERS] } },
    }),
  )

/** The subscribe that gets this id: the ones before it are used up, since none is given twice. */
const subscribeWithId = (id) => {
  const frames = []
  for (let used = 1; used < id; used++) {
    frames.push(textFrame('{"method":"newPairSubscribe"}'))
    frames.push(textFrame(`{"method":"newPairUnsubscribe","params":{"subscription_id":${used}}}`))
  }
  return Buffer.concat([...frames, textFrame('{"id":1,"method":"swapSubscribe"}')])
}

for (let opened = 0; opened < connections; opened += 100) {
  await Promise.all(Array.from({ length: Math.min(100, connections - opened) }, (_, at) => open(opened + at)))
}
process.send('open')
process.on('disconnect', () => process.exit(0))
process.on('message', (message) => {
  if (message === 'measure') {
    bytes = 0
    latencies = []
    measuring = true
    began = performance.now()
  } else {
    measuring = false
    const seconds = (performance.now() - began) / 1000
    latencies.sort((first, second) => first - second)
    process.send({
      messagesPerSecond: bytes / FRAME_BYTES / seconds,
      p50Ms: latencies[Math.floor(latencies.length * 0.5)],
      p99Ms: latencies[Math.floor(latencies.length * 0.99)],
      ...(ids === 'filtered' ? {} : { probedMessages: readProbe() }),
    })
  }
})
let began = 0

function open(number) {
  return new Promise((resolve, reject) => {
    let greeting = mode === 'tcp' ? undefined : ''
    const id = ids === 'distinct' ? number + 1 : 1
    let answers = mode === 'gateway' ? '' : undefined
    const onread = {
      buffer: shared,
      callback(length, buffer) {
        let from = 0
        if (greeting !== undefined) {
          const had = greeting.length
          greeting += buffer.latin1Slice(0, length)
          const end = greeting.indexOf('\r\n\r\n')
          if (end < 0) return true
          if (!greeting.startsWith('HTTP/1.1 101')) reject(new Error(greeting))
          from = end + 4 - had
          greeting = undefined
          if (mode === 'gateway')
            socket.write(ids === 'filtered' ? filteredSubscribe(number) : subscribeWithId(id))
          else resolve()
        }
        if (answers === undefined) take(number, buffer, from, length)
        else {
          answers = (answers + buffer.latin1Slice(from, length)).slice(-1_000)
          if (!answers.includes(`"id":1,"result":{"subscription_id":${id}}`)) return true
          answers = undefined
          resolve()
        }
        return true
      },
    }
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
    socket.on('error', reject)
    socket.on('connect', () => {
      if (mode === 'tcp') resolve()
      else socket.write(upgradeRequest())
    })
  })
}

/** Counts a chunk. */
function take(number, buffer, from, length) {
  if (length <= from || !measuring) return

  bytes += length - from
  if (number === 0 && mode !== 'tcp') probe.push(Buffer.from(buffer.subarray(from, length)))
  if (chunks++ % SAMPLE_EVERY !== 0) return
  const now = process.hrtime.bigint()
  for (let at = buffer.indexOf(mark, from); at >= 0; at = buffer.indexOf(mark, at + FRAME_BYTES - 1)) {
    if (at + mark.length + 19 > length) return
    const made = BigInt(buffer.latin1Slice(at + mark.length, at + mark.length + 19))
    latencies.push(Number(now - made) / 1e6)
  }
}

/** Whole messages on the first connection; each must be JSON and one slot after the one before. */
function readProbe() {
  const all = Buffer.concat(probe)
  const start = all.indexOf(Buffer.from([0x81, 126, (FRAME_BYTES - 4) >> 8, (FRAME_BYTES - 4) & 255]))
  let messages = 0
  let slot
  for (let at = start; at >= 0 && at + FRAME_BYTES <= all.length; at += FRAME_BYTES, messages++) {
    if (all[at] === PING[0]) at += PING.length
    if (at + FRAME_BYTES > all.length) break
    const message = JSON.parse(all.toString('utf8', at + 4, at + FRAME_BYTES))
    if (slot !== undefined && message.params.slot !== slot + 1)
      throw new Error(`A message is missing after ${slot}.`)
    slot = message.params.slot
  }
  return messages
}
