import { type IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Hands a request with another `Upgrade` (curl and Java send `h2c` with plain requests) back to the HTTP server it
 * came to, which answers it as if the header were not there. The connection ends with the answer.
 *
 * @returns false when the socket belongs to no HTTP server
 * @see https://nodejs.org/docs/latest-v20.x/api/http.html#event-upgrade_1
 */
export function giveBack(request: IncomingMessage, socket: Duplex): boolean {
  const server = 'server' in socket ? socket.server : undefined
  if (!isHttpServer(server)) return false

  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket) // what an HTTP server accepts is a net.Socket or a TLS one
  response.on('finish', () => socket.end())
  server.emit('request', request, response)
  return true
}

/** An `https.Server` is none by class, but emits the same. */
function isHttpServer(server: unknown): server is Server {
  return server instanceof Server || (typeof server === 'object' && server !== null && 'emit' in server)
}
