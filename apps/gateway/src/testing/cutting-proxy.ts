import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Both ends of one connection, and the bytes that it still passes before it is cut. */
type Line = { client: Socket; server: Socket; left: number }

/** A TCP proxy between clients and a service that changes its port: it cuts connections, at any byte. */
export class CuttingProxy {
  #port: number
  readonly #server: Server = createServer((client) => this.#open(client))
  readonly #lines = new Set<Line>()
  /** Bytes after which the next connection is cut. */
  #nextLeft = Number.POSITIVE_INFINITY

  constructor(port = 0) {
    this.#port = port
  }

  /** Listens. @returns the port for clients */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return (this.#server.address() as AddressInfo).port // an address and a port, since it listens on one
  }

  /** Directs new connections to another port. */
  pointTo(port: number): void {
    this.#port = port
  }

  /** Cuts every connection after `afterBytes` more, in either direction; without one, the next. */
  cut(afterBytes = 0): void {
    if (this.#lines.size === 0) this.#nextLeft = afterBytes
    for (const line of this.#lines) {
      line.left = afterBytes
      if (afterBytes === 0) this.#end(line)
    }
  }

  /** Ends only the clients' side: the service does not know that they are gone. */
  orphan(): void {
    for (const { client, server } of this.#lines) {
      server.removeAllListeners('close')
      client.destroy()
    }
    this.#lines.clear()
  }

  async close(): Promise<void> {
    for (const line of this.#lines) this.#end(line)
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #open(client: Socket): void {
    const line: Line = { client, server: connect(this.#port, '127.0.0.1'), left: this.#nextLeft }
    this.#nextLeft = Number.POSITIVE_INFINITY
    this.#lines.add(line)
    for (const [from, to] of [
      [client, line.server],
      [line.server, client],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', (bytes) => {
        if (bytes.length < line.left) {
          line.left -= bytes.length
          if (!to.write(bytes)) from.pause()
        } else {
          if (line.left > 0) to.write(bytes.subarray(0, line.left))
          to.end(() => this.#end(line))
        }
      })
      to.on('drain', () => from.resume())
      from.on('end', () => to.end())
      from.on('error', () => this.#end(line))
      from.on('close', () => this.#end(line))
    }
  }

  #end(line: Line): void {
    this.#lines.delete(line)
    line.client.destroy()
    line.server.destroy()
  }
}
