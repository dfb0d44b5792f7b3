import { describe, expect, it } from 'vitest'
import { createSdkUnderTest, type FakeSocket } from './testing/fake-sockets.ts'

const methods = ({ sent }: FakeSocket) => sent.map(({ method }) => method)

describe('the reconnecting connection', () => {
  it('opens with the first reader, names its version, and asks for refusals by close code', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest()
    const swaps = pairwire.swaps({ include: { usdValue: 5 } })
    await clock.pass(0)
    expect(sockets).toHaveLength(0)

    swaps.on('event', () => {})
    await clock.pass(0)

    const query = Object.fromEntries(sockets[0]!.url.searchParams)
    expect(query).toMatchObject({ key: 'the key', refusals: 'close' })
    expect(query.client).toMatch(/^pairwire-js\/\d+\.\d+\.\d+$/)
  })

  it('subscribes to everything at once, latest blocks included', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    pairwire.swaps({ include: { usdValue: 5 } }).on('event', () => {})
    pairwire.newPairs().on('event', () => {})

    const socket = await connect()

    expect(methods(socket)).toEqual(['swapSubscribe', 'newPairSubscribe', 'latestBlockSubscribe'])
    expect(socket.sent[0]?.params).toEqual({ include: { usdValue: 5 } })
  })

  it.each([1000, 1001, 1005, 1006, 1011, 1012, 1013, 4008, 4029])('reconnects after %d', async (code) => {
    const { pairwire, connect, clock, sockets, states } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    const socket = await connect()

    socket.closes(code)
    await clock.pass(4_000)

    expect(sockets).toHaveLength(2)
    expect(states.map((state) => state.split(' ')[0])).toEqual([
      'connecting',
      'open',
      'waiting',
      'connecting',
    ])
  })

  it.each([
    [4000, 'MALFORMED', 'ConnectionError'],
    [4001, 'KEY_UNKNOWN', 'KeyError'],
    [4003, 'NO_PLAN', 'PlanError'],
    [4009, 'DISCONNECTED', 'ConnectionError'],
    [1003, 'BINARY', 'ConnectionError'],
    [1008, 'TOO_MANY_FRAGMENTS', 'ConnectionError'],
    [1009, 'TOO_BIG', 'ConnectionError'],
  ])('ends every stream after %d, with the error %s', async (code, errorType, name) => {
    const { pairwire, connect, clock, sockets, states } = createSdkUnderTest()
    const [swaps, pairs] = [pairwire.swaps(), pairwire.newPairs()]
    const reading = swaps[Symbol.asyncIterator]().next()
    pairs.on('event', () => {})
    const socket = await connect()

    socket.closes(code, 'The sentence of the service.')

    await expect(reading).rejects.toMatchObject({
      ...{ name, errorType, code, comeBack: false, message: 'The sentence of the service.' },
      docs: `https://stream.example/docs/errors/${errorType.toLowerCase().replaceAll('_', '-')}`,
    })
    expect(await pairs.closed).toMatchObject({ errorType })
    await clock.pass(60_000)
    expect(sockets).toHaveLength(1)
    expect(states.at(-1)).toBe(`failed ${errorType}`)
  })

  it('waits longer each time, up to the limit, and starts over after a connection that lasted 10 s', async () => {
    const { pairwire, connect, clock, sockets } = createSdkUnderTest({ retryFirstMs: 500, retryMaxMs: 3_000 })
    pairwire.swaps().on('event', () => {})
    const waits: number[] = []
    const waitForNext = async () => {
      const [count, from] = [sockets.length, clock.elapsed()]
      while (sockets.length === count) await clock.pass(100)
      waits.push(clock.elapsed() - from)
    }

    for (let round = 0; round < 5; round++) {
      ;(await connect()).closes(1006)
      await waitForNext()
    }
    const standing = await connect()
    await clock.pass(10_000)
    standing.closes(1006)
    await waitForNext()

    expect(waits).toEqual([500, 1_000, 2_000, 3_000, 3_000, 500])
  })

  it.each([
    [0, 2_000],
    [0.99, 3_980],
  ])('waits 2 to 4 s after a connection limit: %d at random gives %d ms', async (random, ms) => {
    const { pairwire, connect, clock, sockets, states } = createSdkUnderTest({ random })
    pairwire.swaps().on('event', () => {})
    ;(await connect()).closes(4029, 'All connections of your plan are in use.')

    await clock.pass(ms - 1)
    expect(sockets).toHaveLength(1)
    await clock.pass(1)

    expect(sockets).toHaveLength(2)
    expect(states).toContain('waiting CONNECTION_LIMIT')
  })

  it('gives up an attempt that does not open in time', async () => {
    const { pairwire, clock, sockets, states } = createSdkUnderTest({ connectTimeoutMs: 3_000 })
    pairwire.swaps().on('event', () => {})

    await clock.pass(3_000 + 500)

    expect(states).toEqual(['connecting', 'waiting LINE_LOST', 'connecting'])
    expect(sockets[0]?.isClosed).toBe(true)
  })

  it('pings a silent service, and drops it 10 s later', async () => {
    const { pairwire, connect, clock, states } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    const socket = await connect()
    await clock.pass(5_000)
    socket.swaps(1)

    await clock.pass(14_999)
    expect(methods(socket)).not.toContain('ping')
    await clock.pass(1)
    expect(methods(socket)).toContain('ping')
    await clock.pass(10_000)

    expect(states.at(-1)).toBe('waiting LINE_LOST')
    expect(socket.isClosed).toBe(true)
  })

  it('takes any frame as a sign of life', async () => {
    const { pairwire, connect, clock, states } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    const socket = await connect()

    await clock.pass(20_000)
    socket.says({ method: 'requestFailed', params: { code: -32_600, message: '…' } })
    await clock.pass(14_000)

    expect(states).toEqual(['connecting', 'open'])
  })

  it('drops a service that does not answer a subscribe within 10 s', async () => {
    const { pairwire, clock, sockets, states } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    await clock.pass(0)
    sockets[0]?.opens()

    await clock.pass(10_000)

    expect(states.at(-1)).toBe('waiting LINE_LOST')
  })

  it('ignores answers on a connection that was lost', async () => {
    const { pairwire, clock, sockets, connect } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    swaps.on('event', () => {})
    await clock.pass(0)
    const [first] = sockets
    first!.opens()
    first!.closes(1006)
    await clock.pass(500)

    first!.answers()
    expect(swaps.stats().connects).toBe(0)
    await connect()

    expect(swaps.stats().connects).toBe(1)
  })

  it('reports each new reason in one warning when nothing listens to states', async () => {
    const { pairwire, connect, clock, warnings } = createSdkUnderTest({ onState: undefined! })
    pairwire.swaps().on('event', () => {})
    for (const reason of ['Restarting.', 'Restarting.', 'You read too slowly.']) {
      ;(await connect()).closes(1001, reason)
      await clock.pass(5_000)
    }

    expect(warnings).toEqual([
      'The connection is waiting: Restarting.',
      'The connection is waiting: You read too slowly.',
    ])
  })

  it('ends with its last stream, and opens again for the next', async () => {
    const { pairwire, connect, sockets, states } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    swaps.on('event', () => {})
    const socket = await connect()

    await swaps.close()
    expect(socket.isClosed).toBe(true)
    expect(states.at(-1)).toBe('idle')
    pairwire.swaps().on('event', () => {})
    await connect()

    expect(sockets).toHaveLength(2)
  })
})
