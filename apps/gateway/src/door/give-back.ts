import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Headers that ask for the other protocol; without them the request is a plain one. */
const UPGRADE_HEADERS = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * Hands a request with another `Upgrade` (curl and Java send `h2c` with plain requests) back to the HTTP server it
 * came to. Its head is put before what is still unread, without the header, and the socket is given to the server
 * as a new connection: so a body is read too. The connection ends with the answer.
 *
 * @param head what was read beyond the request's head
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

/** The servers of `node:http` and `node:https`, which have no class in common. */
function isServer(server: unknown): server is EventEmitter {
  return typeof server === 'object' && server !== null && 'emit' in server
}
