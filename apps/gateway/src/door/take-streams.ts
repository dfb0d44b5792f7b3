import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { takeUpgrades } from './upgrade-request.ts'

/** What a gateway answers of a server's requests. */
export type GatewayDoors = Readonly<{
  /** Handles an `upgrade` event of an HTTP server. Never throws or rejects. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Answers a request for a stream over HTTP; false for any other. Never throws. */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean
}>

/** Passes a server's upgrades, and its requests for streams, to a gateway. Call it before the server listens. */
export function takeStreams(server: Server, { handleUpgrade, handleRequest }: GatewayDoors): void {
  takeUpgrades(server, handleUpgrade)
  const others = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (handleRequest(request, response)) return
    for (const other of others) other.call(server, request, response)
  })
}
