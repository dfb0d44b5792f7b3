import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP connection to a server that can be cut. */
export type CutLine = Readonly<{
  port: number
  /** Breaks every connection and accepts none until it is mended. */
  cut(): void
  mend(): void
  close(): Promise<void>
}>

/** Opens a proxy to a port of this machine, or to the socket at a path. */
export async function openCutLine(target: number | string): Promise<CutLine> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target)
    const pair = [near, far]
    for (const socket of pair) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        for (const other of pair) other.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('No port.')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    cut,
    mend() {
      isCut = false
    },
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
