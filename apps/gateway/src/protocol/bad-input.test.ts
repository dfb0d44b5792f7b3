import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { address, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import type { TestClient } from '../testing/test-client.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

describe('bad input', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
  })
  afterEach(() => stream.close())

  /** A second client that must not notice any of it. */
  const bystander = async () => {
    const client = await stream.connect(900)
    await client.ask({ id: 1, method: 'swapSubscribe' })
    return async () => {
      await stream.publish(aSwap())
      expect(await client.untilPong()).toMatchObject([{ method: 'swapNotification' }])
    }
  }

  it('closes on a binary frame with 1003, after a frame for the subscription', async () => {
    const seesOn = await bystander()
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'swapSubscribe' })

    client.socket.send(Buffer.from('{"method":"ping","id":1}'))

    expect(await client.closed).toEqual({ code: 1003, reason: 'Frames must be text, one JSON object each.' })
    expect(client.texts.slice(1).map((text) => JSON.parse(text))).toMatchObject([
      { method: 'subscriptionClosed' },
    ])
    await seesOn()
  })

  it.each([
    ['just over 64 KiB', 64 * 1024 + 1],
    ['20 MB', 20_000_000],
  ])('closes on a frame of %s with 1009, after a frame for the subscription', async (_name, bytes) => {
    const seesOn = await bystander()
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'swapSubscribe' })
    const before = keptBytes()

    client.socket.send('x'.repeat(bytes))
    await told(client)
    // What it still sends is discarded at the pace of its account, as long as the close may take.
    stream.clock.advance(5_000)
    const closed = await client.closed

    expect(closed).toEqual({ code: 1009, reason: 'A frame may hold at most 64 KiB.' })
    expect(JSON.parse(client.texts.at(-1)!)).toMatchObject({
      subscription_id: 1,
      method: 'subscriptionClosed',
    })
    // The client, in the same process, releases its own copy when its socket ends.
    await expect.poll(() => keptBytes() - before).toBeLessThan(5_000_000)
    await seesOn()
  })

  it('takes a frame of exactly 64 KiB', async () => {
    const client = await stream.connect()
    const head = '{"id":1,"method":"ping","padding":"'

    const answer = await client.ask(`${head}${'x'.repeat(64 * 1024 - head.length - 2)}"}`)

    expect(answer).toMatchObject({ id: 1, result: 'pong' })
  })

  it('closes a client whose text is not UTF-8', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'swapSubscribe' })

    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })

    expect(await client.closed).toMatchObject({ code: 1007 })
    expect(JSON.parse(client.texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
  })

  it('answers requests beyond 20 a second and a burst of 100 with -32029, each by its id', async () => {
    const client = await stream.connect()
    for (let id = 1; id <= 150; id++) client.send({ id, method: 'ping' })

    const answers = await Promise.all(Array.from({ length: 150 }, () => client.next()))

    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 150 }, (_, at) => at + 1))
    expect(answers.filter(({ result }) => result === 'pong')).toHaveLength(100)
    expect(answers[100]).toMatchObject({
      error: {
        code: -32029,
        data: { errorType: 'TOO_MANY_REQUESTS', docs: 'https://docs.example/errors/too-many-requests' },
      },
    })
    stream.clock.advance(1_000)
    for (let id = 1; id <= 21; id++) client.send({ id, method: 'ping' })
    const later = await Promise.all(Array.from({ length: 21 }, () => client.next()))
    expect(later.filter(({ result }) => result === 'pong')).toHaveLength(20)
  })

  it('answers requests beyond 1 MiB a second and a burst of 4 MiB with -32029, each by its id', async () => {
    const client = await stream.connect()
    const size = 60 * 1024
    const request = (id: number) => {
      const head = `{"method":"ping","padding":"`
      const tail = `","id":${id}}`
      return `${head}${'x'.repeat(size - head.length - tail.length)}${tail}`
    }
    for (let id = 1; id <= 80; id++) client.send(request(id))

    const answers = await Promise.all(Array.from({ length: 80 }, () => client.next()))

    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 80 }, (_, at) => at + 1))
    expect(answers.filter(({ result }) => result === 'pong')).toHaveLength(68) // 4 MiB of 60 KiB each
    expect(answers[68]).toMatchObject({
      error: {
        code: -32029,
        message: 'More than 20 requests or 1 MiB a second. Wait a moment before the next.',
      },
    })
    stream.clock.advance(1_000)
    for (let id = 81; id <= 99; id++) client.send(request(id))
    const later = await Promise.all(Array.from({ length: 19 }, () => client.next()))
    expect(later.filter(({ result }) => result === 'pong')).toHaveLength(17)
  })

  it('gives an account one allowance, shared by its connections and not refreshed by a reconnect', async () => {
    stream.accounts.set('a1', { connectionLimit: 2 })
    const [first, second] = [await stream.connect(), await stream.connect()]
    const pongs = async (client: TestClient, count: number) => {
      for (let id = 1; id <= count; id++) client.send({ id, method: 'ping' })
      const answers = await Promise.all(Array.from({ length: count }, () => client.next()))
      return answers.filter(({ result }) => result === 'pong').length
    }

    expect(await pongs(first, 60)).toBe(60)
    expect(await pongs(second, 60)).toBe(40)
    first.socket.terminate()
    second.socket.terminate()
    while (stream.gateway.stats().connections > 0) await turn()
    const third = await stream.connect()
    expect(await pongs(third, 5)).toBe(0)
    stream.clock.advance(1_000)
    expect(await pongs(third, 30)).toBe(20)
    const other = await stream.connect(2)
    expect(await pongs(other, 100)).toBe(100)
  })

  it('reads a flood at the pace of its account, and answers each of its requests', async () => {
    const seesOn = await bystander()
    const client = await stream.connect()
    const count = 2_500
    for (let id = 1; id <= count; id++) client.send({ id, method: 'ping' })
    // 8 MiB at once and 2 MiB a second; a frame counts 2 KiB on top of its payload, and 6 KiB more when it is refused.
    const atOnce = 100 + (8 * 1024 - 100 * 2.03) / 8.03
    const aSecond = 20 + (2 * 1024 - 20 * 2.03) / 8.03

    while (client.texts.length < atOnce - 20) await turn()
    await turns(50)
    const first = client.texts.length
    await seesOn()
    stream.clock.advance(1_000)
    while (client.texts.length < first + aSecond - 20) await turn()
    await turns(50)
    const second = client.texts.length - first
    while (client.texts.length < count) {
      stream.clock.advance(100)
      await turn()
    }

    expect(Math.abs(first - atOnce)).toBeLessThan(20)
    expect(Math.abs(second - aSecond)).toBeLessThan(20)
    const answers = client.texts.map((text) => JSON.parse(text))
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })

  // What one client sends in a second takes the shared thread 30 ms, so 50 clients could take all of it.
  it('answers a ping before the most expensive requests of others that came before it', async () => {
    const client = await stream.connect()
    const filters = [0, 1_000].map((from) => Array.from({ length: 1_000 }, (_, at) => address(from + at)))
    const others = await Promise.all([11, 12, 13, 14, 15, 16, 17, 18].map((number) => stream.connect(number)))
    for (const other of others) await other.ask({ id: 0, method: 'swapSubscribe' })
    const updates = 40

    for (let id = 1; id <= updates; id++) {
      const include = { walletAccount: filters[id % 2] }
      const params = { subscription_id: 1, params: { include } }
      for (const other of others) other.send({ id, method: 'updateSubscriptionParams', params })
    }
    const pong = await client.ask({ id: 1, method: 'ping' })
    const answeredBefore = others.reduce((sum, { texts }) => sum + texts.length - 1, 0)
    while (others.some(({ texts }) => texts.length <= updates)) await turn()

    expect(pong).toMatchObject({ result: 'pong' })
    expect(answeredBefore).toBeLessThan((others.length * updates) / 8)
    for (const { texts } of others)
      expect(JSON.parse(texts.at(-1)!)).toMatchObject({ id: updates, result: true })
  })

  it.each([
    ['subscribes without an id', '{"method":"swapSubscribe"}', 10_000],
    ['broken JSON', '{"id":1,"method":', 10_000],
    ['large frames of broken JSON', `{"id":1,"padding":"${'x'.repeat(10_000)}"`, 2_000],
  ])('closes a flood of %s with 4000, and reads no more of it', async (_name, text, frames) => {
    const seesOn = await bystander()
    const client = await stream.connect()
    const read = () => [...stream.sockets].reduce((sum, socket) => sum + socket.bytesRead, 0)

    for (let sent = 0; sent < frames; sent++) client.send(text)
    await ended(stream, 'malformed')
    const bytesRead = read()
    await seesOn()
    await told(client)
    // Frames in flight are read in turns; the client's own close may follow thousands of them.
    while (client.socket.readyState !== client.socket.CLOSED) {
      stream.clock.advance(10)
      await turn()
    }

    expect((await client.closed).code).toBe(4000)
    // What the close involves, and what a paused socket takes into its own buffer.
    expect(bytesRead).toBeLessThan(40 * text.length + 2 * 65_536 + 10_000)
    while (stream.gateway.stats().connections > 1) await turn()
  })

  it.each(['ping', 'pong'] as const)(
    'reads a flood of %s frames at the pace of its account',
    async (kind) => {
      const seesOn = await bystander()
      const client = await stream.connect()
      const [socket] = [...stream.sockets].slice(-1)

      // A megabyte of six-byte frames.
      for (let sent = 0; sent < 170_000; sent++) client.socket[kind]()
      while (client.socket.bufferedAmount > 0 && socket!.bytesRead < 20_000) await turn()
      await turns(200)

      // 8 MiB cover 4,096 frames that count 2 KiB each; the rest waits unread.
      expect(socket!.bytesRead).toBeLessThan(4_096 * 6 + 4 * 65_536)
      await seesOn()
      expect(client.socket.readyState).toBe(client.socket.OPEN)
    },
  )

  it('accepts a frame in 1,024 fragments, and closes on one more with 1008 and its sentence', async () => {
    const client = await stream.connect()
    const request = '{"id":1,"method":"swapSubscribe"}'

    for (const character of request) client.socket.send(character, { fin: false })
    for (let sent = request.length; sent < 1_023; sent++) client.socket.send('', { fin: false })
    client.socket.send('', { fin: true })
    const answer = await client.next()
    stream.clock.advance(1_000)
    for (let sent = 0; sent < 1_025; sent++) client.socket.send('', { fin: false })

    expect(answer).toMatchObject({ id: 1, result: { subscription_id: 1 } })
    expect(await client.closed).toEqual({
      code: 1008,
      reason: 'A frame may have at most 1,024 fragments.',
    })
    expect(JSON.parse(client.texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
    expect(stream.gateway.stats().ended).toEqual({ tooManyFragments: 1 })
  })

  it('answers the pings of a client', async () => {
    const client = await stream.connect()
    const pong = new Promise((resolve) => client.socket.once('pong', (data) => resolve(String(data))))

    client.socket.ping('hello')

    expect(await pong).toBe('hello')
  })

  it('survives any bytes after the handshake', async () => {
    const seesOn = await bystander()
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 })
    let number = 1_000

    await fc.assert(
      fc.asyncProperty(bytes, async (bytes) => {
        number++
        stream.accounts.set(`fuzz${number}`, { key: keyNumber(number) })
        stream.clock.advance(100)
        const socket = await handshaken(stream.port, number)
        socket.end(bytes)
        socket.resume()
        await new Promise((resolve) => socket.once('close', resolve))
      }),
      { numRuns: 40 },
    )
    await seesOn()
  })

  it('closes a half-open client after 60 s without a sign of life, and cuts its socket', async () => {
    stream.accounts.set('silent', { key: keyNumber(2_000) })
    const socket = await handshaken(stream.port, 2_000)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    const closed = new Promise((resolve) => socket.once('close', resolve))

    await stream.clock.pass(61_000)
    await stream.clock.pass(6_000)
    await closed

    const bytes = Buffer.concat(chunks)
    expect([...bytes.subarray(0, 4)]).toEqual([0x89, 0, 0x89, 0])
    expect([bytes[4], bytes.readUInt16BE(6)]).toEqual([0x88, 1001])
    expect(bytes.toString('utf8', 8)).toContain('Your client sent nothing for 60 s.')
    expect(stream.gateway.stats().connections).toBe(0)
  })

  it('does not mistake a closing client for a slow one', async () => {
    stream.accounts.set('leaving', { key: keyNumber(2_001) })
    const socket = await handshaken(stream.port, 2_001)
    const said = new Promise((resolve) => socket.once('data', resolve))
    socket.write(masked(0x81, Buffer.from('{"method":"swapSubscribe"}')))
    await said
    const echoed = new Promise((resolve) => socket.once('data', resolve))
    // A close frame with code 1000, without ending the socket.
    socket.write(masked(0x88, Buffer.from([0x03, 0xe8])))
    await echoed

    await stream.publish(aSwap())

    expect(stream.gateway.stats()).toMatchObject({ subscriptions: 0, ended: {}, sentEvents: 0 })
    socket.destroy()
  })

  it('keeps a client that only answers pings', async () => {
    const client = await stream.connect()

    for (let round = 0; round < 6; round++) {
      const pinged = new Promise((resolve) => client.socket.once('ping', resolve))
      stream.clock.advance(21_000)
      await pinged
      await client.untilPong()
    }

    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })
})

/** A raw socket with an accepted upgrade. */
function handshaken(port: number, number: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-API-KEY: ${keyNumber(number)}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
    socket.once('data', (head) => {
      if (String(head).startsWith('HTTP/1.1 101')) resolve(socket)
      else reject(new Error(String(head)))
    })
  })
}

/** A client's frame; a mask of zeros leaves its payload unchanged. */
function masked(firstByte: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([firstByte, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}

/** Resolves once the client has read the close: otherwise the test's clock would cut its socket first. */
async function told({ socket }: TestClient): Promise<void> {
  while (socket.readyState === socket.OPEN) await turn()
}

/** Resolves once the gateway has ended a connection for this reason. */
async function ended(stream: TestGateway, reason: string): Promise<void> {
  while (!stream.gateway.stats().ended[reason]) await turn()
}

/** Waits one turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await turn()
}

/** Bytes of buffers still referenced after garbage collection. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}
