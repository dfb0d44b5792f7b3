import type { Bus } from '@pairwire/bus'
import { CLOSE_REASONS, cursorBefore, type StreamEvent } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { aBlock, address, aNewPair, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { readStream } from '../testing/stream-reader.ts'
import type { Frame, TestClient } from '../testing/test-client.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

/** The billing period of the accounts. */
const PERIOD = '2026-11-01'

describe('a subscribe with resume_from', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway({
      limits: { connectsPerSecondPerAddress: 1_000, connectsBurstPerKey: 1_000 },
      busMaxBytes: 8_000_000,
    })
  })
  afterEach(() => stream.close())

  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const swaps = (count: number) => Array.from({ length: count }, () => aSwap())
  const resume = (event: { cursor: string }, more: object = {}, method = 'swapSubscribe', id = 1) => ({
    id,
    method,
    params: { resume_from: event.cursor, ...more },
  })
  /** Advances time until the client has that many frames. */
  const until = async (client: TestClient, frames: number) => {
    for (let turns = 0; client.texts.length < frames && turns < 2_000; turns++) {
      stream.clock.advance(1)
      await turn()
    }
    return client.texts.map((text) => JSON.parse(text) as Frame)
  }
  const cursorsOf = (frames: readonly Frame[]) => frames.flatMap(({ cursor }) => cursor ?? [])
  const cursors = (events: readonly StreamEvent[]) => events.map(({ cursor }) => cursor)

  it('is answered, then gets the missed events, then the live stream, with nothing lost or repeated', async () => {
    const events = swaps(5_000)
    await stream.publish(...events.slice(0, 4_000))
    const client = await stream.connect()

    client.send(resume(events[9]!))
    let published = 4_000
    while (client.texts.length < 4_991) {
      if (published < 5_000) await stream.bus.publish(events.slice(published, published + 50))
      published += 50
      await until(client, client.texts.length + 1)
    }
    await client.untilPong()

    const [answer, ...frames] = client.texts.map((text) => JSON.parse(text))
    expect(answer.result).toEqual({ subscription_id: 1 })
    expect(cursorsOf(frames)).toEqual(cursors(events.slice(10)))
    await until(client, client.texts.length + 1)
    expect(stream.accounts.delivered('a1', PERIOD, 'swap')).toBe(4_990)
  })

  it('is replayed together with others that arrive at the same time, in chain order', async () => {
    const events = [aSwap(), aNewPair(), aBlock(), aSwap(), aBlock(), aNewPair(), aSwap()]
    await stream.publish(...events)
    const client = await stream.connect()

    client.send(resume(events[2]!, {}, 'latestBlockSubscribe', 1))
    client.send(resume(events[0]!, {}, 'swapSubscribe', 2))
    client.send(resume(events[0]!, {}, 'newPairSubscribe', 3))
    const frames = await until(client, 8)

    // The blocks from the third event on.
    expect(cursorsOf(frames)).toEqual(cursors([1, 3, 4, 5, 6].map((at) => events[at]!)))
  })

  it('waits for a running replay', async () => {
    const events = [aNewPair(), ...swaps(3_000), aNewPair()]
    await stream.publish(...events)
    const client = await stream.connect()
    client.send(resume(events[0]!))
    await until(client, 50)

    client.send(resume({ cursor: cursorBefore(events[1]!.cursor) }, {}, 'newPairSubscribe', 2))
    const frames = await until(client, 3_003)

    expect(frames.slice(1, 3_001).map(({ method }) => method)).toEqual(Array(3_000).fill('swapNotification'))
    expect(frames.slice(3_001)).toMatchObject([{ id: 2 }, { cursor: events.at(-1)!.cursor }])
  })

  it('refuses a second of its kind while it waits', async () => {
    const [event] = swaps(1)
    await stream.publish(event!)
    const client = await stream.connect()

    client.send(resume({ cursor: aSwap().cursor }))
    const second = await client.ask({ id: 2, method: 'swapSubscribe' })

    expect(second).toMatchObject({ id: 2, error: { code: -32010 } })
  })

  it('ends its replay with the unsubscribe, before the answer', async () => {
    const events = swaps(3_000)
    await stream.publish(...events)
    const client = await stream.connect()
    client.send(resume(events[0]!))
    await until(client, 50)

    client.send({ id: 2, method: 'swapUnsubscribe', params: { subscription_id: 1 } })
    for (let turns = 0; turns < 50; turns++) await until(client, client.texts.length + 1)
    await stream.publish(aSwap())
    await client.untilPong()

    const frames = client.texts.map((text) => JSON.parse(text))
    const answered = frames.findIndex(({ id }) => id === 2)
    expect(answered).toBeGreaterThan(40)
    expect(answered).toBeLessThan(2_900)
    expect(frames.slice(answered + 1)).toMatchObject([{ id: 'fence' }])
  })

  it('takes changed params between two events of its replay', async () => {
    const events = Array.from({ length: 3_000 }, (_, at) => aSwap({ swapType: at % 2 ? 'buy' : 'sell' }))
    await stream.publish(...events)
    const client = await stream.connect()
    client.send(resume(events[0]!))
    await until(client, 50)

    client.send({
      id: 2,
      method: 'updateSubscriptionParams',
      params: { subscription_id: 1, params: { swapType: ['buy'] } },
    })
    while (!client.texts.some((text) => text.includes(events.at(-1)!.cursor))) {
      await until(client, client.texts.length + 1)
    }

    const frames = client.texts.map((text) => JSON.parse(text))
    const answered = frames.findIndex(({ id }) => id === 2)
    const last = frames[answered - 1].cursor
    expect(cursorsOf(frames.slice(answered))).toEqual(
      cursors(events.filter((event, at) => event.cursor > last && at % 2 === 1)),
    )
  })

  it('gets the gaps that it missed, whatever its filter', async () => {
    const [first, second] = [aSwap(), aSwap()]
    const params = { fromSlot: 8, toSlot: 11, cause: 'upstream', resume_from: null } as const
    await stream.publish(first, { kind: 'gap', cursor: `${first.cursor.slice(0, -1)}1`, params }, second)
    const client = await stream.connect()

    client.send(resume(first, { include: { walletAccount: [address(99)] } }))
    const frames = await until(client, 2)

    expect(frames.slice(1)).toEqual([
      { method: 'gapNotification', params: { subscription_id: 1, ...params } },
    ])
  })

  it('stops exactly at the cap of the plan, and reports that last', async () => {
    const events = swaps(1_100)
    await stream.publish(...events)
    stream.accounts.set('a1', { key: '1'.padStart(32, '0'), planId: 1 })
    const client = await stream.connect()
    stream.accounts.set('a1', { planId: 1 })

    client.send(resume(events[0]!))
    const frames = await until(client, 1_002)

    expect(cursorsOf(frames)).toEqual(cursors(events.slice(1, 1_001)))
    expect(frames.at(-1)).toMatchObject({ method: 'subscriptionClosed', subscription_id: 1 })
  })

  it.each([
    ['no text', 5],
    ['no cursor', 'yesterday'],
    ['a cursor with trailing text', `${aSwap().cursor} `],
  ])('refuses %s with -32602', async (_what, resume_from) => {
    const client = await stream.connect()

    const answer = await client.ask({ id: 1, method: 'latestBlockSubscribe', params: { resume_from } })

    expect(answer.error).toMatchObject({ code: -32602, data: { errorType: 'INVALID_CURSOR' } })
  })

  it('refuses a cursor that is too old with -32014 and the oldest one kept', async () => {
    const events = swaps(12_000)
    for (let at = 0; at < 12_000; at += 100) await stream.publish(...events.slice(at, at + 100))
    const oldest = await stream.bus.oldestCursor()
    const client = await stream.connect()

    const answer = await client.ask(resume(events[0]!))

    expect(oldest! > events[1]!.cursor).toBe(true)
    expect(answer.error).toMatchObject({ code: -32014, data: { errorType: 'CURSOR_TOO_OLD', oldest } })
    expect(answer.error.message).toContain(oldest)
    client.send(resume({ cursor: oldest! }, {}, 'swapSubscribe', 2))
    const frames = await until(client, 3)
    expect(frames[1]).toMatchObject({ id: 2, result: { subscription_id: 1 } })
  })

  it('waits 5 s for the stream to reach a cursor ahead of it, then refuses it with -32014', async () => {
    await stream.publish(aSwap())
    const [patient, other] = [await stream.connect(1), await stream.connect(2)]
    const [ahead, next] = swaps(2)
    patient.send(resume(ahead!))
    other.send(resume({ cursor: '000000009-000000000001-000000-0000' }))

    await Promise.all([patient.untilPong(), other.untilPong()])
    for (let seconds = 0; seconds < 4; seconds++) {
      stream.clock.advance(1_000)
      await turn()
    }
    expect([patient.texts.length, other.texts.length]).toEqual([1, 1])
    await stream.publish(ahead!, next!)
    const frames = await until(patient, 3)
    for (let steps = 0; steps < 40; steps++) {
      stream.clock.advance(50)
      await turn()
    }

    expect(cursorsOf(frames)).toEqual([next!.cursor])
    expect((await other.next()).error).toMatchObject({ code: -32014, data: { errorType: 'CURSOR_AHEAD' } })
  })

  describe('while the stream cannot be read', () => {
    /** A gateway whose bus fails the given number of reads. */
    const openFailing = async (failures: number) => {
      let left = failures
      const bus: Bus = {
        ...stream.bus,
        async holds(cursor) {
          if (left-- > 0) throw new Error('timeout')
          return stream.bus.holds(cursor)
        },
      }
      return openGateway({ beside: { bus, accounts: stream.accounts }, clock: stream.clock })
    }

    it('is retried, and answered once the stream can be read', async () => {
      const events = swaps(3)
      await stream.publish(...events)
      const gateway = await openFailing(2)
      onTestFinished(() => gateway.close())
      const client = await gateway.connect()

      client.send(resume(events[0]!))
      const [answer, ...frames] = await until(client, 3)

      expect(answer.result).toEqual({ subscription_id: 1 })
      expect(cursorsOf(frames)).toEqual(cursors(events.slice(1)))
    })

    it('closes with 1001 after 5 s, so that the client reconnects with its cursor, and answers no error', async () => {
      const [event] = swaps(1)
      await stream.publish(event!, aSwap())
      const gateway = await openFailing(Number.POSITIVE_INFINITY)
      onTestFinished(() => gateway.close())
      const client = await gateway.connect()
      const from = stream.clock.elapsed()

      client.send(resume(event!))
      while (!gateway.gateway.stats().ended.streamAway) {
        stream.clock.advance(10)
        await turn()
      }

      const close = await client.closed
      expect(close).toEqual({ code: 1001, reason: CLOSE_REASONS.streamAway.sentence })
      expect(stream.clock.elapsed() - from).toBeGreaterThanOrEqual(5_000)
      expect(client.texts).toEqual([])
    })

    it('is told in the log once, however many clients come, by either way', async () => {
      const [event] = swaps(1)
      await stream.publish(event!, aSwap())
      const gateway = await openFailing(Number.POSITIVE_INFINITY)
      onTestFinished(() => gateway.close())

      for (const number of [1, 2]) (await gateway.connect(number)).send(resume(event!))
      const path = `/v1/stream/swaps?resume_from=${event!.cursor}`
      const refused = readStream(gateway.port, path, { headers: { 'X-API-KEY': keyNumber(2) } })
      for (let isOver = false; !isOver; await turn()) {
        stream.clock.advance(10)
        const { ended, refusedUpgrades } = gateway.gateway.stats()
        isOver = ended.streamAway === 2 && refusedUpgrades[503] === 1
      }

      expect((await refused).status).toBe(503)
      expect(gateway.logged.map((line) => JSON.parse(line).sentence)).toEqual([
        'Cannot read the events that clients have missed; they have to come back.',
      ])
    })

    it('is told once too when it goes away during the replays, which are tried again', async () => {
      const events = swaps(2)
      await stream.publish(...events)
      let reads = 0
      const replay = () => {
        reads++
        throw new Error('timeout')
      }
      const beside = { bus: { ...stream.bus, replay }, accounts: stream.accounts }
      const gateway = await openGateway({ beside, clock: stream.clock })
      onTestFinished(() => gateway.close())

      for (const number of [1, 2]) await (await gateway.connect(number)).ask(resume(events[0]!))
      while (reads < 6) {
        stream.clock.advance(10)
        await turn()
      }

      expect(gateway.logged.map((line) => JSON.parse(line).sentence)).toEqual([
        'Events that clients have missed could not be read; retrying.',
      ])
    })
  })

  describe('within a minute', () => {
    const REFUSED = { code: -32029, message: expect.stringContaining('60 times') }

    it('may be sent on 60 connections of an account, several on one at the same time counting once, else -32029', async () => {
      const event = aSwap()
      await stream.publish(event)
      for (let count = 0; count < 60; count++) {
        const client = await stream.connect()
        expect((await client.ask(resume(event))).result).toEqual({ subscription_id: 1 })
        expect((await client.ask(resume(event, {}, 'newPairSubscribe'))).result).toEqual({
          subscription_id: 2,
        })
        client.socket.terminate()
        while (stream.gateway.stats().connections > 0) await turn()
        stream.clock.advance(50)
      }

      const client = await stream.connect()
      const [refused, plain] = [
        await client.ask(resume(event)),
        await client.ask({ id: 2, method: 'swapSubscribe' }),
      ]
      stream.clock.advance(60_000) // which also ends the connection
      await client.closed
      const later = await (await stream.connect()).ask(resume(event))

      expect(refused.error).toMatchObject(REFUSED)
      expect([plain.result, later.result]).toEqual([{ subscription_id: 1 }, { subscription_id: 1 }])
    })

    /** Resumes and unsubscribes `times` times, with each kind in turn; returns the answers to the resumes. */
    const resumeAgain = async (from: TestGateway, client: TestClient, kinds: string[], times: number) => {
      const [event] = swaps(1)
      await from.publish(event!)
      const answers: Frame[] = []
      for (let count = 0; count < times; count++) {
        const kind = kinds[count % kinds.length]!
        const answer = await client.ask(resume(event!, {}, `${kind}Subscribe`))
        answers.push(answer)
        from.clock.advance(100) // requests have a rate
        const params = { subscription_id: answer.result?.subscription_id }
        if (answer.result) await client.ask({ id: 2, method: `${kind}Unsubscribe`, params })
      }
      return answers
    }

    // Otherwise one connection could cause some twenty disk reads a second.
    it('may be sent 60 times on one connection', async () => {
      const answers = await resumeAgain(stream, await stream.connect(), ['swap'], 61)

      expect(answers.findIndex(({ error }) => error)).toBe(60)
      expect(answers[60].error).toMatchObject(REFUSED)
    })

    it('counts again when its kind is already among those that arrived together', async () => {
      const strict = await openGateway({ limits: { resumesPerMinute: 5 } })
      onTestFinished(() => strict.close())
      const client = await strict.connect()
      // It waits for the stream to reach its cursor; all others arrive in the meantime.
      client.send(resume({ cursor: '000000009-000000000001-000000-0000' }, {}, 'latestBlockSubscribe', 9))

      const answers = await resumeAgain(strict, client, ['swap', 'newPair'], 11)

      expect(answers.findIndex(({ error }) => error)).toBe(10)
    })
  })

  it('is valid only in a subscribe: an update with it is refused', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'swapSubscribe' })

    const answer = await client.ask({
      id: 2,
      method: 'updateSubscriptionParams',
      params: { subscription_id: 1, params: { resume_from: aSwap().cursor } },
    })

    expect(answer.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('An update cannot resume'),
    })
  })

  it('reports a gap to a client that reads its replay too slowly, and continues after it', async () => {
    const small = await openGateway({
      busMaxBytes: 1_000_000,
      limits: { recentEvents: 100, replayedEventsKept: 100 },
    })
    const heavy = Array.from({ length: 900 }, () => aSwap({ quotePrice: '1'.repeat(20_000) }))
    const light = swaps(2_000)
    await small.publish(...heavy)
    const client = await small.connect()
    client.socket.pause()
    const pass = async (turns: number) => {
      for (let passed = 0; passed < turns; passed++) {
        small.clock.advance(1)
        await turn()
      }
    }

    client.send(resume(heavy[0]!))
    await pass(300)
    for (let at = 0; at < light.length; at += 50) await small.publish(...light.slice(at, at + 50))
    client.socket.resume()
    while (!client.texts.at(-1)?.includes(light.at(-1)!.cursor)) await pass(1)

    const [, ...frames] = client.texts.map((text) => JSON.parse(text) as Frame)
    const at = frames.findIndex(({ method }) => method === 'gapNotification')
    const oldest = frames[at + 1].params.slot
    expect(frames[at].params).toEqual({
      subscription_id: 1,
      fromSlot: frames[at - 1].params.slot,
      toSlot: oldest - 1,
      cause: 'slow_consumer',
      resume_from: null,
    })
    const all = cursors([...heavy, ...light])
    const [before, behind] = [cursorsOf(frames.slice(0, at)), cursorsOf(frames.slice(at + 1))]
    expect(before).toEqual(all.slice(1, 1 + before.length))
    expect(behind).toEqual(all.slice(-behind.length))
    await small.close()
  })

  it('queues no more than its client reads', async () => {
    const events = Array.from({ length: 900 }, () => aSwap({ quotePrice: '1'.repeat(20_000) }))
    const heavy = await openGateway({ limits: { outboxMaxBytes: 1_000_000 } })
    for (const event of events) await heavy.bus.publish([event])
    heavy.clock.advance(5)
    const client = await heavy.connect()
    client.socket.pause()

    client.send(resume({ cursor: (await heavy.bus.oldestCursor())! }))
    for (let turns = 0; turns < 500; turns++) {
      heavy.clock.advance(1)
      await turn()
    }

    expect(heavy.gateway.stats().ended).toEqual({})
    expect(heavy.gateway.stats().queuedBytes).toBeLessThan(200_000)
    client.socket.resume()
    await heavy.close()
  })
})
