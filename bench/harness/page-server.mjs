// Serves the built dashboard with its strict policy, and a double of the API and of the stream behind it.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { listen } from './listen.mjs'
import { libraryOf } from './product.mjs'

const { WebSocketServer } = libraryOf('apps/gateway', 'ws')

/** The dashboard's own policy, and what its pages may load. */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws:; worker-src 'self'; object-src 'none'; base-uri 'none'"

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Starts the server. `onStream` gets the raw upgraded socket besides its websocket, so that frames can be written as bytes.
 */
export async function servePage({ dist, onStream }) {
  const account = {
    user: { ID: '1', Email: 'mara@example.com', APIKey: 'ab'.repeat(16), CreatedAt: '2026-03-14T00:00:00Z' },
    activeSubscription: {
      planName: 'Pro',
      isFreeTrial: false,
      willCancel: '',
      renewalDate: '2026-12-12T00:00:00Z',
      connectionLimit: 1,
    },
    hasHadFreeTrial: true,
  }
  const answers = {
    '/api/account': account,
    '/api/systemstatus': [],
    '/api/config': { simulated: false, production: false, captcha: { provider: 'altcha' } },
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://127.0.0.1')
    response.setHeader('Content-Security-Policy', POLICY)
    if (pathname.startsWith('/api/')) {
      response.setHeader('Content-Type', 'application/json')
      return response.end(JSON.stringify(answers[pathname] ?? {}))
    }
    const name = extname(pathname) ? pathname : '/index.html'
    try {
      const body = await readFile(join(dist, normalize(name)))
      response.setHeader('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream')
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  const sockets = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    sockets.handleUpgrade(request, socket, head, (ws) => onStream({ socket, ws }))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A session that the dashboard accepts: it reads the expiry and leaves the signature to the server. */
export function sessionToken() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256' })}.${part({ exp: 4_000_000_000 })}.bench`
}
