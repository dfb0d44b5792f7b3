import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const isThere = spawnSync('caddy', ['version']).status === 0

describe.skipIf(!isThere).each(['Caddyfile', 'one-machine/Caddyfile'])(
  `deploy/%s${isThere ? '' : ': there is no caddy on the PATH (apt-get install caddy)'}`,
  (file) => {
    const folder = mkdtempSync(join(tmpdir(), 'pairwire-caddy-'))
    const servers: Server[] = []
    let caddy: ChildProcess
    let port: number
    let streams = 0
    let logged = ''

    beforeAll(async () => {
      const isOne = file.startsWith('one-machine')
      const api = await listen('api', isOne)
      const gateway = isOne ? api : await listen('gateway', true)
      port = await listen('nobody', false)
      await new Promise((resolve) => servers.pop()!.close(resolve))
      const config = join(folder, 'Caddyfile')
      const text = readFileSync(new URL(file, import.meta.url), 'utf8')
      // Addresses are of this machine, where others may run a Caddy too; nothing else differs from the file.
      writeFileSync(
        config,
        text
          .replaceAll(/gateway-\d:8080/g, `127.0.0.1:${gateway}`)
          .replace('api:8080', `127.0.0.1:${api}`)
          .replace(/^\{$/m, '{\nadmin off'),
      )
      caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
        env: {
          ...{ PATH: process.env.PATH, HOME: folder },
          ...{ PUBLIC_HOST: `http://127.0.0.1:${port}`, PAIRWIRE: `127.0.0.1:${api}` },
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      caddy.stderr!.on('data', (bytes) => {
        logged += String(bytes)
      })
      await vi.waitFor(async () => expect(await ask('GET /ok')).toContain('200 OK'), { timeout: 20_000 })
    })
    afterAll(async () => {
      const gone = once(caddy, 'exit')
      caddy.kill()
      await gone
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
      rmSync(folder, { recursive: true, force: true })
    })

    /** A server that says who it is; one of streams takes every upgrade. @returns its port */
    async function listen(name: string, takesStreams: boolean): Promise<number> {
      const server = createServer((request, response) => {
        if (request.url?.startsWith('/lost')) response.destroy()
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
        const socket = connect(port, '127.0.0.1', () =>
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

      await vi.waitFor(() => expect(logged).toContain('"uri":"/lost"'), { timeout: 20_000 })
      expect(logged).not.toContain('SECRET')
    })

    it('keeps what is for the operator to itself', async () => {
      for (const path of ['/metrics', '/healthz', '/readyz'])
        expect(await ask(`GET ${path}`)).toContain('404')
      expect(await ask('GET /status')).toContain('200 OK')
    })
  },
)
