// Clients that read: plain sockets, since a websocket library here would be the bottleneck. `looks` is what they measure:
// `bytes` counts them; `times` is the age of the messages in every `every`th chunk when it was read; `arrivals` is when each
// event arrived, computed at the end. `isProbed` parses all of the first connection: each message must be JSON, and follow
// the one before.
import { once } from 'node:events'
import { connect } from 'node:net'
import { now } from '../harness/clock.mjs'
import { FRAME_BYTES, MARK, STAMP_DIGITS } from '../harness/events.mjs'
import { args, serve } from '../harness/serve.mjs'
import { arrivalsOf, framesIn, textFrame, upgradeRequest } from '../harness/websocket.mjs'

const { looks = 'bytes', every = 1, isProbed = false } = args
const AT_ONCE = 100
const mark = Buffer.from(MARK)
const scratch = Buffer.allocUnsafe(256 * 1024)
let bytes = 0
let pieces = 0
let latencies = []
let isMeasuring = false
let began = 0
/** By client, the kept chunks, and when they arrived. */
const kept = []

serve(undefined, {
  /**
   * Opens this many clients: each connects to `port`, as a websocket unless it `isRaw`, sends its `texts`, and is open once
   * the received text contains `answer`.
   */
  async open({ count = 1, client, atOnce = AT_ONCE }) {
    for (let left = count; left > 0; left -= atOnce)
      await Promise.all(Array.from({ length: Math.min(left, atOnce) }, () => open(client)))
  },
  begin() {
    bytes = 0
    latencies = []
    for (const chunks of kept) chunks.length = 0
    isMeasuring = true
    began = performance.now()
  },
  read() {
    isMeasuring = false
    const seconds = (performance.now() - began) / 1000
    return {
      bytes,
      messages: bytes / FRAME_BYTES,
      messagesPerSecond: bytes / FRAME_BYTES / seconds,
      latencies,
      ...(isProbed ? { probedMessages: readProbe() } : {}),
      ...(looks === 'arrivals' ? { arrivals: kept.flatMap(arrivalsOf) } : {}),
    }
  },
})

async function open({ port, key, isRaw = false, texts = [], answer }) {
  const chunks = []
  kept.push(chunks)
  const isKept = looks === 'arrivals' || (isProbed && kept.length === 1)
  let said = ''
  let isUpgraded = isRaw
  let resolve
  const opened = new Promise((done) => {
    resolve = done
  })
  const say = () => {
    for (const text of texts) socket.write(isRaw ? text : textFrame(text))
    if (answer === undefined) isOpen()
  }
  const isOpen = () => {
    said = undefined
    resolve()
  }
  const callback = (length, buffer) => {
    if (said === undefined) {
      if (isMeasuring) take(buffer, length)
      if (isMeasuring && isKept) chunks.push([now(), Buffer.from(buffer.subarray(0, length))])
      return true
    }
    said += buffer.latin1Slice(0, length)
    if (!isUpgraded && said.includes('\r\n\r\n')) {
      if (!said.startsWith('HTTP/1.1 101')) throw new Error(said)
      isUpgraded = true
      say()
    }
    if (said !== undefined && isUpgraded && answer !== undefined && said.includes(answer)) isOpen()
    return true
  }
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: scratch, callback } })
  await once(socket, 'connect')
  if (isRaw) say()
  else socket.write(upgradeRequest(key))
  await opened
}

function take(buffer, length) {
  bytes += length
  if (looks !== 'times' || pieces++ % every !== 0) return
  const read = process.hrtime.bigint()
  for (
    let at = buffer.indexOf(mark);
    at >= 0 && at < length;
    at = buffer.indexOf(mark, at + FRAME_BYTES - 1)
  ) {
    const end = at + mark.length + STAMP_DIGITS
    if (end > length) return
    latencies.push(Number(read - BigInt(buffer.latin1Slice(at + mark.length, end))) / 1e6)
  }
}

/** Complete messages on the first connection. */
function readProbe() {
  const all = Buffer.concat(kept[0].map(([, piece]) => piece))
  const start = all.indexOf(Buffer.from([0x81, 126, (FRAME_BYTES - 4) >> 8, (FRAME_BYTES - 4) & 255]))
  let messages = 0
  let last
  for (const { opcode, from, to } of start < 0 ? [] : framesIn(all.subarray(start))) {
    // The gateway pings now and then; nobody must answer within a minute.
    if (opcode !== 1) continue
    const { params } = JSON.parse(all.toString('utf8', start + from, start + to))
    const number = Number(params.swap.baseAmount)
    if (last !== undefined && number !== last + 1) throw new Error(`A message is missing after ${last}.`)
    last = number
    messages++
  }
  return messages
}
