import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { CLOSE_REASONS } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caddy, noCaddy, startCaddy } from './testing/start-caddy.ts'

describe.skipIf(noCaddy).each(['Caddyfile', 'one-machine/Caddyfile'])(`deploy/%s${noCaddy}`, (file) => {
  const servers: Server[] = []
  let caddy: Caddy
  let streams = 0

  beforeAll(async () => {
    const isOne = file.startsWith('one-machine')
    const api = await listen('api', isOne)
    const gateway = isOne ? api : await listen('gateway', true)
    caddy = await startCaddy(file, { gateway, api })
    await vi.waitFor(async () => expect(await ask('GET /ok')).toContain('200 OK'), { timeout: 20_000 })
  })
  afterAll(async () => {
    await caddy.stop()
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  /** A server that says who it is; one of streams takes every upgrade. @returns its port */
  async function listen(name: string, takesStreams: boolean): Promise<number> {
    const server = createServer((request, response) => {
      if (request.url?.includes('/lost')) response.destroy()
      else if (!request.url?.startsWith('/v1/stream/')) response.end(name)
      // A stream, of which one message has come so far.
      else {
        response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).write(`{"from":"${name}"}\n`)
        streams++
        response.on('close', () => streams--)
      }
    })
    if (takesStreams) {
      server.on('upgrade', (_request, socket) => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      })
    }
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  /** What Caddy answers to this request, up to some text. */
  function ask(head: string, upTo = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const [target, ...lines] = head.split('\n')
      const socket = connect(caddy.port, '127.0.0.1', () =>
        socket.write([`${target} HTTP/1.1`, 'Host: 127.0.0.1', ...lines, '', ''].join('\r\n')),
      )
      let said = ''
      socket.on('data', (bytes) => {
        said += String(bytes)
        if (!said.includes(upTo)) return
        resolve(said)
        socket.destroy()
      })
      socket.on('error', reject)
    })
  }

  it.each([
    ['Upgrade', 'websocket'],
    ['upgrade', 'WebSocket'],
    ['keep-alive, Upgrade', 'WEBSOCKET'],
    ['UPGRADE', 'Websocket'],
  ])('opens a stream for Connection: %s and Upgrade: %s', async (connection, upgrade) => {
    const answer = await ask(
      `GET /?key=1\nConnection: ${connection}\nUpgrade: ${upgrade}\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==`,
    )

    expect(answer).toContain('101 Switching Protocols')
  })

  it('passes each message of a stream over HTTP on at once, and takes it from a gateway', async () => {
    const text = await ask('GET /v1/stream/swaps?key=1', '{')

    expect(text).toContain(`{"from":"${file.startsWith('one-machine') ? 'api' : 'gateway'}"}`)
    expect(await ask('GET /v1/plan')).toContain('api')
    // Guards the connection limit: a place whose client hung up must be free again.
    await vi.waitFor(() => expect(streams).toBe(0), { timeout: 20_000 })
  })

  // Guards customers: Caddy logs a request that fails, and keys stand in queries and headers.
  it('logs a request that it cannot pass on without its query and headers', async () => {
    expect(await ask('GET /lost?key=SECRET\nX-API-KEY: SECRET')).toContain('502')

    await vi.waitFor(() => expect(caddy.logged()).toContain('"uri":"/lost"'), { timeout: 20_000 })
    expect(caddy.logged()).not.toContain('SECRET')
  })

  // Guards pages: an EventSource stops for good at any other status, and a restart may take longer than Caddy waits.
  it('brings a browser back while its stream cannot be had, and tells programs', async () => {
    const browser = 'GET /v1/stream/lost?key=1\nAccept: text/event-stream\nSec-Fetch-Mode: cors'

    const [answer, ...others] = await Promise.all([
      ask(browser, '}'),
      ask('GET /v1/stream/lost'),
      ask('GET /lost\nAccept: text/event-stream\nSec-Fetch-Mode: cors'),
    ])

    const [head, retry, data] = answer.split(/\r?\n\r?\n/)
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(head).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/i)
    expect(head).toMatch(/\r\nContent-Type: text\/event-stream\r\n/i)
    expect(retry).toBe('retry: 5000')
    const { code, sentence: reason } = CLOSE_REASONS.restart
    expect(data).toBe(`data: ${JSON.stringify({ method: 'connectionClosed', code, reason })}`)
    for (const other of others) expect(other).toMatch(/^HTTP\/1.1 502 /)
  })

  it('keeps what is for the operator to itself', async () => {
    for (const path of ['/metrics', '/healthz', '/readyz']) expect(await ask(`GET ${path}`)).toContain('404')
    expect(await ask('GET /status')).toContain('200 OK')
  })
})
