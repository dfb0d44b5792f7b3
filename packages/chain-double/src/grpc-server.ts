import { once } from 'node:events'
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'

/** gRPC status codes that the doubles answer with. @see https://grpc.io/docs/guides/status-codes/ */
export const STATUS = {
  ok: 0,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** One call of a client, unary or streaming. */
export type GrpcCall = Readonly<{
  headers: IncomingHttpHeaders
  /** Accepts the call, before there is anything to send. */
  accept(): void
  /** Sends a message. @returns false while the client does not keep up */
  write(message: Buffer): boolean
  /** Sends these bytes unchanged, including framing. */
  writeRaw(bytes: Buffer): void
  /** Bytes that the client has not taken yet. */
  queued(): number
  /** Ends the call with a status and its sentence. */
  end(status: number, message?: string): void
  /** Aborts the call without a status. */
  destroy(): void
  onMessage(listener: (message: Buffer) => void): void
  onClose(listener: () => void): void
}>

/** A listening server. */
export type GrpcServer = Readonly<{
  port: number
  /** Breaks every connection, as a network does. */
  dropConnections(): void
  close(): Promise<void>
}>

/** How a server listens and answers. */
export type GrpcServerOptions = Readonly<{
  host?: string
  port?: number
  /** Compresses what it sends. */
  gzip?: boolean
  tls?: Readonly<{ key: string; cert: string }>
}>

/**
 * Starts a gRPC server on Node's HTTP/2, so that a test can reach every frame. `handlers` are by path,
 * `/package.Service/Method`.
 *
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export async function serveGrpc(
  handlers: Readonly<Record<string, (call: GrpcCall) => void>>,
  options: GrpcServerOptions = {},
): Promise<GrpcServer> {
  const { host = '127.0.0.1', port = 0, gzip = false, tls } = options
  const settings = { initialWindowSize: 1 << 20 }
  const server = tls ? createSecureServer({ ...tls, settings }) : createServer({ settings })
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  server.on('sessionError', () => {})
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  ;(server as Http2Server).on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const handler = handlers[String(headers[':path'])]
    const call = openCall(stream, headers, gzip)
    if (handler) handler(call)
    else call.end(STATUS.unimplemented, `There is no ${headers[':path']}.`)
  })
  server.listen(port, host)
  await once(server, 'listening')

  const dropConnections = () => {
    for (const session of sessions) session.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    dropConnections,
    close: async () => {
      dropConnections()
      // A closed session waits for its client to hang up, and rarely one never does.
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function openCall(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, gzip: boolean): GrpcCall {
  const isGzip = gzip && String(headers['grpc-accept-encoding'] ?? '').includes('gzip')
  let ended: { status: number; message: string } | undefined
  let pending = Buffer.alloc(0)
  const listeners: ((message: Buffer) => void)[] = []
  const unheard: Buffer[] = []

  stream.on('error', () => {})
  const take = (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 5 && pending.length >= 5 + pending.readUInt32BE(1)) {
      const end = 5 + pending.readUInt32BE(1)
      const body = pending.subarray(5, end)
      const message = pending[0] === 1 ? gunzipSync(body) : body
      pending = pending.subarray(end)
      if (listeners.length === 0) unheard.push(message)
      for (const listener of listeners) listener(message)
    }
  }
  stream.on('data', (chunk: Buffer) => {
    try {
      take(chunk)
    } catch {
      end(STATUS.invalidArgument, 'The message cannot be read.')
    }
  })

  const respond = () => {
    if (stream.headersSent || stream.destroyed) return
    stream.on('wantTrailers', () => {
      const { status, message } = ended ?? { status: STATUS.ok, message: '' }
      stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': percentEncode(message) })
    })
    const head = { ':status': 200, 'content-type': 'application/grpc' }
    stream.respond(isGzip ? { ...head, 'grpc-encoding': 'gzip' } : head, { waitForTrailers: true })
  }

  const end = (status: number, message = '') => {
    if (ended || stream.destroyed) return
    ended = { status, message }
    respond()
    stream.end()
  }

  return {
    headers,
    accept: respond,
    write(message) {
      if (stream.destroyed || ended) return false
      respond()
      return stream.write(frame(isGzip ? gzipSync(message) : message, isGzip))
    },
    writeRaw(bytes) {
      if (stream.destroyed || ended) return
      respond()
      stream.write(bytes)
    },
    queued: () => stream.writableLength,
    end,
    destroy: () => void stream.destroy(),
    onMessage(listener) {
      listeners.push(listener)
      for (const message of unheard.splice(0)) listener(message)
    },
    onClose: (listener) => void stream.on('close', listener),
  }
}

/** Encodes a status message: all except printable ASCII, and the percent sign, by their bytes. */
function percentEncode(text: string): string {
  return text.replace(/[^ -~]|%/gu, (character) => encodeURIComponent(character))
}

/** Frames a message: whether it is compressed, its length, its bytes. */
export function frame(message: Buffer, isCompressed = false): Buffer {
  const head = Buffer.alloc(5)
  head[0] = isCompressed ? 1 : 0
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
