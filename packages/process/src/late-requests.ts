import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterReading } from '@pairwire/basics'

/** By socket, the last request whose head was whole. */
const newest = new WeakMap<Socket, IncomingMessage>()

/** What {@link ifStillLate} goes by. To be called once the listener for the server's upgrades is there. */
export function noteRequests(server: Server): void {
  const note = (request: IncomingMessage) => newest.set(request.socket, request)
  server.on('request', note)
  // A listener of our own alone would take upgrades from the handler that answers them as plain requests.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', note)
}

/** Refuses a request that Node found late, unless it lay in the kernel, whole, while the process stood still. */
export function ifStillLate(socket: Socket, refuse: () => void): void {
  const known = newest.get(socket)
  const hasHead = known?.complete === false
  afterReading(() => {
    const request = newest.get(socket)
    const isWhole = request?.complete && (hasHead || request !== known)
    if (!isWhole) refuse()
  })
}
