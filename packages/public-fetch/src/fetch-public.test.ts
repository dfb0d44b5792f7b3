import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPublicFetch } from './fetch-public.ts'
import { createPublicResolver } from './public-resolver.ts'

const PAGE = Buffer.from('{"name":"Nut"}')
const LIMIT = 256 * 1024
/** As small as at the best quality, where zeros take two seconds. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const NAME = 'So11111111111111111111111111111111111111112'

describe('fetching a stranger’s file', () => {
  let server: Server
  let port: number
  let asked: string[]
  let answer: RequestListener
  beforeEach(async () => {
    asked = []
    answer = (_request, response) => response.end(PAGE)
    server = createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`)
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port // it listens on a port
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Hosts that end in `.double` are on this machine; every other one is looked up as usual, with these answers. */
  const aFetch = ({ timeLimitMs = 5_000, addresses = [] as string[] } = {}) => {
    const resolvePublic = createPublicResolver({
      resolve4: (async () => addresses.splice(0, 1)) as never,
      resolve6: (async () => []) as never,
    })
    return createPublicFetch({
      resolve: async (host) =>
        host.endsWith('.double') ? { address: '127.0.0.1', family: 4, port } : resolvePublic(host),
      sizeLimit: LIMIT,
      accept: 'application/json',
      takes: (type) => !type.startsWith('video/'),
      own: { prefix: `http://localhost:${port}/dev/tokens/`, address: '127.0.0.1', port },
      timeLimitMs,
      request: ({ hostname, pathname, search }, options) =>
        httpRequest({ ...options, protocol: 'http:', hostname, path: `${pathname}${search}` }),
    })
  }
  const url = (path = '/') => new URL(`https://host.double${path}`)

  it.each([
    ['gzip', gzipSync(PAGE)],
    ['deflate', deflateSync(PAGE)],
    ['br', brotliCompressSync(PAGE)],
  ])('unpacks %s, which some hosts apply unasked', async (coding, body) => {
    answer = (_request, response) => response.setHeader('content-encoding', coding).end(body)

    expect(await aFetch()(url())).toEqual(PAGE)
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['br', brotliCompressSync(Buffer.alloc(64 * 1024 * 1024), QUICKLY)],
  ])('stops a bomb of %s at the size limit, whatever would follow', async (coding, body) => {
    answer = (_request, response) => response.setHeader('content-encoding', coding).end(body)
    const before = process.memoryUsage().arrayBuffers

    await expect(aFetch()(url())).rejects.toThrow('too large')

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
  })

  it('refuses an unknown coding, and bytes that do not match the coding', async () => {
    answer = (request, response) =>
      response.setHeader('content-encoding', request.url === '/zstd' ? 'zstd' : 'gzip').end(PAGE)

    await expect(aFetch()(url('/zstd'))).rejects.toThrow('unknown')
    await expect(aFetch()(url('/gzip'))).rejects.toThrow('header')
  })

  it('times out on a compressed answer that trickles in', async () => {
    answer = (_request, response) =>
      response.setHeader('content-encoding', 'gzip').write(gzipSync(PAGE).subarray(0, 12))

    await expect(aFetch({ timeLimitMs: 100 })(url())).rejects.toThrow()
  })

  it('rejects a file whose announced size is unknown and whose end does not come in time', async () => {
    answer = (request) => request.socket.write('HTTP/1.1 200 OK\r\n\r\n{"name":')

    await expect(aFetch({ timeLimitMs: 100 })(url())).rejects.toThrow()
  })

  it('rejects an answer that changes the protocol', async () => {
    const change = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
    answer = (request) => request.socket.write(change)

    await expect(aFetch()(url())).rejects.toThrow('without an answer')
  })

  it('rejects another type, and a file that is too large, announced or sent', async () => {
    const large = Buffer.alloc(LIMIT + 1)
    answer = (request, response) => {
      if (request.url === '/video') response.setHeader('content-type', 'video/mp4').end(PAGE)
      else if (request.url === '/said') response.setHeader('content-length', large.length).end(large)
      else response.write(large)
    }

    await expect(aFetch()(url('/video'))).rejects.toThrow('not a file of this type')
    await expect(aFetch()(url('/said'))).rejects.toThrow('too large')
    await expect(aFetch()(url('/sent'))).rejects.toThrow('too large')
  })

  it.each([
    'http://host.double/',
    'https://127.0.0.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://inward.example/',
    'https://host.double:8080/',
  ])('follows no redirect to %s', async (location) => {
    answer = (request, response) =>
      request.url === '/' ? response.writeHead(302, { location }).end() : response.end(PAGE)

    await expect(aFetch({ addresses: ['10.0.0.1'] })(url())).rejects.toThrow()
    expect(asked).toHaveLength(1)
  })

  // Guards the network around the service.
  it('resolves a name once, so that a change before the connection gains nothing', async () => {
    const addresses = ['127.0.0.1', '1.1.1.1']

    await expect(aFetch({ addresses })(new URL('https://rebinding.example/'))).rejects.toThrow('public')

    expect(addresses).toEqual(['1.1.1.1'])
    expect(asked).toEqual([])
  })

  it('accepts plain http only from our own pages', async () => {
    const own = new URL(`http://localhost:${port}/dev/tokens/${NAME}.json`)

    expect(await aFetch()(own)).toEqual(PAGE)
    expect(asked).toEqual([`localhost:${port}/dev/tokens/${NAME}.json`])
  })
})
