import { once } from 'node:events'

/** Resolves with the port once the server listens. */
export async function listen(server) {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 })
  await once(server, 'listening')
  return server.address().port
}
