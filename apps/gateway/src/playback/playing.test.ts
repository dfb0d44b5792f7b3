import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { blocksFrom, createFakeArchive, type FakeArchive, hourAt } from '../testing/fake-archive.ts'
import { connectSlowReader } from '../testing/slow-reader.ts'
import type { Frame, TestClient } from '../testing/test-client.ts'
import { connectOnPlan, openGateway, type TestGateway } from '../testing/test-gateway.ts'

const HOUR = hourAt(13)
const FROM = '2026-11-19T13:00:00Z'
const WINDOW = { from: FROM, to: '2026-11-19T13:00:10Z' }

describe('a subscribe with replay', () => {
  let stream: TestGateway
  let archive: FakeArchive
  let client: TestClient
  const events = blocksFrom(HOUR, { count: 5 })
  beforeEach(async () => {
    stream = await openGateway({ limits: { connectsBurstPerKey: 100 } })
    archive = createFakeArchive(stream.bus)
    archive.hours.set(HOUR, events)
    stream.accounts.bought.add(`a1 ${HOUR}`)
    client = await stream.connect()
  })
  afterEach(() => stream.close())

  const subscribe = (method: string, params: object = {}, id = 1) => ({
    id,
    method: `${method}Subscribe`,
    params: { replay: WINDOW, ...params },
  })
  const frames = (): Frame[] => client.texts.map((text) => JSON.parse(text))
  /** Lets time pass, and sent frames arrive. */
  const pass = async (ms: number) => {
    await stream.clock.pass(ms)
    await client.untilPong()
  }

  it('is answered with what it replays, sends it, reports the end and stays open', async () => {
    const answer = await client.ask(subscribe('swap', { replay: { from: FROM } }))
    await client.ask({ id: 2, method: 'swapUnsubscribe', params: { subscription_id: 1 } })
    await client.ask(subscribe('swap', {}, 3))
    await pass(11_500)

    expect(answer).toEqual({
      ...{ jsonrpc: '2.0', id: 1 },
      result: {
        subscription_id: 1,
        replay: { from: FROM, to: '2026-11-19T14:00:00Z', speed: 1 },
      },
    })
    const sent = frames().filter(({ method }) => method !== undefined)
    expect(sent.slice(0, -1)).toHaveLength(15)
    expect(sent.at(-1)).toEqual({
      subscription_id: 2,
      method: 'subscriptionClosed',
      reason: 'The replay has ended.',
      errorType: 'REPLAY_ENDED',
    })
    expect(await client.ask(subscribe('swap', { replay: { from: FROM, speed: 10 } }, 4))).toMatchObject({
      result: { subscription_id: 3, replay: { speed: 10 } },
    })
  })

  it('sends the frames of the live stream, identical except for "replay":true', async () => {
    await client.ask({ id: 1, method: 'swapSubscribe' })
    await client.ask({ id: 2, method: 'latestBlockSubscribe' })
    await stream.publish(...events)
    await client.untilPong()
    const live = client.texts.filter((text) => text.includes('Notification'))
    await client.ask({ id: 3, method: 'swapUnsubscribe', params: { subscription_id: 1 } })
    await client.ask({ id: 4, method: 'latestBlockUnsubscribe', params: { subscription_id: 2 } })
    const begin = client.texts.length

    await client.ask(subscribe('swap'))
    await client.ask(subscribe('latestBlock'))
    await pass(5_000)

    const played = client.texts.slice(begin).filter((text) => text.includes('Notification'))
    expect(played).toHaveLength(20)
    expect(
      played.map((text) =>
        text.replace(
          /^(\{"subscription_id":)(\d)(,"method":"\w+"),"replay":true/,
          (_, head, id, method) => `${head}${id - 2}${method}`,
        ),
      ),
    ).toEqual(live)
  })

  it('reports a simulated source like any subscribe', async () => {
    const simulated = await openGateway({ source: 'simulator' })
    createFakeArchive(simulated.bus).sample = HOUR
    const own = await simulated.connect()

    expect((await own.ask(subscribe('swap'))).result).toEqual({
      ...{ subscription_id: 1, replay: { ...WINDOW, speed: 1 }, simulated: true },
    })
    await simulated.close()
  })

  it('allows a live latestBlock next to it, each under its own number', async () => {
    await client.ask({ id: 1, method: 'latestBlockSubscribe' })
    await client.ask(subscribe('swap', {}, 2))
    await client.ask(subscribe('latestBlock', {}, 3))
    await pass(2_000)
    const [live] = blocksFrom(Date.UTC(2026, 10, 20, 12), { count: 1, swaps: 0 })
    await stream.publish(live!)
    await client.untilPong()

    const sent = frames().filter(({ cursor }) => cursor)
    const idsOf = (marked: true | undefined) =>
      new Set(sent.filter(({ replay }) => replay === marked).map(({ subscription_id }) => subscription_id))
    expect([idsOf(undefined), idsOf(true)]).toEqual([new Set([1]), new Set([2, 3])])
    expect(sent.findLast(({ replay }) => !replay).cursor).toBe(live!.cursor)
  })

  it('allows no other live stream next to it, whichever came first', async () => {
    await client.ask({ id: 1, method: 'newPairSubscribe' })
    const second = await client.ask(subscribe('swap', {}, 2))
    await client.ask({ id: 3, method: 'newPairUnsubscribe', params: { subscription_id: 1 } })
    await client.ask(subscribe('swap', {}, 4))
    const live = await client.ask({ id: 5, method: 'swapSubscribe' })

    for (const { error } of [second, live]) {
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('live latestBlock') })
    }
  })

  it('plays one window at a time, and one subscription of a kind', async () => {
    await client.ask(subscribe('swap'))

    const other = await client.ask(subscribe('latestBlock', { replay: { ...WINDOW, speed: 2 } }, 2))
    const second = await client.ask(subscribe('swap', {}, 3))

    expect(other.error).toMatchObject({ code: -32602, message: expect.stringContaining('another replay') })
    expect(second.error).toMatchObject({ code: -32010, message: expect.stringContaining('replayed swap') })
  })

  it('begins at once on startSimulation, which answers true even if nothing waits', async () => {
    const early = await client.ask({ id: 9, method: 'startSimulation' })
    client.send(subscribe('swap'))
    client.send({ method: 'startSimulation' })
    await stream.clock.pass(310)
    await client.untilPong()

    expect(early).toEqual({ jsonrpc: '2.0', id: 9, result: true })
    expect(client.texts[1]).toBe('{"jsonrpc":"2.0","result":true}')
    expect(frames()[2]).toMatchObject({ id: 1, result: { subscription_id: 1 } })
    expect(frames().filter(({ replay }) => replay)).toHaveLength(3)
  })

  it('filters like the live stream, also after a change, and ends with the unsubscribe', async () => {
    archive.hours.set(HOUR, blocksFrom(HOUR, { count: 20 }))
    await client.ask(subscribe('swap', { swapType: ['sell'] }))
    await pass(3_000)
    const none = frames().filter(({ replay }) => replay)
    const changed = { subscription_id: 1, params: { swapType: ['buy'] } }
    await client.ask({ id: 2, method: 'updateSubscriptionParams', params: changed })
    await pass(2_000)
    const some = frames().filter(({ replay }) => replay)
    await client.ask({ id: 3, method: 'swapUnsubscribe', params: { subscription_id: 1 } })
    await pass(9_000)

    expect(none).toHaveLength(0)
    expect(some.length).toBeGreaterThan(10)
    expect(frames().filter(({ replay }) => replay)).toHaveLength(some.length)
    expect(frames().some(({ method }) => method === 'subscriptionClosed')).toBe(false)
  })

  it("ignores the plan's filter rules, is not counted, and does not use up its cap", async () => {
    stream.accounts.bought.add(`plan2 ${HOUR}`)
    const basic = await connectOnPlan(stream, 2, 2)

    const answer = await basic.ask(subscribe('swap'))
    const update = { subscription_id: 1, params: {} }
    const changed = await basic.ask({ id: 2, method: 'updateSubscriptionParams', params: update })
    await stream.clock.pass(5_000)
    await basic.untilPong()

    expect([answer.result.subscription_id, changed.result]).toEqual([1, true])
    expect(basic.texts.filter((text) => text.includes('swapNotification'))).toHaveLength(15)
    expect(stream.accounts.recorded).toEqual([])
    const [{ sentBytes } = { sentBytes: 0 }] = await stream.gateway.openConnections('plan2')
    expect(sentBytes).toBeGreaterThan(5_000)
  })

  it('plays only ordered hours, or the sample', async () => {
    archive.sample = hourAt(9)
    const beyond = { from: FROM, to: '2026-11-19T14:00:01Z' }

    const refused = await client.ask(subscribe('swap', { replay: beyond }))
    const sample = await client.ask(subscribe('swap', { replay: { from: '2026-11-19T09:30:00Z' } }, 2))

    expect(refused.error).toEqual({
      code: -32015,
      message:
        'You have no order for 2026-11-19 14:00 UTC. Buy it in the shop, or replay the sample hour 20261119-090000.',
      data: { errorType: 'NO_ORDER', docs: 'https://docs.example/errors/no-order' },
    })
    expect(sample.result).toMatchObject({ subscription_id: 1 })
  })

  it('reports that the archive is unavailable', async () => {
    archive.isAway = true

    const answer = await client.ask(subscribe('swap'))

    expect(answer.error).toMatchObject({
      code: -32603,
      message: 'The archive is away; try again in a minute.',
      data: { errorType: 'REPLAY_AWAY' },
    })
    archive.isAway = false
    expect(await client.ask(subscribe('swap'))).toHaveProperty('result')
  })

  it('is not closed for being slow: it waits 30 s for a client that reads nothing, queues little, and loses nothing', async () => {
    const many = blocksFrom(HOUR, { count: 25, swaps: 400 })
    archive.hours.set(HOUR, many)
    stream.accounts.set('slow', { key: keyNumber(9) })
    stream.accounts.bought.add(`slow ${HOUR}`)
    const reader = await connectSlowReader(stream.port, 9)
    reader.send(subscribe('swap', { replay: { ...WINDOW, speed: 10 } }))
    await stream.clock.pass(0)

    await stream.clock.pass(30_000)
    const [{ queuedBytes } = { queuedBytes: 0 }] = await stream.gateway.openConnections('slow')
    while (!reader.texts.at(-1)?.includes('REPLAY_ENDED')) {
      await reader.read(1_000_000)
      await stream.clock.pass(100)
    }

    expect(queuedBytes).toBeGreaterThan(0)
    expect(queuedBytes).toBeLessThan(256 * 1024)
    const played = reader.texts.map((text) => JSON.parse(text)).filter(({ replay }) => replay)
    expect(played.map(({ cursor }) => cursor)).toEqual(
      many.filter(({ kind }) => kind === 'swap').map(({ cursor }) => cursor),
    )
    reader.destroy()
  })

  it('ends with 1001 when the gateway restarts, and resumes from its cursor on the next: every event once', async () => {
    await client.ask(subscribe('swap'))
    await pass(2_200)
    const closed = stream.gateway.close()
    stream.clock.advance(10_000)
    const { code } = await client.closed
    await closed
    const { reason, errorType } = frames().at(-1)!
    const [, resume_from] = reason.split(' resume_from: ')

    const next = await openGateway({ beside: stream })
    const returned = await next.connect()
    await returned.ask(subscribe('swap', { resume_from }))
    await next.clock.pass(11_500)
    await returned.untilPong()

    expect([code, errorType]).toEqual([1001, undefined])
    const before = frames().filter(({ replay }) => replay)
    const after = returned.texts.map((text): Frame => JSON.parse(text)).filter(({ replay }) => replay)
    expect([before.length > 0, after.length > 0]).toEqual([true, true])
    expect([...before, ...after].map(({ cursor }) => cursor)).toEqual(
      events.filter(({ kind }) => kind === 'swap').map(({ cursor }) => cursor),
    )
    await next.close()
  })

  it.each([
    [{ replay: true }, 'replay must be an object, as in "replay":{"from":"2026-11-23T13:00:00Z"}.'],
    [
      { replay: {} },
      'replay needs the time at which it begins, as in "replay":{"from":"2026-11-23T13:00:00Z"}.',
    ],
    [{ replay: { from: 1_795_000_000 } }, 'replay.from must be a time in whole seconds'],
    [{ replay: { from: '2026-11-19T13:00:00.5Z' } }, 'replay.from must be a time in whole seconds'],
    [{ replay: { from: '2026-02-30T13:00:00Z' } }, 'replay.from must be a time in whole seconds'],
    [{ replay: { from: FROM, to: FROM } }, 'replay.to must be later than replay.from.'],
    [
      { replay: { from: FROM, to: '2026-11-20T13:00:01Z' } },
      'replay.to must be at most 24 hours after replay.from.',
    ],
    [
      { replay: { from: FROM, speed: 11 } },
      'replay.speed must be a number from 1 to 10, without quotes, not 11.',
    ],
    [
      { replay: { from: FROM, speed: '2' } },
      'replay.speed must be a number from 1 to 10, without quotes, not "2".',
    ],
    [{ replay: { from: FROM, until: FROM } }, 'replay has no field "until". It takes from, to, speed.'],
    [{ commitment: 'confirmed' }, 'commitment cannot stand beside replay. Leave it out.'],
    [{ timestamps: false }, 'timestamps cannot stand beside replay. Leave it out.'],
    [{ facts: true }, 'facts is not available here: the archive holds no facts. Leave it out.'],
    [{ resume_from: 'x' }, 'resume_from is not a cursor'],
    [{ resume_from: aSwap().cursor }, 'resume_from is outside of what is replayed.'],
  ])('refuses %j with a sentence', async (params, sentence) => {
    const { error } = await client.ask(subscribe('swap', params))

    expect(error.code).toBe(-32602)
    expect(error.message).toContain(sentence)
  })

  it('keeps out what cannot stand beside it when an update brings it too', async () => {
    await client.ask(subscribe('swap'))

    const answers = []
    for (const changed of [{ timestamps: true }, { facts: true }]) {
      const params = { subscription_id: 1, params: changed }
      answers.push(await client.ask({ id: 2, method: 'updateSubscriptionParams', params }))
    }

    expect(answers.map(({ error }) => error?.message)).toEqual([
      'timestamps cannot stand beside replay. Leave it out.',
      'facts is not available here: the archive holds no facts. Leave it out.',
    ])
  })

  it('is never ignored where it does not belong', async () => {
    const outside = await client.ask({ id: 1, method: 'latestBlockSubscribe', replay: WINDOW })
    const inside = await client.ask({
      id: 2,
      method: 'swapSubscribe',
      params: { include: { replay: WINDOW } },
    })
    await client.ask({ id: 3, method: 'swapSubscribe' })
    const params = { subscription_id: 1, params: { replay: WINDOW } }
    const update = await client.ask({ id: 4, method: 'updateSubscriptionParams', params })

    const messages = [outside, inside, update].map(({ error }) => error.message)
    expect(messages).toEqual([
      'replay is outside params. Send {"method":"latestBlockSubscribe","params":{"replay":…}}.',
      'replay is inside include. Move it next to include: "params":{"include":{…},"replay":…}.',
      'An update cannot change what is replayed. Leave replay out, or unsubscribe and subscribe again.',
    ])
  })
})
