import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterReading } from '@pairwire/basics'

/** The last request with a complete head, by socket. */
const newest = new WeakMap<Socket, IncomingMessage>()

/** State of {@link ifStillLate}. Call it after the listener for the server's upgrades was added. */
export function noteRequests(server: Server): void {
  const note = (request: IncomingMessage) => newest.set(request.socket, request)
  server.on('request', note)
  // Our listener alone would take upgrades from the handler that answers them as plain requests.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', note)
}

/** Refuses a request that Node found late, unless the kernel held all of it while the process stood still. */
export function ifStillLate(socket: Socket, refuse: () => void): void {
  const known = newest.get(socket)
  const hasHead = known?.complete === false
  afterReading(() => {
    const request = newest.get(socket)
    const isWhole = request?.complete && (hasHead || request !== known)
    if (!isWhole) refuse()
  })
}
