// What the attackers of this benchmark send: for each kind the frames of one connection, sent over and over.
import { randomBytes } from 'node:crypto'
import { register } from 'tsx/esm/api'

register()
const { encodeBase58 } = await import('@pairwire/contract')

/** Bytes of the greatest frame that is taken. */
const FRAME_BYTES = 64 * 1024
const FRAGMENTS = 1_024
const TEXT = 1
const PING = 9

/** Each kind by its name in the table; `common` is the same for all connections. */
export const KINDS = {
  'filters of 1,000 addresses, two in turn': () => updates(listOf(1_000), listOf(1_000)),
  'the same two filters of 1,000 addresses by all': () => updates(common.first, common.second),
  '8,000 members in 64 KiB': () => [
    text(filled('{"id":1,"method":"ping",', (at) => `"_${at.toString(36)}":0,`, '"z":0}')),
  ],
  '32,000 numbers in 64 KiB': () => [text(filled('{"id":1,"method":"ping","x":[', () => '0,', '0]}'))],
  'escapes and a fault at the end of 64 KiB': () => [
    text(filled('{"id":1,"method":"ping","x":"', () => '\\u00e9', '"')),
  ],
  '60 KB of an id': () => [text(filled('{"method":"ping","id":"', () => 'x', '"}'))],
  'requests of 24 bytes': () => [text('{"id":1,"method":"ping"}')],
  'pings of the websocket, empty': () => [frame(PING, Buffer.alloc(0))],
  'requests in 1,024 fragments': () => [fragmented('{"id":1,"method":"ping"}')],
  'frames that break the protocol': () => [Buffer.concat([Buffer.from([0x81, 0x05]), Buffer.alloc(65_536)])],
}

const common = { first: listOf(1_000), second: listOf(1_000) }

function listOf(count) {
  return Array.from({ length: count }, () => encodeBase58(randomBytes(32)))
}

/** A subscribe, then updates: the first frame is sent once in vain each time round, which costs next to nothing. */
function updates(first, second) {
  const update = (walletAccount) =>
    text(
      JSON.stringify({
        id: 2,
        method: 'updateSubscriptionParams',
        params: { subscription_id: 1, params: { include: { walletAccount } } },
      }),
    )
  return [update(first), update(second)]
}

function filled(head, pieceAt, tail) {
  let body = head
  for (let at = 0; ; at++) {
    const piece = pieceAt(at)
    if (body.length + piece.length + tail.length > FRAME_BYTES) return body + tail
    body += piece
  }
}

/** A client's text frame. */
export function text(json) {
  return frame(TEXT, Buffer.from(json))
}

/** A mask that is not of zeros, so that the payload has to be unmasked. */
function frame(opcode, payload, isLast = true) {
  const { length } = payload
  const first = (isLast ? 0x80 : 0) | opcode
  const header =
    length < 126
      ? Buffer.from([first, 0x80 | length])
      : length < 65_536
        ? Buffer.from([first, 0x80 | 126, length >> 8, length & 255])
        : Buffer.from([
            first,
            0x80 | 127,
            0,
            0,
            0,
            0,
            0,
            (length >> 16) & 255,
            (length >> 8) & 255,
            length & 255,
          ])
  const mask = Buffer.from([1, 2, 3, 4])
  const masked = Buffer.from(payload.map((byte, at) => byte ^ mask[at & 3]))
  return Buffer.concat([header, mask, masked])
}

function fragmented(json) {
  const bytes = Buffer.from(json)
  return Buffer.concat(
    Array.from({ length: FRAGMENTS }, (_, at) =>
      frame(at === 0 ? TEXT : 0, bytes.subarray(at, at + 1), at === FRAGMENTS - 1),
    ),
  )
}
