import { readdirSync } from 'node:fs'
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { createPublicFetch, createPublicResolver } from '@pairwire/public-fetch'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLogoFolder } from './logo-folder.ts'
import { createLogos, FAILED_FOR_MS } from './logos.ts'
import { redraw } from './redraw.ts'

const PNG = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#00627a' } })
  .png()
  .toBuffer()
const TIFF = await sharp(PNG).tiff().toBuffer()

describe('logos', () => {
  let server: Server
  let folder: string
  let asked: string[]
  let answer: RequestListener
  beforeEach(async () => {
    folder = aFolder()
    asked = []
    answer = (_request, response) => response.end(PNG)
    server = createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`)
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Logos for which hosts that end in `.double` are on this machine; every other host is checked as usual. */
  const setUp = ({ timeLimitMs = 5_000, names = [] as string[] } = {}) => {
    const now = { at: 0 }
    const { port } = server.address() as AddressInfo // an address and a port, since it listens on one
    const ask = { resolve4: (async () => names) as never, resolve6: (async () => []) as never }
    const resolvePublic = createPublicResolver(ask)
    const fetchPicture = createPublicFetch({
      sizeLimit: 1024 * 1024,
      accept: 'image/png',
      resolve: async (host) =>
        host.endsWith('.double') ? { address: '127.0.0.1', family: 4, port } : resolvePublic(host),
      request: ({ hostname, pathname, search }, options) =>
        httpRequest({ ...options, protocol: 'http:', hostname, path: `${pathname}${search}` }),
      timeLimitMs,
    })
    const logos = createLogos({ fetchPicture, redraw, folder: openLogoFolder(folder), elapsed: () => now.at })
    return { logos, now }
  }
  const redirectTo = (location: string) => {
    answer = (request, response) => {
      if (request.url === '/a.png') response.writeHead(302, { location }).end()
      else response.end(PNG)
    }
  }

  it('are redrawn as a WebP of 64 pixels', async () => {
    const logo = await setUp().logos.get('https://logo.double/a.png')

    expect(await sharp(logo).metadata()).toMatchObject({ format: 'webp', width: 64, height: 64 })
  })

  it.each(['jpeg', 'gif', 'webp'] as const)('may be %s, whatever the content type', async (format) => {
    const picture = await sharp(PNG).toFormat(format).toBuffer()
    answer = (_request, response) => response.setHeader('content-type', 'text/html').end(picture)

    expect(await setUp().logos.get('https://logo.double/a.png')).toBeDefined()
  })

  it.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['HTML', Buffer.from('<script>alert(1)</script>')],
    ['TIFF', TIFF],
    ['nothing', Buffer.alloc(0)],
    ['a PNG that ends early', PNG.subarray(0, 90)],
    ['a PNG in name only', Buffer.concat([PNG.subarray(0, 8), Buffer.from('<svg/>')])],
    ['a picture of a billion pixels', bomb(32_000, 32_000)],
  ])('are not made from %s', async (_name, bytes) => {
    answer = (_request, response) => response.setHeader('content-type', 'image/png').end(bytes)

    expect(await setUp().logos.get('https://logo.double/a.png')).toBeUndefined()
  })

  it('are not made from more than a megabyte, announced or sent', async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(1024 * 1024)])
    answer = (request, response) => {
      if (request.url === '/said') response.setHeader('content-length', large.length)
      response.write(large)
      response.end()
    }
    const { logos } = setUp()

    expect(await logos.get('https://logo.double/said')).toBeUndefined()
    expect(await logos.get('https://logo.double/sent')).toBeUndefined()
  })

  it('time out if the whole fetch takes too long, even if bytes keep trickling in', async () => {
    const { logos } = setUp({ timeLimitMs: 50 })
    answer = (request, response) => {
      if (request.url === '/trickle') response.write(PNG.subarray(0, 20))
      if (request.url?.startsWith('/round')) response.writeHead(302, { location: '/silent' }).end()
    }

    for (const path of ['/silent', '/trickle', '/round']) {
      expect(await logos.get(`https://logo.double${path}`)).toBeUndefined()
    }
  })

  it('follow three redirects and no fourth', async () => {
    answer = (request, response) => {
      const left = Number(request.url?.slice(1))
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
      else response.end(PNG)
    }
    const { logos } = setUp()

    expect(await logos.get('https://logo.double/3')).toBeDefined()
    expect(await logos.get('https://logo.double/4')).toBeUndefined()
  })

  it.each([
    'https://127.0.0.1/x.png',
    'https://[::1]/x.png',
    'https://2130706433/x.png',
    'https://0x7f.1/x.png',
    'https://private.example/x.png',
    'http://logo.double/x.png',
    'https://logo.double:8080/x.png',
    'file:///etc/passwd',
    'https://',
  ])('do not follow a redirect to %s', async (location) => {
    redirectTo(location)

    expect(await setUp({ names: ['10.0.0.1'] }).logos.get('https://logo.double/a.png')).toBeUndefined()
    expect(asked).toHaveLength(1)
  })

  it('connect to the checked address, even if the name resolves to another one later', async () => {
    const answers = [['192.0.9.1'], ['127.0.0.1']]
    let questions = 0
    const places: unknown[] = []
    const resolve = createPublicResolver({
      resolve4: (async () => answers[questions++]) as never,
      resolve6: (async () => []) as never,
    })
    const fetchPicture = createPublicFetch({
      sizeLimit: 1024 * 1024,
      accept: 'image/png',
      resolve,
      request: (url, options) => {
        options.lookup?.(url.hostname, { all: true }, (_error, found) => places.push(found))
        options.lookup?.(url.hostname, {}, (_error, found) => places.push(found))
        // As Node would connect: to the result of the look-up; the test goes no further.
        return httpRequest({ host: '127.0.0.1', port: 1, signal: AbortSignal.abort() })
      },
    })

    await expect(fetchPicture(new URL('https://rebind.example/a.png'))).rejects.toThrow()
    expect(places).toEqual([[{ address: '192.0.9.1', family: 4 }], '192.0.9.1'])
    expect(questions).toBe(1)
  })

  it('are fetched once for all requests, and then kept on disk', async () => {
    const { logos } = setUp()
    const url = 'https://logo.double/a.png'

    await Promise.all([logos.get(url), logos.get(url), logos.get(url)])
    const again = await setUp().logos.get(url)

    expect(asked).toHaveLength(1)
    expect(again?.toString('latin1', 8, 12)).toBe('WEBP')
  })

  it('are tried again a minute after a failure, and not before', async () => {
    const { logos, now } = setUp()
    answer = (_request, response) => response.writeHead(500).end()
    await logos.get('https://logo.double/a.png')
    answer = (_request, response) => response.end(PNG)

    now.at = FAILED_FOR_MS - 1
    expect(await logos.get('https://logo.double/a.png')).toBeUndefined()
    now.at = FAILED_FOR_MS
    expect(await logos.get('https://logo.double/a.png')).toBeDefined()
    expect(asked).toHaveLength(2)
  })

  it('are fetched for a whole page at once, then twenty a second; beyond that there is none for now', async () => {
    const { logos, now } = setUp()
    const urls = Array.from({ length: 105 }, (_, index) => `https://logo.double/${index}`)
    const more = Array.from({ length: 25 }, (_, index) => `https://logo.double/more/${index}`)

    const first = await Promise.all(urls.map((url) => logos.get(url)))
    now.at = 1_000
    const second = await Promise.all(more.map((url) => logos.get(url)))
    now.at = 2_000
    const third = await Promise.all(more.map((url) => logos.get(url)))

    expect(first.filter(Boolean)).toHaveLength(100)
    expect(second.filter(Boolean)).toHaveLength(20)
    expect(third.filter(Boolean)).toHaveLength(25)
  })
})

describe('the folder of logos', () => {
  it('removes the least recently used beyond its size, and touches no other file', async () => {
    const folder = aFolder()
    const name = (letter: string) => letter.repeat(64)
    const logos = openLogoFolder(folder, 250)
    for (const letter of ['a', 'b']) await logos.write(name(letter), Buffer.alloc(100))
    await logos.read(name('a'))

    await logos.write(name('c'), Buffer.alloc(100))

    expect(readdirSync(folder).sort()).toEqual([name('a'), name('c')])
    expect(await openLogoFolder(folder, 250).read('../secret')).toBeUndefined()
  })

  it('does no harm while it cannot be written', async () => {
    const logos = openLogoFolder(`${import.meta.filename}/below-a-file`)

    await logos.write('a'.repeat(64), PNG)

    expect(await logos.read('a'.repeat(64))).toBeUndefined()
  })
})

/** A PNG of one colour: a few kilobytes that would take gigabytes to decode. */
function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 0, 0, 0, 0], 8)
  return Buffer.concat([
    PNG.subarray(0, 8),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(4_000_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
