import { describe, expect, it } from 'vitest'
import { createSdkUnderTest, cursorOf } from './testing/fake-sockets.ts'

// Complaints of users of other clients, with the issues that report them. Each title begins with the complaint.
describe('complaints', () => {
  it('"an iterating reader starves for ever once the queue was full" (databento-python 138): it keeps reading, however often the queue fills', async () => {
    const { pairwire, connect } = createSdkUnderTest({ canPause: true })
    const reader = pairwire.swaps({}, { maxUnread: 1 })[Symbol.asyncIterator]()
    const socket = await connect()

    for (let slot = 1; slot <= 40; slot += 2) {
      const waiting = reader.next()
      socket.swaps(slot, slot + 1)
      expect((await waiting).value?.slot).toBe(slot)
      expect((await reader.next()).value?.slot).toBe(slot + 1)
    }
    expect(socket.isPaused).toBe(false)
  })

  it('"connection closed, no reason, no callback" (databento-python 86; Trading-API 11): onState and the reader get the sentence', async () => {
    const why: unknown[] = []
    const onState = (state: string, reason: Error | null) => reason && why.push([state, reason.message])
    const { pairwire, connect, clock } = createSdkUnderTest({ onState })
    const next = pairwire.swaps()[Symbol.asyncIterator]().next()
    ;(await connect()).closes(1001, 'The service restarts.')
    await clock.pass(500)

    ;(await connect()).closes(4003, 'This account has no active plan.')

    await expect(next).rejects.toThrow('This account has no active plan.')
    expect(why).toEqual([
      ['waiting', 'The service restarts.'],
      ['failed', 'This account has no active plan.'],
    ])
  })

  it('"reconnect jumps to the head in silence" (laserstream-sdk 114, 115): it resumes after the last event that the reader got', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    const socket = await connect()
    socket.swaps(7)
    socket.closes(1006)
    await clock.pass(500)

    expect((await connect()).sent[0]?.params).toEqual({ resume_from: cursorOf(7) })
  })

  it('"nobody can tell whether history covered the break" (centrifugo 165; whatwg/html 8297): a gap names the missing slots', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest()
    const next = pairwire
      .swaps({}, { from: cursorOf(5) })
      .items()
      .next()
    await clock.pass(0)
    sockets[0]!.opens()

    sockets[0]!.refuses('swapSubscribe', 'CURSOR_TOO_OLD', -32_014, { oldest: cursorOf(90) })

    expect((await next).value).toMatchObject({ type: 'gap', cause: 'too_old', fromSlot: 5, toSlot: 90 })
  })

  it('"unbounded queue, pause() does nothing" (yellowstone-grpc 854, 863): a full stream stops reading its socket', async () => {
    const { pairwire, connect } = createSdkUnderTest({ canPause: true })
    const swaps = pairwire.swaps({}, { maxUnread: 3 })
    swaps[Symbol.asyncIterator]()
    const socket = await connect()

    socket.swaps(1, 2, 3)

    expect(socket.isPaused).toBe(true)
    expect(swaps.stats()).toMatchObject({ unread: 3, slowedDown: 1 })
  })

  it('"retries without back-off or end on what cannot heal" (electric 4088, 3673): it sends a refused filter once', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest()
    const next = pairwire.swaps()[Symbol.asyncIterator]().next()
    await clock.pass(0)
    sockets[0]!.opens()
    sockets[0]!.refuses('swapSubscribe', 'INVALID_USD_VALUE', -32_602)

    await expect(next).rejects.toMatchObject({ errorType: 'INVALID_USD_VALUE', comeBack: false })
    await clock.pass(600_000)

    expect(sockets).toHaveLength(1)
  })

  it('"fatal codes that are not" (graphql-ws 354, 356, 417, 446): it retries temporary failures for ever', async () => {
    const { pairwire, clock, sockets, states } = createSdkUnderTest({ retryMaxMs: 1_000 })
    pairwire.swaps().on('event', () => {})
    await clock.pass(0)

    for (const code of [1006, 1011, 1012, 1013, 4008, 4029]) {
      for (let time = 0; time < 20; time++) {
        sockets.at(-1)!.closes(code)
        await clock.pass(4_000)
      }
    }

    expect(sockets).toHaveLength(121)
    expect(states.at(-1)).toBe('connecting')
  })

  it('"the first attempt’s budget restored on connect, storm" (river 80): it backs off from a service that accepts and drops for an hour', async () => {
    const { pairwire, connect, clock, sockets } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    await clock.pass(0)

    while (clock.elapsed() < 3_600_000) {
      const count = sockets.length
      ;(await connect()).closes(1006)
      while (sockets.length === count) await clock.pass(1_000)
    }

    // Half a second, one, two, four, eight, sixteen, then every thirty.
    expect(sockets.length).toBeLessThan(130)
  })

  it('"two sockets alive after a reconnect, reconnect lock stuck" (wire-webapp 21448; partykit 252): it drops the old one and ignores what it still sends', async () => {
    const { pairwire, connect, clock, sockets } = createSdkUnderTest()
    const swaps = pairwire.swaps().on('event', () => {})
    const first = await connect()
    await clock.pass(25_000)
    expect(first.isClosed).toBe(true)
    await clock.pass(500)

    const second = await connect()
    first.swaps(1)
    first.closes(1006)
    first.closes(1006)
    second.swaps(2)
    await clock.pass(5_000)

    expect(sockets).toHaveLength(2)
    expect(swaps.stats()).toMatchObject({ received: 1, connects: 2 })
  })

  it('"35 s to see that a laptop changed networks" (centrifuge-js 203): when the network returns it retries at once, and pings an open connection', async () => {
    const { pairwire, connect, clock, sockets, goesOnline } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    const socket = await connect()
    goesOnline()
    expect(socket.sent.at(-1)).toMatchObject({ method: 'ping' })
    await clock.pass(10_000)
    expect(socket.isClosed).toBe(true)

    goesOnline()
    await clock.pass(0)

    expect(sockets).toHaveLength(2)
  })

  it('"messages go on after an abort, nothing to recover with" (kit 603, 1990): an abort ends it at once and keeps its cursor', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const abort = new AbortController()
    const got: number[] = []
    const swaps = pairwire.swaps({}, { signal: abort.signal }).on('event', ({ slot }) => {
      got.push(slot)
      if (slot === 2) abort.abort()
    })
    const socket = await connect()

    socket.swaps(1, 2, 3, 4)

    expect(await swaps.closed).toBeNull()
    expect(got).toEqual([1, 2])
    expect(swaps.cursor).toBe(cursorOf(1))
    expect(socket.isClosed).toBe(true)
  })
})
