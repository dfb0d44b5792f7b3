import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Gateway } from '../gateway.ts'
import { takeUpgrades } from './upgrade-request.ts'

/** What a gateway answers of a server's requests. */
type Doors = Pick<Gateway, 'handleUpgrade' | 'handleRequest'>

/** Passes a server's upgrades, and its requests for streams, to a gateway. Call it before the server listens. */
export function takeStreams(server: Server, { handleUpgrade, handleRequest }: Doors): void {
  takeUpgrades(server, handleUpgrade)
  const others = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (handleRequest(request, response)) return
    for (const other of others) other.call(server, request, response)
  })
}
