import { once } from 'node:events'
import { createServer } from 'node:net'
import { codeOf } from '../errors.ts'

/** Ports that are tried: below those that a system gives out itself. */
const FIRST = 10_000
const COUNT = 20_000

/** Each test process tries every 64th port only, by its id: a part that is down for a moment keeps its own. */
const STRIPES = 64

/** Ports of the stripe that this process gave last, the oldest first. */
const given: number[] = []
const KEPT = 200

/** A TCP port that is free, and that nobody else gets: neither from the system nor, later, from here. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + STRIPES * Math.floor(Math.random() * (COUNT / STRIPES)) + (process.pid % STRIPES)
    if (given.includes(port)) continue
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error
      continue
    }
    if (given.push(port) > KEPT) given.shift()
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
