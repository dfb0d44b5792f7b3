import { once } from 'node:events'
import { request as ask, type ClientRequest, createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** How a connection is answered: accepted, refused with a status, or accepted and closed at once. */
type Welcome = 'open' | 'refuse' | Readonly<{ code: number; reason: string }>

/** One connection of a page to the double. */
export type Connection = Readonly<{
  /** Every frame received, with its bytes read as UTF-8. */
  texts: readonly string[]
  isOpen: () => boolean
  /** Sends one frame, or several in the same turn: text as it is, anything else as JSON. */
  send(...frames: readonly unknown[]): void
  close(code?: number, reason?: string): void
  /** Ends it without a close frame, like a broken network. */
  cut(): void
  /** Stops sending blocks. */
  silence(): void
}>

/** A websocket service that a test controls, at the origin of the pages that use it. */
export type StreamDouble = Readonly<{
  /** Origin of the pages; everything but their websockets comes from the service behind. */
  url: string
  /** The connections made with `key`, in order; refused ones are counted only in `attempts`. */
  connections(key: string): readonly Connection[]
  attempts(key: string): number
  /** How connections with `key` are answered from now on. */
  welcome(key: string, welcome: Welcome): void
  close(): Promise<void>
}>

/**
 * A proxy in front of the service: forwards every call to it, and keeps the websockets to itself. So a page finds the stream
 * where it expects it, under the policy that the service sends.
 */
export async function startStreamDouble(serviceUrl: string): Promise<StreamDouble> {
  const made = new Map<string, Connection[]>()
  const attempts = new Map<string, number>()
  const welcomes = new Map<string, Welcome>()
  const service = new URL(serviceUrl)
  const sockets = new WebSocketServer({ noServer: true })

  const server = createServer((incoming, answer) => {
    const onward: ClientRequest = ask(
      {
        host: service.hostname,
        port: service.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, host: service.host },
      },
      (given: IncomingMessage) => {
        answer.writeHead(given.statusCode ?? 502, given.headers)
        given.pipe(answer)
      },
    )
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  server.on('upgrade', (incoming, socket, head) => {
    socket.on('error', () => {})
    const key = new URL(incoming.url ?? '', 'http://double').searchParams.get('key') ?? ''
    const welcome = welcomes.get(key) ?? 'open'
    attempts.set(key, (attempts.get(key) ?? 0) + 1)
    if (welcome === 'refuse') {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    sockets.handleUpgrade(incoming, socket as Socket, head, (websocket) => {
      made.set(key, [...(made.get(key) ?? []), connectionOf(websocket)])
      if (welcome !== 'open') websocket.close(welcome.code, welcome.reason)
    })
  })
  server.listen(0)
  await once(server, 'listening')

  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`, // a TCP server that listens has one
    connections: (key) => made.get(key) ?? [],
    attempts: (key) => attempts.get(key) ?? 0,
    welcome: (key, welcome) => void welcomes.set(key, welcome),
    close: async () => {
      for (const connection of [...made.values()].flat()) connection.cut()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Milliseconds between two frames of the block feed. */
const BEAT_MS = 500

function connectionOf(websocket: WebSocket): Connection {
  const texts: string[] = []
  websocket.on('message', (data) => texts.push(data.toString()))
  websocket.on('error', () => {})
  // A block feed that names no block: the console neither shows it nor considers the stream quiet.
  const beat = setInterval(() => websocket.send('{"method":"latestBlockNotification"}'), BEAT_MS)
  websocket.on('close', () => clearInterval(beat))
  return {
    texts,
    isOpen: () => websocket.readyState === websocket.OPEN,
    send: (...frames) => {
      for (const frame of frames) websocket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    },
    close: (code, reason) => websocket.close(code, reason),
    cut: () => websocket.terminate(),
    silence: () => clearInterval(beat),
  }
}
