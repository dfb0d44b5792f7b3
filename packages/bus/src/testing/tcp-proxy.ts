import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy to a port of this machine that can be cut. */
export type TcpProxy = Readonly<{
  port: number
  /** Ends all connections and takes no new ones; with `silently` both sides are left waiting. */
  cut(how?: 'silently'): void
  mend(): void
  close(): Promise<void>
}>

/** Opens a proxy to a port. */
export async function openTcpProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(to, '127.0.0.1')
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(into)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        into.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The proxy has no port.')

  return {
    port: address.port,
    cut(how) {
      isCut = true
      for (const socket of sockets) {
        if (how === 'silently') socket.unpipe().resume()
        else socket.destroy()
      }
    },
    mend() {
      isCut = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
