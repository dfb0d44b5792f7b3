import { once } from 'node:events'
import { createServer } from 'node:net'
import { codeOf } from '../errors.ts'

/** Ports that are tried: below those that a system gives out itself. */
const FIRST = 10_000
const COUNT = 20_000

/** A TCP port that is free, and that the system gives to nobody else until it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error
      continue
    }
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
