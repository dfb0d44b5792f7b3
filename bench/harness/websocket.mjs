// The part of a websocket that a client of a benchmark needs: a library would take most of the time.
import { randomBytes } from 'node:crypto'

const TEXT = 1
export const PING = 9

/** The request that opens a websocket. */
export function upgradeRequest(key = '0'.repeat(32)) {
  return `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-API-KEY: ${key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
}

/** A text frame of a client; a mask of zeros leaves the text unchanged. */
export function textFrame(text, mask) {
  return clientFrame(TEXT, Buffer.from(text), { mask })
}

/** Any frame of a client. */
export function clientFrame(opcode, payload, { mask = Buffer.alloc(4), isLast = true } = {}) {
  const head = [(isLast ? 0x80 : 0) | opcode, ...lengthOf(payload.length, 0x80)]
  const masked = mask.readUInt32BE() === 0 ? payload : payload.map((byte, at) => byte ^ mask[at & 3])
  return Buffer.concat([Buffer.from(head), mask, masked])
}

/** A text frame of a server. */
export function serverFrame(payload) {
  return Buffer.concat([Buffer.from([0x80 | TEXT, ...lengthOf(payload.length, 0)]), payload])
}

function lengthOf(length, bit) {
  if (length < 126) return [bit | length]
  if (length < 65_536) return [bit | 126, length >> 8, length & 255]
  return [bit | 127, 0, 0, 0, 0, 0, (length >> 16) & 255, (length >> 8) & 255, length & 255]
}

/** The complete frames of a server in some bytes: start and end of each, and where its payload begins. */
export function* framesIn(bytes) {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const short = bytes[at + 1]
    if (short === 127) return
    const from = at + (short < 126 ? 2 : 4)
    const to = from + (short < 126 ? short : bytes.readUInt16BE(at + 2))
    if (to > bytes.length) return
    yield { opcode: bytes[at] & 15, at, from, to }
    at = to
  }
}

const SIGNATURE = Buffer.from('"signature":"')

/**
 * Decodes what a client was sent, from the chunks in which it arrived: the signature in each frame, and when its last byte
 * arrived.
 *
 * @param chunks milliseconds and bytes of each chunk, in order
 */
export function arrivalsOf(chunks) {
  const bytes = Buffer.concat(chunks.map(([, piece]) => piece))
  const arrivals = []
  let chunk = 0
  let chunkEnd = chunks[0]?.[1].length ?? 0
  for (const { at, to } of framesIn(bytes)) {
    while (chunkEnd < to) chunkEnd += chunks[++chunk][1].length
    const found = bytes.indexOf(SIGNATURE, at)
    if (found < 0 || found >= to) continue
    const from = found + SIGNATURE.length
    arrivals.push([bytes.latin1Slice(from, bytes.indexOf('"', from)), chunks[chunk][0]])
  }
  return arrivals
}
