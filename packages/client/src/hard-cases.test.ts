import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSdkUnderTest, cursorOf } from './testing/fake-sockets.ts'

// What a first version would get wrong. More of it is in `promises.suite.ts` and `stream.test.ts`.

/** Bytes of the heap after garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const MEGABYTE = 1024 * 1024

describe('a reader', () => {
  it.each([
    ['pauses its socket', true],
    ['drops its connection', false],
  ])('that stops for an hour gets everything afterwards, and meanwhile %s', async (_, canPause) => {
    const { pairwire, connect, clock, sockets, warnings } = createSdkUnderTest({ canPause })
    const swaps = pairwire.swaps({}, { maxUnread: 4 })
    const iterator = swaps[Symbol.asyncIterator]()
    const slots: unknown[] = []
    const read = async (count: number) => {
      for (; count > 0; count--) slots.push((await iterator.next()).value?.slot)
    }
    const first = await connect()
    first.swaps(1, 2, 3, 4)
    await clock.pass(3_600_000)
    expect([first.isPaused, first.isClosed, sockets.length, warnings.length]).toEqual([
      ...[canPause, !canPause, 1, 1],
    ])

    await read(2)
    if (canPause) {
      // The service had dropped it; a paused socket shows that late.
      first.closes(4008)
      await clock.pass(500)
    }
    const second = await connect()
    second.swaps(5, 6)
    await read(4)

    expect(second.sent[0]?.params).toEqual({ resume_from: cursorOf(4) })
    expect(slots).toEqual([1, 2, 3, 4, 5, 6])
    expect(swaps.stats()).toMatchObject({ duplicates: 0, gaps: 0, connects: 2 })
  })

  it('that never comes keeps its stream from subscribing, and holds no other stream up', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const pairs = pairwire.newPairs({}, { maxUnread: 1 })
    const swaps = pairwire.swaps().on('event', () => {})

    const socket = await connect()
    socket.swaps(1, 2, 3)

    expect(socket.sent.map(({ method }) => method)).toEqual(['swapSubscribe', 'latestBlockSubscribe'])
    expect([swaps.stats().delivered, pairs.stats().unread]).toEqual([3, 0])
  })
})

describe('a connection', () => {
  it('that is cut in the middle of a replay resumes after the last event of the replay', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const swaps = pairwire.swaps({}, { from: cursorOf(1) }).on('event', () => {})
    const first = await connect()
    first.swaps(2, 3)
    first.closes(1006)
    await clock.pass(500)

    const second = await connect()
    second.swaps(4)

    expect(second.sent[0]?.params).toEqual({ resume_from: cursorOf(3) })
    expect(swaps.stats()).toMatchObject({ received: 3, duplicates: 0, gaps: 0 })
  })

  it('that is cut twice within 10 ms leaves one socket, and waits in between', async () => {
    const { pairwire, connect, clock, sockets } = createSdkUnderTest({ retryFirstMs: 5 })
    const swaps = pairwire.swaps().on('event', () => {})
    ;(await connect()).closes(1006)
    await clock.pass(5)
    const second = sockets[1]!
    second.opens()
    second.closes(1006)
    second.closes(1006)
    await clock.pass(9)
    expect(sockets).toHaveLength(2)
    await clock.pass(1)

    const third = await connect()
    second.answers()
    third.swaps(1)

    expect(sockets).toHaveLength(3)
    expect(swaps.stats()).toMatchObject({ received: 1, connects: 2 })
  })

  it.each<[string, ('cut' | 'update' | 'answer')[], number]>([
    ['just before an update', ['cut', 'update'], 1],
    ['just after one', ['update', 'cut'], 1],
    ['just after its answer', ['update', 'answer', 'cut'], 2],
  ])('that is cut %s keeps the filter in force, and the update', async (_, order, usdValue) => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const swaps = pairwire.swaps({ include: { usdValue: 1 } }).on('event', () => {})
    const first = await connect()
    let updated = Promise.resolve()
    for (const step of order) {
      if (step === 'cut') first.closes(1006)
      else if (step === 'answer') first.answers()
      else updated = swaps.update({ include: { usdValue: 2 } })
    }
    await clock.pass(500)

    const second = await connect()
    await updated
    second.closes(1006)
    await clock.pass(1_000)

    expect(second.sent[0]?.params).toEqual({ include: { usdValue } })
    expect((await connect()).sent[0]?.params).toEqual({ include: { usdValue: 2 } })
  })

  it('keeps nothing of attempts on a service that accepts and drops for an hour', async () => {
    let tries = 0
    class Dropped {
      onopen?: () => void
      onclose?: (event: object) => void

      constructor() {
        tries++
        queueMicrotask(() => {
          this.onopen?.()
          this.onclose?.({ code: 1006 })
        })
      }

      send(): void {}
      close(): void {}
    }
    const { pairwire, clock } = createSdkUnderTest({
      ...{ WebSocket: Dropped, retryMaxMs: 500 },
      onState() {},
    })
    pairwire.swaps().on('event', () => {})
    await clock.pass(60_000)
    const before = heapBytes()

    await clock.pass(3_540_000)

    expect(tries).toBeGreaterThan(7_000)
    expect(heapBytes() - before).toBeLessThan(MEGABYTE / 2)
  })

  it('whose key was reset while the program slept ends every stream with the sentence of the service', async () => {
    const { pairwire, connect, clock, sockets } = createSdkUnderTest()
    const swaps = pairwire.swaps().on('event', () => {})
    await connect()
    // It wakes, and its ping has no answer.
    await clock.pass(25_000 + 500)

    sockets[1]!.closes(4001, 'This API key is not known, or it was reset.')
    await clock.pass(60_000)

    expect(await swaps.closed).toMatchObject({
      ...{ name: 'KeyError', message: 'This API key is not known, or it was reset.' },
    })
    expect(sockets).toHaveLength(2)
  })

  it('whose key was reset while the program slept resumes with the key that a function has now', async () => {
    const keys = ['old', 'old', 'new']
    const { pairwire, connect, clock, sockets } = createSdkUnderTest({ key: () => keys.shift()! })
    pairwire.swaps().on('event', () => {})
    ;(await connect()).swaps(1)
    await clock.pass(25_000 + 500)
    sockets[1]!.closes(4001)
    await clock.pass(1_000)

    const third = await connect()

    expect(sockets.map(({ url }) => url.searchParams.get('key'))).toEqual(['old', 'old', 'new'])
    expect(third.sent[0]?.params).toEqual({ resume_from: cursorOf(1) })
  })
})

describe('for await, without an unhandled rejection,', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  beforeAll(() => void process.on('unhandledRejection', note))
  afterAll(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('ends its stream when its body throws, and throws the same', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    const reading = (async () => {
      for await (const { slot } of swaps) throw new Error(`stopped at ${slot}`)
    })()
    const socket = await connect()

    socket.swaps(1, 2)

    await expect(reading).rejects.toThrow('stopped at 1')
    expect([await swaps.closed, socket.isClosed, swaps.cursor]).toEqual([null, true, null])
  })

  it('throws for a second reader, and the first goes on', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    const first = swaps[Symbol.asyncIterator]()
    const second = (async () => {
      for await (const _ of swaps) expect.unreachable()
    })()
    await expect(second).rejects.toMatchObject({ errorType: 'ALREADY_READ' })

    const next = first.next()
    ;(await connect()).swaps(1)

    expect((await next).value?.slot).toBe(1)
  })

  it('that never starts opens no connection and loads no cursor, and close() ends its stream', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest()
    const load = () => expect.unreachable()
    const swaps = pairwire.swaps({}, { cursors: { load, save() {} } })
    await clock.pass(60_000)

    await pairwire.close()

    expect(await swaps.closed).toBeNull()
    expect(sockets).toHaveLength(0)
  })

  it('ends at once when it starts after close(), also with a store that fails', async () => {
    const { pairwire, clock, sockets, warnings } = createSdkUnderTest()
    const load = () => Promise.reject(new Error('no disk'))
    for (const options of [{}, { cursors: { load, save() {} } }]) {
      const swaps = pairwire.swaps({}, options)
      await swaps.close()
      for await (const _ of swaps) expect.unreachable()
    }
    await clock.pass(60_000)

    expect([sockets.length, warnings]).toEqual([0, []])
  })

  it('ends while it waits when its stream is closed', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    const reading = (async () => {
      for await (const _ of swaps) expect.unreachable()
    })()
    await connect()

    await swaps.close()

    expect(await reading).toBeUndefined()
  })
})

describe('a store of cursors', () => {
  it('that is slow holds up the next event with saveEveryMs 0', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const save = () => new Promise<void>((resolve) => clock.after(5_000, resolve))
    const swaps = pairwire.swaps({}, { cursors: { load: () => null, save }, saveEveryMs: 0 })
    swaps.on('event', () => {})
    await clock.pass(0)
    ;(await connect()).swaps(1, 2)

    await clock.pass(4_999)
    expect(swaps.stats().delivered).toBe(1)
    await clock.pass(1)

    expect(swaps.stats().delivered).toBe(2)
  })

  it('that is slow is given one cursor at a time, and then the newest, while events go on', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const saved: string[] = []
    const save = (_: string, cursor: string) => {
      saved.push(cursor)
      return new Promise<void>((resolve) => clock.after(5_000, resolve))
    }
    const swaps = pairwire.swaps({}, { cursors: { load: () => null, save } }).on('event', () => {})
    await clock.pass(0)
    const socket = await connect()
    for (let second = 1; second <= 7; second++) {
      socket.swaps(second)
      await clock.pass(1_000)
    }

    expect(swaps.stats().delivered).toBe(7)
    expect(saved).toEqual([cursorOf(1), cursorOf(6)])
  })

  it('that never answers ends its stream after 10 s when it loads, and is a warning when it saves', async () => {
    const { pairwire, connect, clock, warnings } = createSdkUnderTest()
    const never = () => new Promise<never>(() => {})
    const unread = pairwire.newPairs({}, { cursors: { load: never, save() {} } }).on('event', () => {})
    pairwire.swaps({}, { cursors: { load: () => null, save: never } }).on('event', () => {})
    await clock.pass(0)
    ;(await connect()).swaps(1)

    await clock.pass(12_000)

    expect(await unread.closed).toMatchObject({ errorType: 'CURSORS_UNREADABLE' })
    expect(warnings).toContain('The cursor of the stream "swaps" could not be saved: no answer within 10 s')
  })

  it('that belongs to another service is followed by a gap, and by the events of this one', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest({ retryMaxMs: 1_000 })
    const cursors = { load: () => cursorOf(50, 7), save() {} }
    const swaps = pairwire.swaps({}, { cursors })
    const items = swaps.items()
    const gap = items.next()
    await clock.pass(0)
    sockets[0]!.opens()
    for (let second = 0; second < 40; second++) {
      const asked = sockets[0]!.sent.findLast(({ method }) => method === 'swapSubscribe')
      if (asked?.params.resume_from !== cursorOf(50, 7)) break
      sockets[0]!.refuses('swapSubscribe', 'CURSOR_AHEAD', -32_014, { oldest: cursorOf(3) })
      sockets[0]!.answers('swapSubscribe')
      await clock.pass(1_000)
    }
    const { id, params } = sockets[0]!.sent.findLast(({ method }) => method === 'swapSubscribe')!
    sockets[0]!.says({ id, result: { subscription_id: 9 } })
    sockets[0]!.says({
      ...{ subscription_id: 9, method: 'swapNotification', cursor: cursorOf(4) },
      params: { slot: 4, signature: 's', blockTime: 1, swap: {} },
    })

    expect(params).toMatchObject({ resume_from: cursorOf(3) })
    expect((await gap).value).toMatchObject({ type: 'gap', cause: 'too_old' })
    expect((await items.next()).value).toMatchObject({ slot: 4 })
    expect(swaps.stats()).toMatchObject({ duplicates: 0, gaps: 1 })
  })
})

describe('a source', () => {
  it('of recordings that starts over goes on in order, and its gap is told', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const told: unknown[] = []
    const swaps = pairwire.swaps()
    swaps.on('gap', ({ fromSlot, cause }) => told.push(`${fromSlot} ${cause}`))
    swaps.on('event', ({ cursor }) => told.push(cursor))
    const swap = (run: number, slot: number) => ({
      ...{ subscription_id: 1, method: 'swapNotification', cursor: cursorOf(slot, run) },
      params: { slot, signature: 's', blockTime: 1, swap: {} },
    })
    const gap = { fromSlot: 100, toSlot: 100, cause: 'deploy', resume_from: null }
    const first = await connect()

    first.says(swap(1, 900))
    for (let times = 0; times < 2; times++)
      first.says({ method: 'gapNotification', params: { subscription_id: 1, ...gap } })
    first.says(swap(2, 101))
    first.closes(1006)
    await clock.pass(500)

    expect((await connect()).sent[0]?.params).toEqual({ resume_from: cursorOf(101, 2) })
    expect(told).toEqual([cursorOf(900, 1), '100 deploy', cursorOf(101, 2)])
    expect(swaps.stats()).toMatchObject({ duplicates: 0, gaps: 1 })
  })

  it('that changes to one without cursors says so by a gap, and by one after each later break', async () => {
    const { pairwire, connect, clock, sockets } = createSdkUnderTest()
    const told: unknown[] = []
    const swaps = pairwire.swaps().on('gap', ({ fromSlot, toSlot, cause }) => {
      told.push([cause, fromSlot, toSlot])
    })
    swaps.on('event', ({ slot }) => told.push(slot))
    const first = await connect()
    first.swaps(10)
    first.closes(1001)
    await clock.pass(500)
    const second = sockets[1]!
    second.opens()
    second.refuses('swapSubscribe', 'CURSOR_TOO_OLD', -32_014, { oldest: null })
    const swap = (subscription_id: number, slot: number) => ({
      ...{ subscription_id, method: 'swapNotification' },
      params: { slot, signature: 's', blockTime: 1, swap: {} },
    })
    second.answers()
    second.says(swap(3, 20))
    second.closes(1006)
    await clock.pass(1_000)
    ;(await connect()).says(swap(1, 25))

    expect(second.sent.findLast(({ method }) => method === 'swapSubscribe')?.params).toEqual({})
    expect(told).toEqual([10, ['too_old', 10, null], 20, ['disconnected', 20, 24], 25])
  })
})

describe('events ahead of confirmation', () => {
  const early = (method: string, params: object) => ({
    ...{ subscription_id: 1, method, commitment: 'processed' },
    params: { subscription_id: 1, slot: 5, ...params },
  })

  it('are taken back in their place', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const told: unknown[] = []
    const swaps = pairwire.swaps({ commitment: 'processed' })
    swaps.on('slotDropped', ({ slot, signatures }) => told.push({ slot, signatures }))
    swaps.on('event', ({ signature }) => told.push(signature))
    const socket = await connect()

    socket.says(early('swapNotification', { signature: 'one' }))
    socket.says({ ...early('slotDroppedNotification', { signatures: ['one'] }), subscription_id: undefined })
    socket.says(early('swapNotification', { signature: 'two' }))

    expect(told).toEqual(['one', { slot: 5, signatures: ['one'] }, 'two'])
  })

  it('leave nothing in memory once they are read', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const swaps = pairwire.swaps({ commitment: 'processed' }).on('event', () => {})
    swaps.on('gap', () => {})
    const socket = await connect()
    const play = (from: number) => {
      for (let at = from; at < from + 20_000; at++) {
        socket.says(early('swapNotification', { slot: at, signature: `${at}` }))
        if (at % 100 !== 0) continue
        const gap = { fromSlot: at, toSlot: at, cause: 'upstream', resume_from: null }
        socket.says({ method: 'gapNotification', params: { subscription_id: 1, ...gap } })
      }
    }
    play(0)
    const before = heapBytes()

    play(20_000)

    expect(swaps.stats().delivered).toBe(40_000)
    expect(heapBytes() - before).toBeLessThan(MEGABYTE / 2)
  })
})
