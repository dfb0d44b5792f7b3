import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { askParts, type HealthParts, healthAnswer, readyAnswer } from './health.ts'
import { ifStillLate, noteRequests } from './late-requests.ts'
import { createLocalCheck } from './local-check.ts'
import { bringsToken, createMetrics, type Metrics, partMetrics } from './metrics.ts'
import { listenFault } from './run-process.ts'

/** Milliseconds in which a request must arrive completely, and bytes of its head: addresses have up to 16 KiB. */
const LIMITS = { requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 32 * 1024 }

/**
 * The server of a part that runs alone: GET /healthz, /readyz and /metrics, as the api answers them, and the sentence
 * `elsewhere` for the rest; with `docsUrl` it redirects to pages of the docs. Websockets are added beside it.
 */
export function createHealthServer(
  parts: HealthParts &
    Readonly<{
      metrics: readonly Metrics[]
      isLocal: boolean
      metricsToken: string | undefined
      elsewhere: string
      docsUrl?: string
    }>,
): Server {
  const metrics = createMetrics([partMetrics(() => askParts(parts)), ...parts.metrics])
  const isFromHere = createLocalCheck(parts)
  const mayReadMetrics = (request: IncomingMessage) =>
    isFromHere({ raw: request, socket: request.socket }) ||
    bringsToken(request.headers.authorization, parts.metricsToken)

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const path = request.url?.split('?')[0]
    if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: parts.elsewhere }
    if (path === '/healthz') return asJson(await healthAnswer(parts))
    if (path === '/readyz') return asJson(readyAnswer(parts.ready()))
    if (path === '/metrics' && mayReadMetrics(request)) {
      return { status: 200, body: await metrics.text(), type: metrics.contentType }
    }
    const page = path?.startsWith('/docs/') && parts.docsUrl && parts.docsUrl + path.slice('/docs'.length)
    if (page) return { status: 302, body: `${page}\n`, headers: { location: page } }
    return { status: 404, body: `${parts.elsewhere}\n` }
  }

  const server = createServer(LIMITS, (request, response) => {
    request.resume()
    answer(request).then(
      (given) => send(response, given, request.method === 'HEAD'),
      () => send(response, { status: 500, body: 'The request could not be answered.\n' }, false),
    )
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') ifStillLate(socket, () => refuse(socket, 408))
    else refuse(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400)
  })
  return server
}

function refuse(socket: Socket, status: 400 | 408 | 431): void {
  if (socket.writable) socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`)
  socket.destroySoon()
}

/** Listens. @throws Error with a sentence that names the variable if it cannot */
export async function listen(server: Server, place: Readonly<{ host: string; port: number }>) {
  noteRequests(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, place)))
    server.listen(place.port, place.host, resolve)
  })
}

/** Closes a server and its open connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

type Answer = Readonly<{ status: number; body: string; type?: string; headers?: { location: string } }>

function asJson({ status, body }: Readonly<{ status: number; body: unknown }>): Answer {
  return { status, body: JSON.stringify(body), type: 'application/json; charset=utf-8' }
}

function send(response: ServerResponse, { status, body, type, headers }: Answer, isHead: boolean): void {
  response.writeHead(status, {
    'content-type': type ?? 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(isHead ? undefined : body)
}
