import { Notification, StreamFrame } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBlock, address, aNewPair, aSwap } from './testing/events.ts'
import { keyNumber } from './testing/fake-accounts.ts'
import type { TestClient } from './testing/test-client.ts'
import { openGateway, type TestGateway } from './testing/test-gateway.ts'

describe('gateway', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
  })
  afterEach(() => stream.close())

  it('takes a client from key to event', async () => {
    const client = await stream.connect()

    const answer = await client.ask({ jsonrpc: '2.0', id: 1, method: 'swapSubscribe' })
    const swap = aSwap()
    await stream.publish(swap)

    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: { subscription_id: 1 } })
    expect(await client.next()).toEqual({
      subscription_id: 1,
      method: 'swapNotification',
      params: swap.params,
      cursor: swap.cursor,
    })
  })

  it('reports for how long no slot has come, and ends no stream for it', async () => {
    const client = await stream.connect()
    await client.ask({ jsonrpc: '2.0', id: 1, method: 'latestBlockSubscribe' })
    stream.clock.advance(4_000)
    expect(stream.gateway.stats().newestSlotAgeMs).toBe(4_000)

    await stream.publish(aBlock())
    expect(stream.gateway.stats().newestSlotAgeMs).toBeLessThan(100)
    stream.clock.advance(7_000)

    expect(stream.gateway.stats()).toMatchObject({ connections: 1, ended: {} })
    expect(stream.gateway.stats().newestSlotAgeMs).toBeGreaterThanOrEqual(7_000)
  })

  it('answers the first frame of the console, which has no id', async () => {
    const client = await stream.connect()

    client.send('{"method":"latestBlockSubscribe"}')
    const answer = await client.nextText()
    const block = aBlock()
    await stream.publish(block)

    expect(answer).toBe('{"jsonrpc":"2.0","result":{"subscription_id":1}}')
    expect(await client.next()).toMatchObject({ method: 'latestBlockNotification', params: block.params })
  })

  // Guards against silence: a client that filters everything must still hear what is missing.
  it('reports a gap in place to every subscription whatever its filter, and does not count it', async () => {
    const plain = await stream.connect(1)
    const filtered = await stream.connect(2)
    const idle = await stream.connect(3)
    await plain.ask({ id: 1, method: 'latestBlockSubscribe' })
    await plain.ask({ id: 2, method: 'swapSubscribe' })
    await filtered.ask({
      id: 1,
      method: 'swapSubscribe',
      params: { include: { walletAccount: [address(9)] } },
    })
    const [before, after] = [aBlock(), aBlock()]
    const params = { fromSlot: 8, toSlot: 11, cause: 'upstream', resume_from: null } as const

    await stream.publish(before, { kind: 'gap', cursor: before.cursor, params }, after, aSwap())

    const gap = (subscription_id: number) => ({
      method: 'gapNotification',
      params: { subscription_id, ...params },
    })
    const frames = await plain.untilPong()
    expect(frames.slice(1, 3)).toEqual([gap(1), gap(2)])
    expect(frames.map(({ method }) => method)).toEqual([
      'latestBlockNotification',
      'gapNotification',
      'gapNotification',
      'latestBlockNotification',
      'swapNotification',
    ])
    for (const frame of frames) StreamFrame.parse(frame)
    expect(await filtered.untilPong()).toEqual([gap(1)])
    expect(await idle.untilPong()).toEqual([])
    expect(stream.gateway.stats().sentEvents).toBe(3)
  })

  it('sends the three streams in chain order, each under its own number', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'latestBlockSubscribe' })
    await client.ask({ id: 2, method: 'swapSubscribe', params: { include: { usdValue: 5 } } })
    await client.ask({ id: 3, method: 'newPairSubscribe', params: { include_launchpad_tokens: true } })

    await stream.publish(
      aSwap({ usdValue: 5 }),
      aBlock(),
      aNewPair(),
      aSwap({ usdValue: 4.99 }),
      aSwap({ usdValue: 6 }),
    )
    await stream.publish(aBlock(), aSwap({ usdValue: 7 }))
    const frames = await client.untilPong()

    expect(frames.map(({ subscription_id }) => subscription_id)).toEqual([2, 1, 3, 2, 1, 2])
    expect(frames.map(({ cursor }) => cursor)).toEqual(frames.map(({ cursor }) => cursor).sort())
  })

  it('sends only frames of the contract, and never an id on a notification', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'latestBlockSubscribe' })
    await client.ask({ id: 2, method: 'swapSubscribe' })
    await client.ask({ id: 3, method: 'newPairSubscribe' })
    await client.ask({ id: 4, method: 'nonsense' })
    await client.ask('{')

    await stream.publish(aBlock(), aSwap(), aNewPair())
    const notifications = await client.untilPong()

    for (const text of client.texts) expect(StreamFrame.safeParse(JSON.parse(text)).success).toBe(true)
    for (const frame of notifications) {
      expect(Notification.parse(frame)).toEqual(frame)
      expect(frame).not.toHaveProperty('id')
    }
  })

  it('sends nothing before the answer to its subscribe', async () => {
    const client = await stream.connect()
    const [before, ...behind] = [aSwap(), aSwap(), aSwap()]
    await stream.bus.publish([before])
    client.send({ id: 1, method: 'swapSubscribe' })
    await received(client)
    await stream.publish(...behind)

    const [answer, ...frames] = await client.untilPong()

    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: { subscription_id: 1 } })
    expect(frames.map(({ cursor }) => cursor)).toEqual(behind.map(({ cursor }) => cursor))
  })

  describe('with a client that never reads among 1,000 others', () => {
    const OTHERS = 1_000
    const WANTED = address(4_000)

    it('loses nothing of the others, and closes that one with 4008 after its closing frames', async () => {
      await stream.close()
      stream = await openGateway({
        // A machine busy with a thousand clients delays the closing frames.
        limits: { outboxMaxBytes: 256 * 1024, connectsPerSecondPerAddress: 10_000, closeGraceMs: 30_000 },
      })
      const others: TestClient[] = []
      while (others.length < OTHERS) {
        const numbers = Array.from({ length: 100 }, (_, at) => others.length + at + 1)
        others.push(...(await Promise.all(numbers.map((number) => stream.connect(number)))))
      }
      const subscribe = { id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [WANTED] } } }
      await Promise.all(others.map((client) => client.ask(subscribe)))
      const slow = await stream.connect(OTHERS + 1)
      await slow.ask({ id: 1, method: 'swapSubscribe' })
      slow.socket.pause()

      const wanted: string[] = []
      while (!stream.gateway.stats().ended.slowConsumer) {
        const swaps = [...Array.from({ length: 900 }, () => aSwap()), aSwap({ baseTokenMint: WANTED })]
        wanted.push(swaps.at(-1)!.cursor)
        await stream.publish(...swaps)
      }
      for (let more = 0; more < 3; more++) {
        const swap = aSwap({ baseTokenMint: WANTED })
        wanted.push(swap.cursor)
        await stream.publish(swap)
      }
      const got = await Promise.all(others.map((client) => client.untilPong()))
      slow.socket.resume()
      const closed = await slow.closed

      for (const frames of got) expect(frames.map(({ cursor }) => cursor)).toEqual(wanted)
      const { cursor } = JSON.parse(slow.texts.at(-3)!)
      const reason = `Your client read too slowly. Reconnect and resume from your cursor. resume_from: ${cursor}`
      expect(closed).toEqual({ code: 4008, reason })
      expect(JSON.parse(slow.texts.at(-1)!)).toEqual({
        subscription_id: 1,
        method: 'subscriptionClosed',
        reason,
      })
      const slots = slow.texts.slice(1, -2).map((text) => JSON.parse(text).params.slot)
      expect(slots.every((slot, at) => at === 0 || slot === slots[at - 1] + 1)).toBe(true)
    })

    it('cuts it if it does not even take its closing frames', async () => {
      await stream.close()
      stream = await openGateway({ limits: { outboxMaxBytes: 64 * 1024 } })
      const slow = await stream.connect()
      await slow.ask({ id: 1, method: 'swapSubscribe' })
      slow.socket.pause()
      while (!stream.gateway.stats().ended.slowConsumer) {
        await stream.publish(...Array.from({ length: 900 }, () => aSwap()))
      }
      const queuedBytes = stream.gateway.stats().queuedBytes

      stream.clock.advance(5_000)

      while (stream.gateway.stats().connections > 0) await new Promise((resolve) => setImmediate(resolve))
      expect(queuedBytes).toBeLessThan(64 * 1024 + 900 * 700)
    })
  })

  it('closes with a frame for each subscription, then 1001', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'newPairSubscribe' })
    await client.ask({ id: 2, method: 'swapSubscribe' })
    const swap = aSwap()
    await stream.bus.publish([swap])

    const closing = stream.gateway.close()
    const closed = await client.closed
    await closing

    const reason = `The service is restarting. Reconnect in a moment. resume_from: ${swap.cursor}`
    expect(closed).toEqual({ code: 1001, reason })
    expect(client.texts.slice(2).map((text) => JSON.parse(text))).toMatchObject([
      { subscription_id: 2, method: 'swapNotification' },
      { subscription_id: 1, method: 'subscriptionClosed', reason },
      { subscription_id: 2, method: 'subscriptionClosed', reason },
    ])
    await expect(stream.connect(2)).rejects.toMatchObject({ status: 503 })
  })

  it.each([
    ['2 s', undefined, 2_000],
    ['the given limit', 700, 700],
  ])('waits %s at most for clients that do not answer its close', async (_, withinMs, ms) => {
    const client = await stream.connect()
    client.socket.pause()

    const closing = stream.gateway.close(withinMs)
    stream.clock.advance(ms)
    await closing

    expect(stream.gateway.stats().connections).toBeLessThanOrEqual(1)
  })

  it('lists an account’s connections and counts what it was sent', async () => {
    const client = await stream.connect(1)
    await stream.connect(2)
    await client.ask({ id: 1, method: 'swapSubscribe' })
    await stream.publish(aSwap(), aSwap())
    await client.untilPong()

    const [open, ...others] = await stream.gateway.openConnections('a1')

    expect(others).toEqual([])
    expect(open).toMatchObject({
      address: '127.0.0.1',
      connectedAt: Date.UTC(2026, 10, 20, 12),
      subscriptions: [{ id: 1, kind: 'swap' }],
      sentEvents: 2,
      queuedBytes: 0,
    })
    expect(open!.sentBytes).toBeGreaterThan(1_000)
    expect(await stream.gateway.openConnections('nobody')).toEqual([])
    expect(stream.gateway.stats()).toMatchObject({
      connections: 2,
      subscriptions: 1,
      sentEvents: 2,
      acceptedUpgrades: 2,
      refusedUpgrades: {},
    })
  })

  it('forgets a client that has gone', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'swapSubscribe' })
    client.socket.close()
    await client.closed
    while (stream.gateway.stats().connections > 0) await new Promise((resolve) => setImmediate(resolve))

    await stream.publish(aSwap())

    expect(stream.gateway.stats()).toMatchObject({ connections: 0, subscriptions: 0, sentEvents: 0 })
    expect(await stream.gateway.openConnections('a1')).toEqual([])
    await expect(stream.connect(1, { headers: { 'X-API-KEY': keyNumber(1) } })).resolves.toBeDefined()
  })
})

/** Resolves once the gateway has read all that the client sent: websocket pings are answered outside the windows. */
function received(client: TestClient): Promise<void> {
  return new Promise((resolve) => {
    client.socket.once('pong', () => resolve())
    client.socket.ping()
  })
}
