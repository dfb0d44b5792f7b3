// The little of a websocket that a client of a bench needs: a library here would take most of the time.
import { randomBytes } from 'node:crypto'

/** What opens a websocket. */
export function upgradeRequest(key = '0'.repeat(32)) {
  return `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-API-KEY: ${key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
}

/** A text frame of a client; a mask of zeros leaves the text as it is. */
export function textFrame(text) {
  const { length } = text
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([0x81, ...size, 0, 0, 0, 0]), Buffer.from(text)])
}
