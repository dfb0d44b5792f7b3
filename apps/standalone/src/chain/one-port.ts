import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

/** One port before two servers. */
type OnePort = Readonly<{
  port: number
  /** Starts to forward connections; earlier ones have waited. */
  open(behind: PortsBehind): void
  close(): Promise<void>
}>

/** Ports of this machine that connections are forwarded to. */
type PortsBehind = Readonly<{ http1Port: number; http2Port: number }>

/** The first bytes of an HTTP/2 connection, and of no other. @see https://www.rfc-editor.org/rfc/rfc9113#section-3.4 */
const HTTP2_PREFACE = Buffer.from('PRI ')

/**
 * Listens on one port for HTTP/1.1 and HTTP/2 without TLS, and forwards each connection to its server by the first bytes: an
 * operator has one address to remember.
 */
export async function listenOnOnePort(listenAt: Readonly<{ host: string; port: number }>): Promise<OnePort> {
  const clients = new Set<Socket>()
  let open: (behind: PortsBehind) => void = () => {}
  const opened = new Promise<PortsBehind>((resolve) => {
    open = resolve
  })
  const server = createServer({ pauseOnConnect: true }, async (client) => {
    clients.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => clients.delete(client))
    const { http1Port, http2Port } = await opened
    client.resume()
    client.once('data', (first: Buffer) => {
      const isHttp2 = first.subarray(0, HTTP2_PREFACE.length).equals(HTTP2_PREFACE)
      const behind = connect(isHttp2 ? http2Port : http1Port, '127.0.0.1')
      behind.write(first)
      pipeline(client, behind, () => {})
      pipeline(behind, client, () => {})
    })
  })
  server.listen(listenAt)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    open,
    close: async () => {
      for (const client of clients) client.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
