import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AppError } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { SharedSeats } from '../seats/shared-seats.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { connectClient } from '../testing/test-client.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const BROWSER = { Origin: 'https://app.example', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' }

/** Seats that are counted elsewhere. */
const seatsFor = (take: SharedSeats['take']): Pick<SharedSeats, keyof SharedSeats> => ({
  take,
  leave() {},
  isCounted: () => true,
  async close() {},
})

describe('upgrade', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
    stream.accounts.set('known', { key: keyNumber(1), connectionLimit: 100 })
    stream.accounts.set('planless', { key: keyNumber(2), planId: null })
    stream.accounts.set('expired', { key: keyNumber(3), endsAt: new Date(stream.clock.now() - 1) })
  })
  afterEach(() => stream.close())

  const open = (path: string, headers: Record<string, string> = {}) =>
    connectClient(`ws://127.0.0.1:${stream.port}${path}`, { headers })
  const terminate = async (opening: ReturnType<typeof open>) => {
    const client = await opening
    client.socket.terminate()
    return client
  }

  it.each(['X-API-KEY', 'x-api-key', 'X-Api-Key'])('takes the key from the header %s', async (name) => {
    await expect(terminate(open('/', { [name]: keyNumber(1) }))).resolves.toBeDefined()
  })

  it.each(['key', 'apiKey', 'api_key', 'api-key'])(
    'takes the key from the query parameter %s',
    async (name) => {
      await expect(terminate(open(`/?${name}=${keyNumber(1)}`))).resolves.toBeDefined()
    },
  )

  it('agrees to no compression, even if the client offers it', async () => {
    const client = await open('/', { 'X-API-KEY': keyNumber(1) })

    expect(client.socket.extensions).toBe('')
    client.socket.terminate()
  })

  it.each([
    ['no key', '/', {}, 401],
    ['an unknown key', `/?key=${keyNumber(99)}`, {}, 401],
    ['a forged key', `/?key=${"x' OR 1=1".repeat(4)}`, {}, 401],
    ['a key in capitals', `/?key=${'A'.repeat(32)}`, {}, 401],
    ['a key in two headers', '/', { 'X-API-KEY': `${keyNumber(1)}, ${keyNumber(1)}` }, 401],
    ['an account without a plan', '/', { 'X-API-KEY': keyNumber(2) }, 403],
    ['an expired trial', '/', { 'X-API-KEY': keyNumber(3) }, 403],
    ['another path', `/stream?key=${keyNumber(1)}`, {}, 404],
    ['a path that is no address', `//?key=${keyNumber(1)}`, {}, 404],
  ])('refuses %s in plain HTTP with one sentence', async (_name, path, headers, status) => {
    const refusal = await open(path, headers).catch((error: unknown) => error)

    expect(refusal).toMatchObject({
      status,
      headers: { connection: 'close', 'referrer-policy': 'no-referrer' },
      body: expect.stringMatching(/^.{10,120}\n$/),
    })
    // @ts-expect-error both are known to exist
    expect(Number(refusal.headers['content-length'])).toBe(refusal.body.length)
  })

  it.each([
    ['an unknown key', `/?key=${keyNumber(99)}`, {}, 'errors/key-unknown'],
    ['an account without a plan', '/', { 'X-API-KEY': keyNumber(2) }, 'errors/no-plan'],
    ['another path', '/ws', {}, 'keys#refused'],
  ])('links the refusal of %s to the page that explains it', async (_name, path, headers, page) => {
    await expect(open(path, headers)).rejects.toMatchObject({
      headers: { link: `<https://docs.example/${page}>; rel="help"` },
    })
  })

  it('refuses a suspended account, whatever its plan, with the address of the support', async () => {
    stream.accounts.set('known', { isSuspended: true })

    await expect(open('/', { 'X-API-KEY': keyNumber(1) })).rejects.toMatchObject({
      status: 403,
      body: 'This account is suspended. Write to support@pairwire.example.\n',
      headers: { link: '<https://docs.example/errors/account-suspended>; rel="help"' },
    })
    const browser = await open(`/?key=${keyNumber(1)}`, BROWSER)
    expect(await browser.closed).toMatchObject({
      code: 4003,
      reason: 'This account is suspended. Write to support@pairwire.example.',
    })
  })

  it('points other paths to the docs', async () => {
    await expect(open('/ws')).rejects.toMatchObject({ body: expect.stringContaining('https://docs.example') })
  })

  // A browser cannot read a failed upgrade.
  it.each([
    ['no key', '/', 4001],
    ['an unknown key', `/?key=${keyNumber(99)}`, 4001],
    ['an account without a plan', `/?key=${keyNumber(2)}`, 4003],
    ['an expired trial', `/?key=${keyNumber(3)}`, 4003],
  ])('accepts a browser with %s, then closes with the sentence', async (_name, path, code) => {
    const client = await open(path, BROWSER)

    expect(await client.closed).toMatchObject({ code, reason: expect.stringMatching(/^.{10,120}$/) })
    expect(stream.gateway.stats().connections).toBe(0)
  })

  it.each([{ Origin: BROWSER.Origin }, { 'User-Agent': BROWSER['User-Agent'] }])(
    'treats a client with only one mark of a browser (%o) as a program',
    async (headers) => {
      await expect(open('/', headers as Record<string, string>)).rejects.toMatchObject({ status: 401 })
    },
  )

  it('refuses a program by a close if it asks with refusals=close', async () => {
    const client = await open(`/?key=${keyNumber(99)}&refusals=close`)

    expect(await client.closed).toMatchObject({ code: 4001, reason: expect.stringMatching(/^.{10,120}$/) })
    await expect(open('/?refusals=http')).rejects.toMatchObject({ status: 401 })
    await expect(open('/ws?refusals=close')).rejects.toMatchObject({ status: 404 })
  })

  it("records the client's name for itself before its user agent", async () => {
    const name = `bot/1 \u00e9${'x'.repeat(200)}`
    const client = await open(`/?client=${encodeURIComponent(name)}`, {
      'X-API-KEY': keyNumber(1),
      'User-Agent': 'library/2',
    })
    await stream.clock.pass(1_000)

    expect(stream.accounts.noted[0]?.client).toMatch(/^bot\/1 x{93} library\/2$/)
    client.socket.terminate()
  })

  it('refuses browsers on other paths in plain HTTP too', async () => {
    await expect(open('/ws', BROWSER)).rejects.toMatchObject({ status: 404 })
  })

  it('refuses a connection over the limit, and accepts it once the first has gone', async () => {
    stream.accounts.set('single', { key: keyNumber(4), connectionLimit: 1 })
    const first = await open('/', { 'X-API-KEY': keyNumber(4) })

    await expect(open('/', { 'X-API-KEY': keyNumber(4) })).rejects.toMatchObject({ status: 429 })
    const browser = await open(`/?key=${keyNumber(4)}`, BROWSER)
    const refusedBrowser = await browser.closed
    first.socket.close()
    await first.closed

    expect(refusedBrowser).toMatchObject({ code: 4029 })
    await terminate(open('/', { 'X-API-KEY': keyNumber(4) }))
  })

  // Two simultaneous upgrades of one key must not both find the seat free.
  it('lets only one of two simultaneous connections of a single-connection plan through', async () => {
    stream.accounts.set('single', { key: keyNumber(4), connectionLimit: 1 })

    const outcomes = await Promise.allSettled([1, 2, 3].map(() => open('/', { 'X-API-KEY': keyNumber(4) })))

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value.socket.terminate()
  })

  it('allows a key ten connections at once and then one a second, in plain HTTP for everyone', async () => {
    for (let opened = 0; opened < 10; opened++) await terminate(open(`/?key=${keyNumber(1)}`))

    await expect(open(`/?key=${keyNumber(1)}`, BROWSER)).rejects.toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
    })
    stream.clock.advance(1_000)
    await terminate(open(`/?key=${keyNumber(1)}`))
  })

  // Guards the rate of real keys: only so many names are remembered, and anyone can make up more.
  it('counts made-up keys by address only, so that they give no real key a fresh burst', async () => {
    const small = await openGateway({ limits: { rememberedRates: 5, connectsPerSecondPerAddress: 1_000 } })
    onTestFinished(() => small.close())
    for (let opened = 0; opened < 10; opened++) await terminate(small.connect(1))

    for (let key = 20; key < 30; key++) {
      const madeUp = connectClient(`ws://127.0.0.1:${small.port}/?key=${keyNumber(key)}`)
      await expect(madeUp).rejects.toMatchObject({ status: 401 })
    }

    await expect(small.connect(1)).rejects.toMatchObject({ status: 429 })
  })

  it('allows an address its connections per second, whatever the keys', async () => {
    const narrow = await openGateway({ limits: { connectsPerSecondPerAddress: 3 } })
    const attempt = (key: number) => connectClient(`ws://127.0.0.1:${narrow.port}/?key=${keyNumber(key)}`)

    for (const key of [11, 12, 13]) await expect(attempt(key)).rejects.toMatchObject({ status: 401 })
    await expect(attempt(14)).rejects.toMatchObject({ status: 429 })
    await narrow.close()
  })

  it.each([
    ['once where a seat is free', 'taken', 1],
    ['again after a probe that freed one', 'freed', 2],
  ] as const)('when gateways count together, looks up a key %s', async (_, outcome, times) => {
    const gateway = await openGateway({ openShared: () => seatsFor(async () => outcome) })
    onTestFinished(() => gateway.close())
    let asked = 0
    gateway.accounts.before = async (call) => {
      if (call === 'authorizeKey') asked++
    }

    await gateway.connect()

    expect(asked).toBe(times)
  })

  it('refuses a key that was reset while its seat was being counted', async () => {
    const gateway: TestGateway = await openGateway({
      openShared: () =>
        seatsFor(async () => {
          gateway.accounts.set('a1', { key: keyNumber(99) })
          await gateway.bus.sendControl({ type: 'keyReset', accountId: 'a1' })
          return 'taken'
        }),
    })
    onTestFinished(() => gateway.close())

    await expect(gateway.connect()).rejects.toThrow('401')
  })

  it('answers 503 while keys cannot be checked, and does not call the key unknown', async () => {
    stream.accounts.before = async () => {
      throw new Error(`query failed with parameter ${keyNumber(1)}`)
    }

    await expect(open(`/?key=${keyNumber(1)}`, BROWSER)).rejects.toMatchObject({ status: 503 })
    expect(stream.logged.join()).not.toContain(keyNumber(1))
  })

  it('logs failed key checks once a second, with their number and the cause', async () => {
    stream.accounts.before = async () => {
      throw Object.assign(new AppError('ERR_UNAVAILABLE'), { cause: 'connect ECONNREFUSED 127.0.0.1:5432' })
    }

    for (let tries = 0; tries < 5; tries++) {
      await expect(open(`/?key=${keyNumber(1)}`)).rejects.toMatchObject({ status: 503 })
    }
    stream.clock.advance(1_000)
    stream.clock.advance(1_000)

    expect(stream.logged.map((line) => JSON.parse(line))).toEqual([
      {
        sentence: 'Keys could not be checked.',
        fields: { times: 5, cause: 'connect ECONNREFUSED 127.0.0.1:5432' },
      },
    ])
  })

  it('answers 503 when the accounts take too long', async () => {
    stream.accounts.before = () => new Promise(() => {})

    const refusal = open(`/?key=${keyNumber(1)}`).catch((error: unknown) => error)
    await untilAsked(stream)
    stream.clock.advance(5_000)

    expect(await refusal).toMatchObject({ status: 503 })
  })

  // Otherwise a leaked key that was reset could slip in with an answer from before the reset.
  it('looks a key up again when its account changes in the meantime', async () => {
    let asked = 0
    stream.accounts.before = async () => {
      asked++
      if (asked > 1) return
      await Promise.resolve()
      queueMicrotask(() => {
        stream.accounts.set('known', { key: keyNumber(77) })
        void stream.bus.sendControl({ type: 'keyReset', accountId: 'known' })
      })
    }

    await expect(open(`/?key=${keyNumber(1)}`)).rejects.toMatchObject({ status: 401 })
  })

  it.each([
    ['with its body', ['Content-Length: 5', '', 'hello'], '5\r\nhello\r\n0'],
    ['without a body', ['', ''], ''],
    [
      'with a body in pieces',
      ['Transfer-Encoding: chunked', '', '5', 'hello', '0', '', ''],
      '5\r\nhello\r\n0',
    ],
  ])('returns a request for another protocol to the HTTP server, %s', async (_name, rest, echo) => {
    const head = [
      'POST /page HTTP/1.1',
      'Host: x',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AA',
    ]

    const answer = await talk(stream.port, [...head, ...rest].join('\r\n'))

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain(`\r\n\r\n${echo}`)
  })

  it.each([
    ['HTTP/1.0', { line: `GET /?key=${keyNumber(1)} HTTP/1.0` }],
    ['another method', { line: `DELETE /?key=${keyNumber(1)} HTTP/1.1` }],
    ['no websocket key', { key: undefined }],
    ['a websocket key of 15 bytes', { key: 'dGhlIHNhbXBsZSBub25j' }],
  ])('refuses %s with 400 and a sentence, and counts no connection', async (_name, change) => {
    const answer = await talk(stream.port, handshake(keyNumber(1), change))

    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\n\r\nA websocket begins with GET, HTTP\/1\.1 and a Sec-WebSocket-Key\.\n$/)
    expect(stream.gateway.stats()).toMatchObject({ connections: 0, refusedUpgrades: { 400: 1 } })
  })

  it.each(['7', '8', '14', '13, 8', undefined])(
    'answers version %s of the protocol with 426 and the supported one',
    async (version) => {
      const answer = await talk(stream.port, handshake(keyNumber(1), { version }))

      expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/)
      expect(answer).toContain('\r\nSec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n')
      expect(answer).toMatch(/\r\n\r\n.*version 13 of the websocket protocol.*\n$/)
      expect(stream.gateway.stats().connections).toBe(0)
    },
  )

  it.each([
    ['the whole address as its target', { line: `GET http://host/?key=${keyNumber(1)} HTTP/1.1` }],
    ['a whole address without a path', { line: `GET ws://host:80?key=${keyNumber(1)} HTTP/1.1` }],
    ['websocket in a list of protocols', { upgrade: 'h2c, WebSocket' }],
    ['two headers of protocols', { upgrade: 'websocket\r\nUpgrade: h2c' }],
    ['Upgrade in a list of options', { connection: 'keep-alive, upgrade' }],
    ['two headers of options', { connection: 'keep-alive\r\nConnection: Upgrade' }],
  ])('accepts a handshake with %s', async (_name, change) => {
    const socket = await openSocket(stream.port)
    const head = new Promise((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
    socket.write(handshake(keyNumber(1), change))

    expect(await head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\nUpgrade: websocket\r\n/)
    socket.destroy()
  })

  it.each(['http://host/ws', 'http://host//', 'ftp://host/', 'http://', '*'])(
    'finds no stream at %s',
    async (target) => {
      const line = `GET ${target}?key=${keyNumber(1)} HTTP/1.1`

      expect(await talk(stream.port, handshake(keyNumber(1), { line }))).toMatch(/^HTTP\/1\.1 40[04] /)
    },
  )

  it('cuts a refused client that keeps sending', async () => {
    const socket = await openSocket(stream.port)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(handshake(keyNumber(99)))
    const [answer] = await once(socket, 'data')
    const sockets = [...stream.sockets]

    socket.write(Buffer.alloc(20_000_000))
    await closed

    expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /)
    expect(sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)).toBeLessThan(500_000)
  })

  it('survives sockets that are reset in the middle of a handshake', async () => {
    let release = () => {}
    stream.accounts.before = () => new Promise((resolve) => (release = resolve))
    const socket = await openSocket(stream.port)
    socket.write(handshake(keyNumber(1)))
    await untilAsked(stream)
    const closed = new Promise((resolve) => stream.server.once('request', resolve))

    socket.resetAndDestroy()
    release()
    stream.accounts.before = async () => {}
    await (await fetch(`http://127.0.0.1:${stream.port}/`)).text()
    await closed

    expect(stream.gateway.stats().connections).toBe(0)
    await terminate(open(`/?key=${keyNumber(1)}`))
  })

  it('never logs a key or a query', async () => {
    await open(`/?key=${keyNumber(99)}&secret=1`).catch(() => {})
    await terminate(open(`/?key=${keyNumber(1)}`))

    expect(stream.logged.join()).not.toMatch(/000000|secret/)
  })
})

/** A valid handshake, changed by `change`; undefined omits a header. */
function handshake(
  apiKey: string,
  change: {
    line?: string
    connection?: string
    upgrade?: string
    version?: string | undefined
    key?: string | undefined
  } = {},
): string {
  const { line, connection, upgrade, version, key } = {
    line: `GET /?key=${apiKey} HTTP/1.1`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    version: '13',
    key: 'dGhlIHNhbXBsZSBub25jZQ==',
    ...change,
  }
  const head = [line, 'Host: x', `Connection: ${connection}`, `Upgrade: ${upgrade}`]
  if (version !== undefined) head.push(`Sec-WebSocket-Version: ${version}`)
  if (key !== undefined) head.push(`Sec-WebSocket-Key: ${key}`)
  return `${head.join('\r\n')}\r\n\r\n`
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', () => {})
  })
}

/** Sends `text` and reads until the other side ends. */
async function talk(port: number, text: string): Promise<string> {
  const socket = await openSocket(port)
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

/** Resolves once the gateway waits for the accounts. */
function untilAsked(stream: TestGateway): Promise<void> {
  const { before } = stream.accounts
  return new Promise((resolve) => {
    stream.accounts.before = (call) => {
      resolve()
      return before(call)
    }
  })
}
