import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { address, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { connectSlowReader, type SlowReader } from '../testing/slow-reader.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const CLOSED = 'Your client read too slowly. Reconnect and resume from your cursor.'

describe('the end of a connection', () => {
  let stream: TestGateway
  const readers: SlowReader[] = []
  beforeEach(async () => {
    stream = await openGateway()
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.destroy()
    await stream.close()
  })

  const turn = () => new Promise((resolve) => setImmediate(resolve))
  /** Lets sent frames arrive and be answered: both ends are in this process. */
  const turns = async () => {
    for (let count = 0; count < 5; count++) await turn()
  }
  const connections = () => stream.gateway.stats().connections
  const ended = () => stream.gateway.stats().ended.slowConsumer ?? 0

  /** A client that has subscribed to swaps and reads only when told to. */
  const aReader = async (number = 1, params: unknown = {}, answersPings = true) => {
    stream.accounts.set(`a${number}`, { key: keyNumber(number) })
    const reader = await connectSlowReader(stream.port, number, answersPings)
    readers.push(reader)
    reader.send({ id: 1, method: 'swapSubscribe', params })
    while (reader.texts.length === 0) {
      await reader.read(1_000)
    }
    return reader
  }
  /** Publishes windows of 400 swaps, some 240 KB, every 0.2 s until a client is dropped; it may read in between. */
  const overflow = async (between = async () => {}) => {
    let windows = 0
    for (; ended() === 0; windows++) {
      stream.clock.advance(200)
      await stream.publish(...Array.from({ length: 400 }, () => aSwap()))
      await between()
      await turn()
    }
    return windows
  }
  const slotsOf = (texts: readonly string[]) =>
    texts.flatMap((text) => JSON.parse(text).params?.slot ?? []) as number[]
  const isWhole = (slots: readonly number[]) =>
    slots.every((slot, at) => at === 0 || slot === slots[at - 1]! + 1)

  it('gives a slow client that still reads its whole queue, its closing frame and 4008', async () => {
    const reader = await aReader()

    const windows = await overflow(() => reader.read(0.6 * 240_000))
    let seconds = 0
    while (reader.closeCode() === undefined && !reader.isEnded()) {
      await reader.read(64 * 1024)
      await turns()
      stream.clock.advance(100)
      seconds += 0.1
    }

    expect(seconds).toBeGreaterThan(5)
    expect(reader.closeCode()).toBe(4008)
    const [lastEvent, gap, closed] = reader.texts.slice(-3).map((text) => JSON.parse(text))
    const { cursor } = lastEvent
    expect(closed).toEqual({
      subscription_id: 1,
      method: 'subscriptionClosed',
      reason: `${CLOSED} resume_from: ${cursor}`,
    })
    expect(gap).toEqual({
      method: 'gapNotification',
      params: {
        subscription_id: 1,
        fromSlot: lastEvent.params.slot,
        toSlot: lastEvent.params.slot + 400,
        cause: 'slow_consumer',
        resume_from: cursor,
      },
    })
    const slots = slotsOf(reader.texts)
    expect(isWhole(slots)).toBe(true)
    expect(slots).toHaveLength((windows - 1) * 400) // all but the window that overflowed
  })

  it('cuts a client that stops reading after 5 s, and frees its seat at once', async () => {
    await aReader()
    await overflow()

    const again = await stream.connect()
    stream.clock.advance(4_990)
    await turns()
    expect(connections()).toBe(2)
    stream.clock.advance(10)
    while (connections() > 1) await turn()

    expect(await again.ask({ id: 1, method: 'ping' })).toMatchObject({ id: 1 })
  })

  it('cuts a client that keeps reading after 60 s', async () => {
    // More than the system's own buffers, which take megabytes, can drain within the minute.
    await stream.close()
    stream = await openGateway({ limits: { outboxMaxBytes: 24 * 1024 * 1024 } })
    const reader = await aReader()
    await overflow()
    const queued = () => stream.gateway.stats().queuedBytes
    const readUntilItMoves = async () => {
      for (const before = queued(); queued() === before; ) await reader.read(100 * 1024)
    }

    for (let seconds = 0; seconds < 56; seconds += 4) {
      await readUntilItMoves()
      stream.clock.advance(4_000)
      expect(connections()).toBe(1)
    }
    await readUntilItMoves()
    expect(queued()).toBeGreaterThan(0)
    stream.clock.advance(4_000)

    while (connections() > 0) await turn()
    await reader.readAll()
    expect(reader.closeCode()).toBeUndefined()
    expect(isWhole(slotsOf(reader.texts))).toBe(true)
  })

  it('ends a client that stops reading for 150 s, which may reconnect at once', async () => {
    const reader = await aReader()
    await stream.publish(aSwap())

    for (let second = 0; second < 64; second++) stream.clock.advance(1_000)
    expect(connections()).toBe(1)
    for (let second = 64; second < 150; second++) {
      stream.clock.advance(1_000)
      await turns()
    }
    expect(connections()).toBe(0)

    await stream.connect()
    await reader.readAll()
    expect(reader.closeCode()).toBe(1001)
  })

  it('answers the pings of a client with a long queue', async () => {
    const reader = await aReader()
    await overflow()

    reader.ping()
    await turns()
    await reader.readAll()

    expect(reader.closeCode()).toBe(4008)
    expect(reader.pongs()).toBe(1)
  })

  it('drops the queue of a client that closes by itself', async () => {
    const reader = await aReader()
    while (stream.gateway.stats().queuedBytes < 100_000) {
      await stream.publish(...Array.from({ length: 100 }, () => aSwap()))
      await turn()
    }

    reader.close()
    await turns()

    expect(stream.gateway.stats()).toMatchObject({ heldBytes: 0, subscriptions: 0 })
    await reader.readAll()
    expect(reader.closeCode()).toBe(1000)
  })

  it('takes progress on a backlog as a sign of life when another connection wants the seat', async () => {
    const reader = await aReader(1, {}, false)
    while (stream.gateway.stats().queuedBytes < 100_000) {
      await stream.publish(...Array.from({ length: 100 }, () => aSwap()))
      await turn()
    }

    const newcomer = stream.connect().catch((error: unknown) => error)
    for (let count = 0; count < 20; count++) await turn()
    stream.clock.advance(1_999)
    while (stream.gateway.stats().queuedBytes > 0) {
      await reader.read(1_000_000)
    }

    expect(await newcomer).toMatchObject({ status: 429 })
  })

  describe('over the shared memory budget', () => {
    const BUDGET_BYTES = 2 * 1024 * 1024
    const everyTenth = { include: { baseTokenMint: [address(10)] } }

    beforeEach(async () => {
      await stream.close()
      // In one shard, so that all get the same frames.
      const limits = { outboxesMaxBytes: BUDGET_BYTES, connectsPerSecondPerAddress: 1_000, shards: 1 }
      stream = await openGateway({ limits })
    })

    /** Windows of 400 swaps, every tenth of the token that some clients filter for. */
    const publish = () =>
      stream.publish(
        ...Array.from({ length: 400 }, (_, at) => aSwap({ baseTokenMint: address(at % 10 === 0 ? 10 : 2) })),
      )

    it('drops the fullest first, with its closing frames only, and stays within the budget', async () => {
      const light = await aReader(1, everyTenth)
      const full = await Promise.all([2, 3, 4].map((number) => aReader(number, { include: { usdValue: 0 } })))
      expect(full).toHaveLength(3)
      const heavy = await aReader(5, { include: { baseTokenMint: [address(2), address(10)] } })

      let most = 0
      while (ended() === 0) {
        await publish()
        most = Math.max(most, stream.gateway.stats().heldBytes)
        await turn()
      }
      await publish()
      await heavy.readAll()
      const before = stream.gateway.stats().heldBytes

      expect(most).toBeGreaterThan(BUDGET_BYTES / 2)
      expect(most).toBeLessThanOrEqual(BUDGET_BYTES)
      expect(before).toBeLessThanOrEqual(BUDGET_BYTES)
      expect(heavy.closeCode()).toBe(4008)
      const slots = slotsOf(heavy.texts)
      expect(isWhole(slots)).toBe(true)
      // The queue is gone: the cursor to resume from is just after the last event read.
      const [gap, closed] = heavy.texts.slice(-2).map((text) => JSON.parse(text))
      expect(gap.params).toMatchObject({ cause: 'slow_consumer', fromSlot: slots.at(-1) })
      expect(gap.params.toSlot).toBeGreaterThan(slots.at(-1)! + 400)
      expect(closed).toMatchObject({
        method: 'subscriptionClosed',
        reason: `${CLOSED} resume_from: ${gap.params.resume_from}`,
      })
      expect(light.isEnded()).toBe(false)
      expect(await stream.gateway.openConnections('a1')).toHaveLength(1)
    })

    // Its ids come back in the answers that wait for it.
    it('takes no id of a request for a place in the stream, and goes on keeping within the budget', async () => {
      const reader = await aReader(1, { include: { baseTokenMint: [address(99)] } })
      const id = { cursor: 'mine', rest: 'x'.repeat(40_000) }
      while (ended() === 0) {
        reader.send({ id, method: 'ping' })
        stream.clock.advance(50)
        await turn()
      }
      const others = await Promise.all(
        Array.from({ length: 3 }, (_, at) =>
          aReader(at + 2, { include: { usdValue: 0, baseTokenMint: [address(2)] } }),
        ),
      )

      let most = 0
      for (let windows = 0; windows < 100 && ended() < 2; windows++) {
        await publish()
        most = Math.max(most, stream.gateway.stats().heldBytes)
        await turn()
      }

      expect(others).toHaveLength(3)
      expect(most).toBeLessThanOrEqual(BUDGET_BYTES)
      await reader.readAll()
      expect(reader.closeCode()).toBe(4008)
    })

    it('counts frames once, however many clients without a filter wait for them', async () => {
      const all = await Promise.all(Array.from({ length: 40 }, (_, at) => aReader(at + 1)))
      while (stream.gateway.stats().queuedBytes < 40 * 1024 * 1024) {
        await publish()
        await turn()
      }

      const { queuedBytes, heldBytes } = stream.gateway.stats()

      expect(ended()).toBe(0)
      expect(all).toHaveLength(40)
      expect(heldBytes).toBeLessThan(queuedBytes / 10)
    })
  })
})
