import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPublicPost } from './post-public.ts'
import { CERTIFICATE, KEY } from './testing/certificate.ts'

const MESSAGE = { headers: { 'content-type': 'application/json' }, body: '{"type":"test"}' }

describe('a post to a stranger’s address', () => {
  let server: Server
  let url: string
  let asked: string[]
  let lookups: string[]
  let answer: RequestListener
  let close: () => void
  beforeEach(async () => {
    asked = []
    lookups = []
    answer = (_request, response) => response.end('ok')
    server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
      let body = ''
      request.on('data', (piece) => (body += piece))
      request.on('end', () => {
        asked.push(`${request.method} ${request.headers['content-type']} ${request.url} ${body}`)
        answer(request, response)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `https://receiver.double:${(server.address() as AddressInfo).port}/hook`
  })
  afterEach(() => {
    close()
    server.closeAllConnections()
    server.close()
  })

  const aPost = ({ keptMs = 60_000, isLocal = false, own = ['https://pairwire.example'] } = {}) => {
    const publicPost = createPublicPost({
      ...{ own, isLocal, keptMs, ca: CERTIFICATE },
      resolve: async (host) => {
        lookups.push(host)
        return { address: '127.0.0.1', family: 4 }
      },
    })
    close = publicPost.close
    return publicPost
  }

  it('brings headers and body, and answers status and text', async () => {
    answer = (_request, response) => response.writeHead(503, { 'retry-after': '7' }).end('busy')

    expect(await aPost().post(url, MESSAGE)).toEqual({ status: 503, body: 'busy', retryAfterMs: 7_000 })
    expect(asked).toEqual(['POST application/json /hook {"type":"test"}'])
  })

  it.each([
    ['', undefined],
    ['soon', undefined],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
  ])('reads Retry-After: %s as %s', async (text, retryAfterMs) => {
    answer = (_request, response) => response.writeHead(429, { 'retry-after': text }).end()

    expect(await aPost().post(url, MESSAGE)).toMatchObject({ status: 429, retryAfterMs })
  })

  it('uses a connection again, with one lookup', async () => {
    const { post } = aPost()
    await post(url, MESSAGE)
    await post(url, MESSAGE)

    expect(asked).toHaveLength(2)
    expect(lookups).toEqual(['receiver.double'])
  })

  it('closes a connection at its age, used or not, and looks the name up for the next', async () => {
    const { post } = aPost({ keptMs: 50 })
    const closed = once(server, 'secureConnection').then(([socket]) => once(socket, 'close'))
    await post(url, MESSAGE)
    await closed
    await post(url, MESSAGE)

    expect(lookups).toHaveLength(2)
  })

  it('tries a new connection where a kept one was closed as it was used', async () => {
    const { post } = aPost()
    await post(url, MESSAGE)
    let resets = 1
    answer = (request, response) => (resets-- > 0 ? request.socket.destroy() : response.end('back'))

    expect(await post(url, MESSAGE)).toMatchObject({ status: 200, body: 'back' })
  })

  it('follows no redirect', async () => {
    answer = (_request, response) => response.writeHead(302, { location: '/other' }).end()

    expect(await aPost().post(url, MESSAGE)).toMatchObject({ status: 302 })
    expect(asked).toHaveLength(1)
  })

  it('reads 4 KiB of an endless answer, and closes its connection', async () => {
    const ended = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        const write = () => response.write('x'.repeat(1_000)) && setImmediate(write)
        response.on('drain', write).on('close', resolve)
        write()
      }
    })

    expect(await aPost().post(url, MESSAGE)).toMatchObject({ status: 200, body: 'x'.repeat(4_096) })
    await ended
  })

  it('takes a status whose text does not end in time', async () => {
    answer = (_request, response) => response.write('a')

    expect(await aPost().post(url, { ...MESSAGE, timeLimitMs: 3_000 })).toMatchObject({ status: 200 })
  })

  it.each<[string, RequestListener, string]>([
    ['answers nothing', () => {}, 'No answer within 3 s.'],
    ['trickles its headers', ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nx: '), 'No answer within 3 s.'],
    ['closes', ({ socket }) => socket.destroy(), 'socket hang up'],
    [
      'switches protocols',
      ({ socket }) => socket.end('HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'closed',
    ],
    [
      'sends endless headers',
      ({ socket }) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}`),
      'overflow',
    ],
    ['speaks no HTTP', ({ socket }) => socket.write('hello\r\n\r\n'), 'Parse'],
  ])('fails for a receiver that %s', async (_what, listener, sentence) => {
    answer = listener

    await expect(aPost().post(url, { ...MESSAGE, timeLimitMs: 3_000 })).rejects.toThrow(sentence)
  })

  it('fails where the certificate is another host’s', async () => {
    await expect(aPost().post(url.replace('receiver', 'stranger'), MESSAGE)).rejects.toThrow('altnames')
    expect(asked).toEqual([])
  })

  it.each([
    ['https://hooks.example/a?b=c', true],
    ['https://hooks.example:8443/', true],
    ['https://hooks.example:443/', true],
    ['https://hooks.example:1023/', false],
    ['https://me@hooks.example/', false],
    ['http://hooks.example/', false],
    ['https://pairwire.example/', false],
    ['https://PAIRWIRE.example.:8443/', false],
    ['https://room.pairwire.example/', false],
    ['https://1.1.1.1/', true],
    ['https://[2606:4700::1111]/', true],
    ['https://[::1]/', false],
    ['http://localhost:4000/', false],
    ['hooks.example', false],
    [`https://hooks.example/${'a'.repeat(2_048)}`, false],
  ])('%s may be given: %s', (text, accepted) => {
    expect(aPost({ own: ['https://pairwire.example', 'https://room.pairwire.example'] }).accepts(text)).toBe(
      accepted,
    )
  })

  it.each([
    ['http://localhost:4000/', true],
    ['http://127.0.0.1:4000/', true],
    ['http://[::1]:4000/', true],
    ['http://127.0.0.1:8080/', false],
    ['http://localhost:22/', false],
    ['http://127.0.0.1.example/', false],
    ['http://10.0.0.1:4000/', false],
    ['https://127.0.0.1:4000/', false],
  ])('%s may be given where the service is on this machine: %s', (text, accepted) => {
    expect(aPost({ isLocal: true, own: ['http://localhost:8080'] }).accepts(text)).toBe(accepted)
  })

  it('reaches a script on this machine by plain http where the service is', async () => {
    const script = createHttpServer((_request, response) => response.end('here'))
    script.listen(0, 'localhost')
    await once(script, 'listening')
    const { port } = script.address() as AddressInfo // it listens on a port

    const { post } = aPost({ isLocal: true, own: ['http://localhost:8080'] })

    expect(await post(`http://localhost:${port}/`, MESSAGE)).toMatchObject({ status: 200, body: 'here' })
    script.closeAllConnections()
    script.close()
  })
})
