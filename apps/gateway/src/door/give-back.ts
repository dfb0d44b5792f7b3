import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Headers that request the other protocol; without them it is a plain request. */
const UPGRADE_HEADERS = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * Returns a request with another `Upgrade` (curl and Java send `h2c` with plain requests) to the HTTP server it came
 * to: puts its head, without that header, before the unread bytes, and hands the socket over as a new connection, so
 * that a body is read too. The connection ends with the answer.
 *
 * @param head bytes read after the request's head
 * @returns false when the socket belongs to no HTTP server
 * @see https://nodejs.org/docs/latest-v20.x/api/http.html#event-connection
 */
export function giveBack(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
  const server = 'server' in socket ? socket.server : undefined
  if (!isServer(server)) return false

  const { method, url, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  lines.push('Connection: close', '', '')
  socket.unshift(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), head]))
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
  return true
}

/** The servers of `node:http` and `node:https`, which share no class. */
function isServer(server: unknown): server is EventEmitter {
  return typeof server === 'object' && server !== null && 'emit' in server
}
