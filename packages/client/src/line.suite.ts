import { describe, expect, it } from 'vitest'
import { aNewPair, aSwap } from './fake/fake-events.ts'
import { ConnectionError, KeyError, type PairwireError, PlanError } from './index.ts'
import type { WebSocketClass } from './socket.ts'
import { type Harness, read, subscribed, until } from './testing/harness.ts'

/** What makes the gateway close for good, by code. */
const REASONS: Readonly<Record<number, (harness: Harness) => void>> = {
  4000: ({ sendRaw }) => {
    for (let sent = 0; sent <= 20; sent++) sendRaw('{')
  },
  4003({ service }) {
    service.shut('plan')
    service.cut()
  },
  4009: ({ service }) => service.disconnect(),
  1003: ({ sendRaw }) => sendRaw(new Uint8Array(1)),
  1009: ({ sendRaw }) => sendRaw(' '.repeat(70_000)),
}

/** The error classes of codes; others are a `ConnectionError`. */
const CLASSES: Readonly<Record<number, string>> = {
  401: 'KeyError',
  4001: 'KeyError',
  403: 'PlanError',
  4003: 'PlanError',
}

/**
 * The rows of the connection's two tables. Each service does what it can: the gateway never closes with 1000, 1005 or
 * 1011 to 1013, nor answers most HTTP statuses to the SDK, and it closes with 1008 for fragments, which no class sends.
 * The fake server ends no subscription on its own except a playback, and sends a playback at once.
 */
export function describeLine(service: 'fake' | 'gateway', harness: Harness, Class: WebSocketClass): void {
  const isFake = service === 'fake'
  describeStates(harness)
  describe('what happened to the connection', () => {
    describeWhatHeals(harness, isFake, Class)
    describeWhatDoesNot(harness, isFake, Class)
    describeAskedAgain(harness)
    describeEndsAlone(harness, isFake)
  })
}

function describeStates({ service, clock, states, open }: Harness): void {
  describe('the states of the connection', () => {
    it('idle: before the first reader, and after the last', async () => {
      const pairwire = open()
      const [swaps, pairs] = [pairwire.swaps(), pairwire.newPairs()]
      expect(pairwire.state).toBe('idle')
      void read(swaps)(1)
      void read(pairs)(1)
      await Promise.all([subscribed(swaps), subscribed(pairs)])
      await swaps.close()
      expect(pairwire.state).toBe('open')
      await pairs.close()

      expect(states).toEqual(['connecting', 'open', 'idle'])
    })

    it('connecting: waits when the connection is lost, fails when it is refused, and is idle when its stream ends', async () => {
      let isReady = () => {}
      const keys = [
        () => Promise.reject(new Error('The vault is closed.')),
        () => Promise.resolve('f'.repeat(32)),
        () => Promise.resolve('f'.repeat(32)),
        () => new Promise<string>(() => isReady()),
      ]
      const pairwire = open({ key: () => keys.shift()!() })
      await expect(read(pairwire.swaps())(1)).rejects.toBeInstanceOf(KeyError)
      const asked = new Promise<void>((resolve) => {
        isReady = resolve
      })
      const again = pairwire.swaps()
      const reading = read(again)(1)
      await asked
      await again.close()

      expect(await reading).toEqual([])
      expect(states).toEqual([
        ...['connecting', 'waiting: LINE_LOST', 'connecting', 'open', 'waiting: KEY_UNKNOWN', 'connecting'],
        ...['failed: KEY_UNKNOWN', 'connecting', 'idle'],
      ])
    })

    it('open, waiting: reconnects when the connection is lost', async () => {
      const swaps = open().swaps()
      void read(swaps)(1)
      await subscribed(swaps)

      service.cut()
      await until(() => swaps.stats().connects === 2)

      expect(states).toEqual(['connecting', 'open', 'waiting: LINE_LOST', 'connecting', 'open'])
    })

    it('waiting: is idle when its last stream ends', async () => {
      await service.shut('limit')
      const swaps = open().swaps()
      void read(swaps)(1)
      await until(() => states.at(-1) === 'waiting: CONNECTION_LIMIT')

      await swaps.close()

      expect(states.at(-1)).toBe('idle')
    })

    it('resting: continues when there is room, and reconnects when the connection broke meanwhile', async () => {
      const swaps = open().swaps({}, { maxUnread: 2 })
      const reading = read(swaps)
      const first = reading(1)
      await subscribed(swaps)
      clock.speed = 10
      const cursors = [1, 2, 3].map(() => service.push(aSwap()))
      await first
      await until(() => states.at(-1) === 'resting')

      service.cut()
      cursors.push(service.push(aSwap()))

      expect((await reading(3)).map(({ cursor }) => cursor)).toEqual(cursors.slice(1))
      expect(swaps.stats()).toMatchObject({ duplicates: 0, gaps: 0, connects: 2 })
    })

    it('failed: connects again for the next reader', async () => {
      const pairwire = open()
      const swaps = pairwire.swaps()
      const reading = read(swaps)(1)
      await subscribed(swaps)

      service.disconnect()
      await expect(reading).rejects.toBeInstanceOf(ConnectionError)
      expect(states.at(-1)).toBe('failed: DISCONNECTED')
      const again = pairwire.swaps()
      void read(again)(1)
      await subscribed(again)

      expect(pairwire.state).toBe('open')
    })
  })
}

/** Whatever may pass: the SDK reconnects. */
function describeWhatHeals(
  { service, clock, states, sent, open }: Harness,
  isFake: boolean,
  Class: WebSocketClass,
): void {
  const causes: Record<string, () => unknown> = {
    'a restart (1001)': () => service.restart(),
    'a broken connection (1006)': () => service.cut(),
    async 'accounts that are away (HTTP 503)'() {
      service.shut('accounts')
      service.cut()
      await until(() => states.filter((state) => state === 'waiting: LINE_LOST').length > 1)
      service.reopen()
    },
  }
  for (const code of isFake ? [1000, 1005, 1011, 1012, 1013] : [])
    causes[code] = () => service.close!(code, '')
  for (const status of isFake ? [429, 500, 502, 504] : [])
    causes[`HTTP ${status}`] = () => {
      service.refuse!(status)
      service.cut()
    }

  for (const [name, happens] of Object.entries(causes)) {
    it(`${name}: reconnects and resumes`, async () => {
      const swaps = open().swaps()
      const reading = read(swaps)
      const first = reading(1)
      await subscribed(swaps)
      service.push(aSwap())
      await first

      await happens()
      const missed = service.push(aSwap())

      expect((await reading(1))[0]?.cursor).toBe(missed)
      expect(swaps.stats()).toMatchObject({ received: 2, duplicates: 0, gaps: 0 })
    })
  }

  it('the connection limit (4029): retries after 2 to 4 s', async () => {
    clock.speed = 10
    await service.shut('limit')
    const swaps = open().swaps()
    void read(swaps)(1)
    await until(() => states.includes('waiting: CONNECTION_LIMIT'))

    service.reopen()
    await subscribed(swaps)

    // And up to 2 s more at random, here 0.
    expect(clock.waits).toContain(2_000)
    expect(states).not.toContain('waiting: LINE_LOST')
  })

  it('silence: pings, and reconnects without an answer within 10 s', async () => {
    const swaps = open({ quietMs: 200 }).swaps()
    void read(swaps)(1)
    await subscribed(swaps)

    service.silence()
    clock.speed = 100
    await until(() => states.includes('waiting: LINE_LOST'))
    service.reopen()
    clock.speed = 1
    await until(() => swaps.stats().connects === 2)

    expect(sent[0]).toContain('ping')
    expect(clock.waits).toContain(10_000)
  })

  it('no answer within 10 s: reconnects, and sends the request again', async () => {
    const swaps = open().swaps({ include: { usdValue: 1 } })
    void read(swaps)(1)
    await subscribed(swaps)

    service.silence()
    clock.speed = 100
    const updated = swaps.update({ include: { usdValue: 2 } })
    await until(() => states.includes('waiting: LINE_LOST'))
    clock.speed = 1
    service.reopen()
    await updated

    expect(swaps.stats().connects).toBe(2)
  })

  it('a key function that rejects, a class that throws, a socket error: reconnects', async () => {
    const keys = [() => Promise.reject(new Error('The vault is closed.'))]
    let tries = 0
    class Failing extends (Class as new (...parts: unknown[]) => object) {
      constructor(url: string, ...parts: unknown[]) {
        if (++tries === 1) throw new Error('There is no socket.')
        super(tries === 2 ? 'ws://127.0.0.1:9' : url, ...parts)
      }
    }
    const swaps = open({ key: () => keys.pop()?.() ?? service.key, WebSocket: Failing }).swaps()
    void read(swaps)(1)

    await subscribed(swaps)

    expect(states.filter((state) => state === 'waiting: LINE_LOST')).toHaveLength(3)
  })
}

/** Whatever no retry can help: every stream ends. */
function describeWhatDoesNot(harness: Harness, isFake: boolean, Class: WebSocketClass): void {
  const { service, open } = harness
  // Only the class of `ws` shows HTTP statuses.
  const statuses = isFake && 'on' in Class.prototype ? [400, 401, 403, 404, 426] : []
  const codes = isFake ? [4000, 4001, 4003, 4009, 1003, 1008, 1009] : Object.keys(REASONS).map(Number)
  for (const code of [...codes, ...statuses]) {
    it(`${code < 1_000 ? 'HTTP ' : ''}${code}: ends every stream with its error`, async () => {
      const pairwire = open()
      const [swaps, pairs] = [pairwire.swaps(), pairwire.newPairs()]
      const ended = [read(swaps)(1), read(pairs)(1)].map((reading) => reading.catch((error) => error))
      await Promise.all([subscribed(swaps), subscribed(pairs)])

      if (code < 1_000) {
        service.refuse!(code)
        service.cut()
      } else if (isFake) service.close!(code, 'The sentence.')
      else REASONS[code]!(harness)

      for (const error of await Promise.all(ended)) {
        expect(error).toMatchObject({ name: CLASSES[code] ?? 'ConnectionError', code, comeBack: false })
        if (isFake && code > 1_000) expect(error.message).toBe('The sentence.')
      }
      expect(pairwire.state).toBe('failed')
    })
  }

  if (!isFake)
    it('4003 at the end of a plan: hands out what came in its last second, over a cut', async () => {
      service.endPlan!(700)
      const swaps = open().swaps()
      const reading = read(swaps)
      const first = reading(1)
      await subscribed(swaps)
      service.push(aSwap())
      await first
      service.cut()
      const last = service.push(aSwap())

      expect((await reading(1))[0]?.cursor).toBe(last)
      await expect(reading(1)).rejects.toMatchObject({ name: 'PlanError', code: 4003, errorType: 'NO_PLAN' })
    })

  it('4001: ends every stream, and never names the key', async () => {
    const key = 'f'.repeat(32)
    const swaps = open({ key }).swaps()

    const error: PairwireError = await read(swaps)(1).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )

    expect(error).toBeInstanceOf(KeyError)
    expect(error).toMatchObject({ errorType: 'KEY_UNKNOWN', code: 4001, comeBack: false })
    expect(`${error} ${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain(key)
    expect(await swaps.closed).toBe(error)
  })

  it('4001: calls a key function again before it gives up', async () => {
    const keys = ['f'.repeat(32), service.key]
    const swaps = open({ key: () => keys.shift() ?? service.key }).swaps()
    const reading = read(swaps)(1)
    await subscribed(swaps)

    service.push(aSwap())

    expect(await reading).toHaveLength(1)
  })
}

/** Requests that are sent again. */
function describeAskedAgain({ service, clock, askedFor, open }: Harness): void {
  it('CURSOR_AHEAD (-32014): retries for 30 s, then follows tooOld', async () => {
    const oldest = service.push(aSwap())
    const items = open().swaps({}, { from: '999999999-000000000001-000000-0000' }).items()
    const gap = items.next()
    await until(() => askedFor('swapSubscribe') > 2)

    clock.ahead = 30_000

    expect((await gap).value).toMatchObject({ type: 'gap', cause: 'too_old', resumeFrom: null })
    const next = service.push(aSwap())
    expect((await items.next()).value).toMatchObject({ type: 'swap', cursor: next })
    expect(next! > oldest!).toBe(true)
  })

  it('-32029: retries', async () => {
    const swaps = open().swaps()
    void read(swaps)(1)
    await subscribed(swaps)

    service.refuse?.('TOO_MANY_REQUESTS')
    // More updates than the gateway's rate allows.
    let updates = 0
    while (askedFor('updateSubscriptionParams') === updates)
      await swaps.update({ include: { usdValue: ++updates } })

    expect(swaps.stats().connects).toBe(1)
  })

  it('-32603: retries', async () => {
    const { replay, cursors } = service.record()
    service.shut('archive')
    const reading = read(open().swaps({ replay }))(cursors.length)
    await until(() => askedFor('swapSubscribe') > 1)

    service.reopen()

    expect((await reading).map(({ cursor }) => cursor)).toEqual(cursors)
  })
}

/** What ends a single stream. */
function describeEndsAlone({ service, askedFor, states, open }: Harness, isFake: boolean): void {
  it('-32014 with tooOld throw: ends its stream, and the others continue', async () => {
    const from = service.push(aSwap())!
    service.push(aSwap())
    service.forget()
    const pairwire = open()
    const pairs = pairwire.newPairs()
    const reading = read(pairs)(1)
    await subscribed(pairs)

    const ended = read(pairwire.swaps({}, { from, tooOld: 'throw' }))(1)

    await expect(ended).rejects.toMatchObject({ name: 'CursorError', errorType: 'CURSOR_TOO_OLD' })
    service.push(aNewPair())
    expect(await reading).toHaveLength(1)
  })

  it('-32602 for a place that is no cursor, such as an empty one: ends its stream', async () => {
    service.push(aSwap())
    const pairwire = open()

    for (const from of ['', 'latest']) {
      const ended = read(pairwire.swaps({}, { from }))(1)

      await expect(ended).rejects.toMatchObject({ name: 'RequestError', errorType: 'INVALID_CURSOR' })
    }
  })

  it('any other error of a subscribe: ends its stream, and the others continue', async () => {
    const pairwire = open()
    const pairs = pairwire.newPairs()
    const reading = read(pairs)(1)
    await subscribed(pairs)

    service.refuse?.('INVALID_USD_VALUE')
    // @ts-expect-error a program in JavaScript may ask for anything
    const ended = read(pairwire.swaps({ include: { usdValue: 'much' } }))(1)

    await expect(ended).rejects.toMatchObject({ name: 'RequestError', errorType: 'INVALID_USD_VALUE' })
    service.push(aNewPair())
    expect(await reading).toHaveLength(1)
  })

  it('REPLAY_ENDED: ends its stream without an error', async () => {
    const { replay, cursors } = service.record()
    const swaps = open().swaps({ replay })

    const events = await read(swaps)(cursors.length + 1)

    expect(events.map(({ cursor }) => cursor)).toEqual(cursors)
    expect(events[0]).toMatchObject({ type: 'swap', replay: true })
    expect(await swaps.closed).toBeNull()
    expect(states).toEqual(['connecting', 'open', 'idle'])
  })

  if (isFake) return

  it('REPLAY_AWAY: retries from its cursor', async () => {
    const { replay, cursors } = service.record()
    const swaps = open().swaps({ replay })
    const reading = read(swaps)
    const first = await reading(1)

    service.shut('archive')
    await until(() => askedFor('swapSubscribe') > 1)
    service.reopen()

    const events = [...first, ...(await reading(cursors.length))]
    expect(events.map(({ cursor }) => cursor)).toEqual(cursors)
    expect(states).toEqual(['connecting', 'open', 'idle'])
  })

  it('subscriptionClosed on an open connection: ends its stream with the error of its type, and the others continue', async () => {
    service.leaveOne!()
    const pairwire = open()
    const [swaps, pairs] = [pairwire.swaps(), pairwire.newPairs()]
    const [reading, readingPairs] = [read(swaps), read(pairs)(1)]
    const first = reading(1)
    await Promise.all([subscribed(swaps), subscribed(pairs)])
    service.push(aSwap())
    await first

    await expect(reading(1)).rejects.toMatchObject({ errorType: 'PLAN_USED_UP', code: -32_013 })

    expect(await swaps.closed).toBeInstanceOf(PlanError)
    service.push(aNewPair())
    expect(await readingPairs).toHaveLength(1)
  })
}
