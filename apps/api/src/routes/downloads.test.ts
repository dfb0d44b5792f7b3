import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { StorageAwayError } from '@pairwire/archive'
import { HOUR_MS, hourName } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createDeliveryUnderTest } from '../testing/delivery-under-test.ts'

describe('GET /archive/download/{hour}', () => {
  it.each(['zip', 'swaps', 'pairs', 'blocks'])('200 sends the %s of an hour with its hash', async (kind) => {
    const { download, names, app, token } = await createDeliveryUnderTest()
    const name = kind === 'zip' ? names[2]! : `${names[2]}.${kind}.parquet`
    const content = `${kind} of ${names[2]}`
    const sha256 = createHash('sha256').update(content).digest('hex')

    const answer = await download(name)

    expect([answer.statusCode, answer.body]).toEqual([200, content])
    const headers = {
      'content-length': String(content.length),
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
      'content-disposition': `attachment; filename="${kind === 'zip' ? `${name}.zip` : name}"`,
      'cache-control': 'private',
      'access-control-allow-origin': '*',
    }
    expect(answer.headers).toMatchObject(headers)
    const head = await app.inject({ method: 'HEAD', url: `/archive/download/${name}?token=${token}` })
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect(head.headers).toMatchObject(headers)
  })

  it('200 sends the manifest, the same one that everybody may read', async () => {
    const { download, names, app, kept } = await createDeliveryUnderTest()

    const answer = await download(`${names[0]}.json`)
    const open = await app.inject(`/archive/manifest/${names[0]}`)

    expect(answer.json()).toEqual(await kept.find('simulator', names[0]!))
    expect(open.json()).toEqual(answer.json())
    expect((await app.inject('/archive/manifest/20200101-000000')).json().errorType).toBe('HOUR_MISSING')
    expect((await app.inject('/archive/manifest/..%2f..%2fsecrets')).statusCode).toBe(404)
  })

  it('206 sends a range, and the whole file if If-Range names another one', async () => {
    const { download, names } = await createDeliveryUnderTest()
    const whole = await download(names[0]!)
    const etag = String(whole.headers.etag)
    const size = whole.body.length

    for (const [range, from, to] of [
      ['bytes=0-2', 0, 2],
      ['bytes=7-', 7, size - 1],
      ['bytes=-4', size - 4, size - 1],
      ['bytes=3-999999', 3, size - 1],
    ] as const) {
      const answer = await download(names[0]!, { range, 'if-range': etag })
      expect([answer.statusCode, answer.body]).toEqual([206, whole.body.slice(from, to + 1)])
      expect(answer.headers['content-range']).toBe(`bytes ${from}-${to}/${size}`)
      expect(answer.headers['content-length']).toBe(String(to - from + 1))
    }
    for (const headers of [
      { range: 'bytes=7-', 'if-range': '"other"' },
      { range: 'bytes=0-1,3-4' },
      { range: 'lines=1-2' },
      { range: 'bytes=5-2' },
    ]) {
      expect((await download(names[0]!, headers as Record<string, string>)).statusCode).toBe(200)
    }
  })

  it('416 for a range beyond the end gives the length of the file', async () => {
    const { download, names } = await createDeliveryUnderTest()

    const answer = await download(names[0]!, { range: 'bytes=5000-' })

    expect(answer.statusCode).toBe(416)
    expect(answer.headers['content-range']).toMatch(/^bytes \*\/\d+$/)
    expect((await download(names[0]!, { range: 'bytes=5000-', accept: 'text/html' })).statusCode).toBe(416)
    expect((await download(names[0]!, { range: 'bytes=-0' })).statusCode).toBe(416)
  })

  it('304 sends no bytes of a file that the client has, and the whole file once it is another one', async () => {
    const { download, names } = await createDeliveryUnderTest()

    for (const name of [names[0]!, `${names[0]}.swaps.parquet`, `${names[0]}.json`]) {
      const etag = String((await download(name)).headers.etag)

      for (const known of [etag, `"other", ${etag}`, `W/${etag}`]) {
        const answer = await download(name, { 'if-none-match': known, range: 'bytes=0-1' })
        expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', etag])
      }
      expect((await download(name, { 'if-none-match': '"other"' })).statusCode).toBe(200)
    }
  })

  it('302 redirects to a signed address if there is one; HEAD is answered here', async () => {
    const { download, names, app, token } = await createDeliveryUnderTest({
      over: { signedUrl: async ({ hour }, kind) => `https://files.example/${hour}/${kind}` },
    })

    const answer = await download(`${names[1]}.pairs.parquet`)

    expect([answer.statusCode, answer.headers.location]).toEqual([
      302,
      `https://files.example/${names[1]}/pairs`,
    ])
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    const head = await app.inject({ method: 'HEAD', url: `/archive/download/${names[1]}?token=${token}` })
    expect(head.statusCode).toBe(200)
  })

  it('gives a person who opens a dead link the sentence in a page, with the way to the orders, and a program JSON', async () => {
    const { download, names, clock } = await createDeliveryUnderTest()
    clock.now += 31 * 24 * HOUR_MS
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

    const page = await download(names[0]!, { accept })

    expect([page.statusCode, page.headers['content-type']]).toEqual([402, 'text/html; charset=utf-8'])
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.body).toMatch(/Order \d{9} expired on \d+ \w+ \d{4}\./)
    expect(page.body).toContain('href="/dashboard/historical/orders"')
    for (const other of ['*/*', 'application/json', '']) {
      expect((await download(names[0]!, { accept: other })).json().errorType).toBe('PAYMENT_REQUIRED')
    }
  })

  it('402 without a valid token, with a sentence once the order has ended', async () => {
    const { download, names, token, clock, app } = await createDeliveryUnderTest()
    const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`

    for (const bad of ['', 'x', forged, `${token}A`, token.toUpperCase()]) {
      const answer = await download(names[0]!, {}, bad)
      expect([answer.statusCode, answer.json().errorType]).toEqual([402, 'PAYMENT_REQUIRED'])
    }
    expect((await app.inject(`/archive/download/${names[0]}`)).statusCode).toBe(402)
    expect((await app.inject(`/archive/download/${names[0]}?token=a&token=b`)).statusCode).toBe(402)

    clock.now += 31 * 24 * HOUR_MS
    expect((await download(names[0]!)).json().errorMessage).toMatch(/^Order \d{9} expired on /)
  })

  it('403 for an hour of another order, 404 for a missing one or a name of another form', async () => {
    const { download, names, to, kept, getOrder } = await createDeliveryUnderTest()
    await kept.remove((await kept.find('simulator', names[4]!))!)
    const sample = (await getOrder(1)).json().download_token

    expect((await download(hourName(to))).json().errorType).toBe('HOUR_NOT_IN_ORDER')
    expect((await download(hourName(to - 25 * HOUR_MS))).statusCode).toBe(403)
    expect((await download(names.at(-1)!, {}, sample)).statusCode).toBe(names.at(-1) === names[0] ? 200 : 403)
    expect([(await download(names[4]!)).statusCode, (await download(names[4]!)).json().errorType]).toEqual([
      404,
      'HOUR_MISSING',
    ])
    for (const name of [
      `${names[0]}.tar`,
      `${names[0]}x`,
      '20261123-130001',
      '..%2fhours.json',
      'hours.json',
    ]) {
      expect((await download(name)).json().errorType).toBe('ERR_NOT_FOUND')
    }
  })

  it('429 beyond ten downloads of a token at a time, unless one of them ends within a second', async () => {
    const open: PassThrough[] = []
    const opened: (() => void)[] = []
    const { download, names, newCustomer, give, getOrder } = await createDeliveryUnderTest({
      over: {
        open: async () => {
          const stream = new PassThrough()
          open.push(stream)
          opened.pop()?.()
          return stream
        },
      },
    })
    const bytes = Buffer.from(`zip of ${names[0]}`)
    const begin = async (token?: string) => {
      const isOpen = new Promise<void>((resolve) => opened.push(resolve))
      const answer = download(names[0]!, {}, token)
      await isOpen
      return answer.then(({ statusCode }) => statusCode)
    }
    const running = []
    for (let at = 0; at < 10; at++) running.push(download(names[0]!))
    while (open.length < 10) await new Promise(setImmediate)

    const refused = await download(names[0]!)
    expect([refused.statusCode, refused.json().errorType]).toEqual([429, 'ERR_RATE_LIMITED'])
    expect(refused.headers['retry-after']).toBe('1')
    const other = await newCustomer()
    const theirs = (await getOrder((await give(other.email)).id, other.key)).json().download_token
    const others = begin(theirs)
    while (open.length < 11) await new Promise(setImmediate)
    const again = download(names[0]!)
    open[0]!.end(bytes)
    expect((await running[0]!).statusCode).toBe(200)
    while (open.length < 12) await new Promise(setImmediate)
    for (const stream of open.slice(1)) stream.end(bytes)
    expect((await again).statusCode).toBe(200)
    expect(await others).toBe(200)
    await Promise.all(running)
  })

  it('counts no download whose client left while it waited for one of ten to end', async () => {
    const files: PassThrough[] = []
    const { app, names, token, download } = await createDeliveryUnderTest({
      over: { open: async () => files[files.push(new PassThrough()) - 1] },
    })
    const bytes = Buffer.from(`zip of ${names[0]}`)
    const running = Array.from({ length: 10 }, () => download(names[0]!))
    while (files.length < 10) await new Promise(setImmediate)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const waiting = get(`${url}/archive/download/${names[0]}?token=${token}`).on('error', () => {})
    const [, response] = await once(app.server, 'request')
    waiting.destroy()
    await once(response, 'close')
    files[0]!.end(bytes)
    while (files.length < 11) await new Promise(setImmediate)

    const again = download(names[0]!)
    while (files.length < 12) await new Promise(setImmediate)
    for (const file of files.slice(1)) file.end(bytes)

    expect((await again).statusCode).toBe(200)
    await Promise.all(running)
  })

  // Guards programs that keep ten downloads running: they start the next one as soon as they have a file.
  it('stops counting a download once its client has the last byte, whatever is still open', async () => {
    const files: PassThrough[] = []
    const { app, names, token, download } = await createDeliveryUnderTest({
      hours: 1,
      over: {
        open: async () => {
          const file = new PassThrough()
          file.write(`zip of ${names[0]}`)
          return files[files.push(file) - 1]
        },
      },
    })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const whole = async () =>
      (await fetch(`${address}/archive/download/${names[0]}?token=${token}`)).arrayBuffer()
    await Promise.all(Array.from({ length: 10 }, whole))

    const next = download(names[0]!)
    await expect.poll(() => files.length).toBe(11)
    for (const file of files) file.end()

    expect((await next).statusCode).toBe(200)
    await app.close()
  })

  it('503 while the archive is away', async () => {
    const { download, names } = await createDeliveryUnderTest({
      over: { open: () => Promise.reject(new StorageAwayError('away')) },
    })

    const answer = await download(names[0]!)

    expect([answer.statusCode, answer.json().errorType]).toEqual([503, 'ERR_UNAVAILABLE'])
    expect(answer.headers['retry-after']).toBe('30')
    expect(answer.headers.etag).toBeUndefined()
  })

  // Guards large files on slow connections: a download may take hours, half a request only seconds.
  it('continues beyond the time of a request, and ends once nothing has moved for ten minutes', async () => {
    const file = new PassThrough()
    const { app, names, token } = await createDeliveryUnderTest({
      hours: 1,
      over: { open: async () => file },
      requestTimeoutMs: 100,
    })
    const sockets: Socket[] = []
    app.server.on('connection', (socket) => sockets.push(socket))
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const bytes = Buffer.from(`zip of ${names[0]}`)
    file.write(bytes.subarray(0, 4))
    const answer = await fetch(`${address}/archive/download/${names[0]}?token=${token}`)
    const reader = answer.body!.getReader()
    const first = Buffer.from((await reader.read()).value!)

    const half = connect(Number(new URL(address).port), '127.0.0.1')
    half.resume().write('GET / HTTP/1.1\r\n')
    await once(half, 'close') // it began later, and its time is over
    const timeout = sockets[0]!.timeout
    file.end(bytes.subarray(4))

    const rest = Buffer.from((await reader.read()).value!)
    expect(Buffer.concat([first, rest])).toEqual(bytes)
    expect(timeout).toBe(600_000)
    await app.close()
  })

  it('aborts the answer if the file is shorter than in its manifest', async () => {
    const { app, names, token } = await createDeliveryUnderTest({
      over: { open: async () => Readable.from([Buffer.from('half')]) },
    })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })

    const answer = await fetch(`${address}/archive/download/${names[0]}?token=${token}`)

    await expect(answer.text()).rejects.toThrow()
    await app.close()
  })

  it('records that the last byte of a zip was sent, but not for other files or the sample', async () => {
    const { download, names, accounts, order, customer, getOrder } = await createDeliveryUnderTest()
    const sample = (await getOrder(1)).json()
    const count = async () => {
      const found = await accounts.findOrderOfKey(customer.key, order.id)
      return found.outcome === 'found' && found.order.status !== 'sample'
        ? found.order.downloadedHours
        : undefined
    }

    await download(`${names[0]}.swaps.parquet`)
    await download(names[0]!, { range: 'bytes=0-3' })
    await download(names[0]!, {}, sample.download_token)
    expect(await count()).toBe(0)
    await download(names[0]!)
    await download(names[0]!)
    await download(names[1]!, { range: 'bytes=4-' })
    await expect.poll(count).toBe(2)
  })

  it('allows ranges in preflight requests from other sites', async () => {
    const { app, names } = await createDeliveryUnderTest({ hours: 1 })

    const answer = await app.inject({ method: 'OPTIONS', url: `/archive/download/${names[0]}` })

    expect(answer.statusCode).toBe(204)
    expect(answer.headers['access-control-allow-headers']).toContain('Range')
  })
})

describe('lists of an order', () => {
  it('name an address and a checksum for each existing file', async () => {
    const { download, names, token } = await createDeliveryUnderTest()
    const lines = async (list: string, files = '') =>
      (await download(list, {}, `${token}${files}`)).body.trim().split('\n')

    const urls = await lines('urls')
    expect(urls).toHaveLength(24)
    expect(urls[0]).toMatch(new RegExp(`^http://[^/]+/archive/download/${names[0]}\\?token=${token}$`))
    expect(await lines('urls', '&files=all')).toHaveLength(96)
    expect((await lines('urls', '&files=swaps'))[23]).toContain(`/${names[23]}.swaps.parquet?token=`)
    const sum = createHash('sha256').update(`zip of ${names[1]}`).digest('hex')
    expect((await lines('SHA256SUMS'))[1]).toBe(`${sum}  ${names[1]}.zip`)
    expect((await download('urls', {}, `${token}&files=csv`)).statusCode).toBe(400)
    expect((await download('SHA256SUMS', {}, 'x')).statusCode).toBe(402)
  })
})

describe('everything below /order and /archive', () => {
  it('404 as JSON for an unknown address, whatever the client accepts', async () => {
    const { app } = await createDeliveryUnderTest({ hours: 0 })

    for (const path of [
      '/order',
      '/order/1/2',
      '/archive',
      '/archive/x',
      '/archive/download',
      '/archive/download/a/b',
      '/order/%',
    ]) {
      const answer = await app.inject({ url: path, headers: { accept: 'text/html' } })
      expect([400, 404]).toContain(answer.statusCode)
      expect(answer.json()).toHaveProperty('errorType')
    }
  })

  // Guards other accounts' files, and every path outside of the archive.
  it('answer random names, tokens, numbers and bodies neither with a server error nor with bytes', async () => {
    const { app, token, names, customer, newCustomer, logged, getOrder, clock } =
      await createDeliveryUnderTest()
    const other = await newCustomer()
    const sample = (await getOrder(1, other.key)).json().download_token
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)]!
    const pieces = [
      '..',
      '/',
      '%2f',
      '%00',
      '\\',
      '.',
      'simulator',
      '.json',
      '.zip',
      '20261123',
      '-',
      '130000',
      '%',
      'é',
    ]
    const text = () =>
      Array.from({ length: random(8) }, () => pick([...pieces, String(random(1e9))])).join('')
    const damaged = (good: string) => {
      const at = random(good.length)
      const bad = `${good.slice(0, at)}${pick(['', 'A', '-', '%00', good])}${good.slice(at + 1)}`
      return bad === good ? '' : bad
    }
    const name = () => pick([text, () => damaged(names[0]!), () => `${names[0]}${text()}`, () => names[0]!])()
    const badToken = () => pick([text, () => damaged(token), () => sample])()

    for (let at = 0; at < 1_000; at++) {
      clock.now += 1_000 // within the share of an address
      const call = pick([
        () => ({
          url: `/archive/download/${name()}?token=${badToken()}`,
          method: pick(['GET', 'HEAD'] as const),
        }),
        () => ({ url: `/archive/manifest/${text()}`, method: 'GET' as const }),
        () => ({ url: `/order/${pick([text(), String(random(1e9))])}`, method: 'GET' as const }),
        () => ({
          url: '/archive/metadata',
          method: 'POST' as const,
          payload: pick([text(), `{"files":["${text()}"]}`, `{"files":${'['.repeat(random(2_000))}`]),
        }),
      ])()
      const headers = {
        'x-api-key': pick([other.key, text().replaceAll(/[^ -~]/g, ''), damaged(customer.key)]),
      }
      const answer = await app.inject({ ...call, headers })

      const isOwn = call.url.includes(sample) || call.url === '/archive/metadata'
      expect(answer.statusCode < 500, `${call.method} ${call.url}`).toBe(true)
      if (!isOwn) expect([400, 401, 402, 404], `${call.method} ${call.url}`).toContain(answer.statusCode)
    }
    expect(logged.join('\n')).not.toContain(token.slice(10))
  })
})
