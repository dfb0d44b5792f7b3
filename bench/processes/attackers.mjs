// Accounts that send the frames of one kind over and over, as fast as their sockets accept them. A closed client reconnects
// as soon as it may. Without a kind it lists the kinds.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'
import { clientFrame, PING, textFrame, upgradeRequest } from '../harness/websocket.mjs'

const { encodeBase58 } = await product('packages/contract/src/index.ts')

/** Bytes of the largest frame that is accepted. */
const FRAME_BYTES = 64 * 1024
const FRAGMENTS = 1_024
/** Milliseconds between two connections of a key: one per second is allowed. */
const RECONNECT_MS = 1_001
/** Not zeros, so that frames must be unmasked. */
const MASK = Buffer.from([1, 2, 3, 4])
const frameOf = (text) => textFrame(text, MASK)
const SUBSCRIBE = frameOf('{"id":1,"method":"swapSubscribe","params":{"include":{"usdValue":1000000000}}}')

const common = { first: listOf(1_000), second: listOf(1_000) }

/** The frames of one connection, by the kind's name in the table; `common` is the same for all connections. */
const KINDS = {
  'filters of 1,000 addresses, two in turn': () => updates(listOf(1_000), listOf(1_000)),
  'the same two filters of 1,000 addresses by all': () => updates(common.first, common.second),
  '8,000 members in 64 KiB': () => [
    filled('{"id":1,"method":"ping",', (at) => `"_${at.toString(36)}":0,`, '"z":0}'),
  ],
  '32,000 numbers in 64 KiB': () => [filled('{"id":1,"method":"ping","x":[', () => '0,', '0]}')],
  'escapes and a fault at the end of 64 KiB': () => [
    filled('{"id":1,"method":"ping","x":"', () => '\\u00e9', '"'),
  ],
  '60 KB of an id': () => [filled('{"method":"ping","id":"', () => 'x', '"}')],
  'requests of 24 bytes': () => [frameOf('{"id":1,"method":"ping"}')],
  'pings of the websocket, empty': () => [clientFrame(PING, Buffer.alloc(0), { mask: MASK })],
  'requests in 1,024 fragments': () => [fragmented('{"id":1,"method":"ping"}')],
  'frames that break the protocol': () => [Buffer.concat([Buffer.from([0x81, 0x05]), Buffer.alloc(65_536)])],
}

const { port, kind, accounts } = args
const floods = new Set()
let isOn = false
let sent = 0
if (kind === undefined) serve({ kinds: Object.keys(KINDS) })
else {
  await Promise.all(
    Array.from({ length: accounts }, (_, number) => {
      const key = number.toString(16).padStart(32, 'a')
      return new Promise((isOpen) => open(key, KINDS[kind](), isOpen))
    }),
  )
  serve(undefined, {
    begin() {
      isOn = true
      for (const flood of floods) flood()
    },
    read: () => ({ sent }),
  })
}

function open(key, frames, isUp) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let next = 0
  let isOpen = false
  const flood = () => {
    if (!isOn || !isOpen) return
    do {
      sent++
      next++
    } while (socket.writable && socket.write(frames[next % frames.length]))
  }
  floods.add(flood)
  socket.on('error', () => {})
  socket.on('drain', flood)
  socket.on('close', () => {
    floods.delete(flood)
    setTimeout(() => open(key, frames, isUp), RECONNECT_MS)
  })
  socket.on('data', (chunk) => {
    if (isOpen) return
    isOpen = chunk.toString('latin1').startsWith('HTTP/1.1 101')
    if (!isOpen) return
    isUp()
    socket.write(SUBSCRIBE)
    flood()
  })
  socket.write(upgradeRequest(key))
}

function listOf(count) {
  return Array.from({ length: count }, () => encodeBase58(randomBytes(32)))
}

/** Updates of a subscription: the first is sent once in vain each time round, which costs next to nothing. */
function updates(...lists) {
  return lists.map((walletAccount) => {
    const params = { subscription_id: 1, params: { include: { walletAccount } } }
    return frameOf(JSON.stringify({ id: 2, method: 'updateSubscriptionParams', params }))
  })
}

function filled(head, pieceAt, tail) {
  let body = head
  for (let at = 0; body.length + pieceAt(at).length + tail.length <= FRAME_BYTES; at++) body += pieceAt(at)
  return frameOf(body + tail)
}

function fragmented(text) {
  const bytes = Buffer.from(text)
  const fragments = Array.from({ length: FRAGMENTS }, (_, at) =>
    clientFrame(at === 0 ? 1 : 0, bytes.subarray(at, at + 1), { mask: MASK, isLast: at === FRAGMENTS - 1 }),
  )
  return Buffer.concat(fragments)
}
