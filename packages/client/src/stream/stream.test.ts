import { describe, expect, it } from 'vitest'
import { blockOf, createSdkUnderTest, cursorOf, type FakeSocket } from '../testing/fake-sockets.ts'

const says = {
  early: (socket: FakeSocket, slot: number) =>
    socket.says({
      ...{ subscription_id: 1, method: 'swapNotification', commitment: 'processed' },
      params: { slot, signature: `${slot}`, blockTime: 1, swap: {} },
    }),
  block: (socket: FakeSocket, slot: number, id = 2) =>
    socket.says({
      ...{ subscription_id: id, method: 'latestBlockNotification', cursor: blockOf(slot) },
      params: { block: slot, blockTime: 1 },
    }),
  gap: (socket: FakeSocket, fromSlot: number, toSlot: number) =>
    socket.says({
      method: 'gapNotification',
      params: { subscription_id: 1, fromSlot, toSlot, cause: 'upstream', resume_from: null },
    }),
}

describe('a stream', () => {
  it('awaits its listener before the next event', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const begun: number[] = []
    let finish = () => {}
    const swaps = pairwire.swaps().on('event', ({ slot }) => {
      begun.push(slot)
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    })
    const socket = await connect()

    socket.swaps(1, 2)
    await clock.pass(0)
    expect([begun, swaps.cursor]).toEqual([[1], null])
    finish()
    await clock.pass(0)

    expect([begun, swaps.cursor]).toEqual([[1, 2], cursorOf(1)])
  })

  it('calls gap listeners in order with the events', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const told: (number | null)[] = []
    pairwire
      .swaps()
      .on('gap', ({ fromSlot }) => told.push(fromSlot))
      .on('event', ({ slot }) => told.push(slot))
    const socket = await connect()

    socket.swaps(1)
    says.gap(socket, 2, 3)
    socket.swaps(4)

    expect(told).toEqual([1, 2, 4])
  })

  it('reports a gap once, even when the service repeats it after a break or after the position has passed it', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const swaps = pairwire.swaps({}, { from: cursorOf(1) }).on('event', () => {})
    const socket = await connect()
    says.gap(socket, 5, 6)
    says.block(socket, 3)
    socket.closes(1006)
    await clock.pass(500)
    const second = await connect()

    says.gap(second, 5, 6)
    second.swaps(7)
    says.gap(second, 5, 6)

    expect(swaps.stats()).toMatchObject({ gaps: 1, received: 1 })
  })

  it('loses nothing to a 4008, and reports no gap', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const swaps = pairwire.swaps().on('event', () => {})
    const socket = await connect()
    socket.swaps(1)
    const missed = { fromSlot: 1, toSlot: 9, cause: 'slow_consumer', resume_from: cursorOf(1) }
    socket.says({ method: 'gapNotification', params: { subscription_id: 1, ...missed } })
    socket.says({ method: 'subscriptionClosed', subscription_id: 1, reason: 'You read too slowly.' })
    socket.closes(4008)
    await clock.pass(500)

    expect((await connect()).sent[0]?.params).toEqual({ resume_from: cursorOf(1) })
    expect(swaps.stats()).toMatchObject({ gaps: 0, connects: 2 })
  })

  it('warns of a gap that nothing listens to', async () => {
    const { pairwire, connect, warnings } = createSdkUnderTest()
    pairwire.swaps().on('event', () => {})
    says.gap(await connect(), 2, 3)

    expect(warnings).toEqual([
      expect.stringMatching(/"swaps" is missing events of slots 2 to 3 \(upstream\)/),
    ])
  })

  it('hands out every item in order with items()', async () => {
    const { pairwire, connect, warnings } = createSdkUnderTest()
    const items = pairwire.newPairs().items()
    const first = items.next()
    const socket = await connect()

    socket.says({
      method: 'pairUpdateNotification',
      params: { subscription_id: 1, ammAccount: 'pool', baseToken: {} },
    })
    says.gap(socket, 2, 3)

    expect((await first).value).toEqual({ type: 'pairUpdate', ammAccount: 'pool', baseToken: {} })
    expect((await items.next()).value).toMatchObject({
      type: 'gap',
      fromSlot: 2,
      toSlot: 3,
      resumeFrom: null,
    })
    expect(warnings).toEqual([])
  })

  it('has one reader', async () => {
    const { pairwire } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    swaps.items()

    for (const second of [
      () => swaps.items(),
      () => swaps.on('event', () => {}),
      () => swaps[Symbol.asyncIterator](),
    ])
      expect(second).toThrow(expect.objectContaining({ errorType: 'ALREADY_READ' }))
  })

  it('exists once per kind and commitment', async () => {
    const { pairwire } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    pairwire.swaps({ commitment: 'processed' })

    for (const params of [undefined, { commitment: 'confirmed' }] as const)
      expect(() => pairwire.swaps(params)).toThrow(
        expect.objectContaining({
          errorType: 'ALREADY_SUBSCRIBED',
          message: expect.stringContaining('update()'),
        }),
      )
    await swaps.close()
    expect(() => pairwire.swaps()).not.toThrow()
  })

  it('answers overlapping calls of next in turn', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const iterator = pairwire.swaps()[Symbol.asyncIterator]()
    const [first, second] = [iterator.next(), iterator.next()]
    const socket = await connect()

    socket.swaps(1, 2)

    expect([(await first).value?.slot, (await second).value?.slot]).toEqual([1, 2])
  })

  it('drops and counts duplicates', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const slots: number[] = []
    const swaps = pairwire.swaps().on('event', ({ slot }) => slots.push(slot))
    const socket = await connect()

    socket.swaps(1, 2, 2, 1, 3)

    expect(slots).toEqual([1, 2, 3])
    expect(swaps.stats()).toMatchObject({ received: 3, duplicates: 2, delivered: 3 })
  })

  it('ends with the error of a listener, and warns when nothing asks for it', async () => {
    const { pairwire, connect, warnings } = createSdkUnderTest()
    const swaps = pairwire.swaps().on('event', () => {
      throw new Error('out of ink')
    })
    ;(await connect()).swaps(1)

    expect(warnings).toEqual(['The stream "swaps" has ended: out of ink'])
    expect(await swaps.closed).toMatchObject({ message: 'out of ink' })
  })

  it('ends with break, and does not count the last event as finished', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    const reading = (async () => {
      for await (const { slot } of swaps) if (slot === 2) break
    })()
    const socket = await connect()

    socket.swaps(1, 2, 3)
    await clock.pass(0)
    await reading

    expect(swaps.cursor).toBe(cursorOf(1))
    expect([await swaps.closed, socket.isClosed]).toEqual([null, true])
  })

  it('ends at once with close(), and hands out nothing that was unread', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const swaps = pairwire.swaps()
    const iterator = swaps[Symbol.asyncIterator]()
    ;(await connect()).swaps(1, 2)

    await swaps.close()

    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(await swaps.closed).toBeNull()
  })

  it('ends with its signal, even one aborted earlier', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const controller = new AbortController()
    const swaps = pairwire.swaps({}, { signal: controller.signal })
    swaps.on('event', () => {})
    await connect()

    controller.abort()
    expect(await swaps.closed).toBeNull()
    const late = pairwire.swaps({}, { signal: controller.signal })

    expect(await late[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
  })

  it('leaves its kind free if its signal was aborted before it was made', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    pairwire.swaps({}, { signal: AbortSignal.abort() })

    const first = pairwire.swaps()[Symbol.asyncIterator]().next()
    ;(await connect()).swaps(1)

    expect((await first).value?.slot).toBe(1)
  })

  it('hands out everything received before it throws the final error', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const iterator = pairwire.swaps()[Symbol.asyncIterator]()
    const socket = await connect()
    socket.swaps(1)
    socket.says({
      ...{ subscription_id: 1, method: 'subscriptionClosed' },
      ...{ errorType: 'PLAN_USED_UP', reason: 'You have used all.' },
    })

    expect((await iterator.next()).value).toMatchObject({ slot: 1 })
    await expect(iterator.next()).rejects.toMatchObject({ name: 'PlanError', code: -32_013 })
    expect((await iterator.next()).done).toBe(true)
  })

  it('ends without an error when a playback ends', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const replay = { from: '2026-11-20T12:00:00Z' }
    const swaps = pairwire.swaps({ replay }).on('event', () => {})
    const socket = await connect()

    expect(socket.sent.map(({ params }) => params)).toEqual([{ replay }, { replay }])
    socket.says({ subscription_id: 1, method: 'subscriptionClosed', errorType: 'REPLAY_ENDED', reason: '…' })

    expect(await swaps.closed).toBeNull()
  })

  it('loads its cursor before it subscribes, and saves finished ones at most every saveEveryMs', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const saved: string[] = []
    const cursors = {
      load: async () => cursorOf(5),
      save: (name: string, cursor: string) => void saved.push(`${name} ${cursor}`),
    }
    const iterator = pairwire.swaps({}, { name: 'whales', cursors })[Symbol.asyncIterator]()
    const first = iterator.next()
    await clock.pass(0)
    const socket = await connect()
    expect(socket.sent[0]?.params).toEqual({ resume_from: cursorOf(5) })

    socket.swaps(6, 7, 8)
    await first
    await clock.pass(5_000)
    expect(saved).toEqual([])
    await iterator.next()
    await iterator.next()
    await clock.pass(1_000)

    expect(saved).toEqual([`whales ${cursorOf(7)}`])
  })

  it('saves each cursor before the next event with saveEveryMs 0', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const log: string[] = []
    const cursors = {
      load: () => null,
      save: async (_: string, cursor: string) => void log.push(`saved ${cursor}`),
    }
    pairwire.swaps({}, { cursors, saveEveryMs: 0 }).on('event', ({ slot }) => void log.push(`event ${slot}`))
    await clock.pass(0)
    const socket = await connect()

    socket.swaps(1, 2)
    await clock.pass(0)

    expect(log).toEqual(['event 1', `saved ${cursorOf(1)}`, 'event 2', `saved ${cursorOf(2)}`])
  })

  it('takes an option that is undefined for its default', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const saved: string[] = []
    const cursors = {
      load: () => null,
      save: (name: string, cursor: string) => void saved.push(`${name} ${cursor}`),
    }
    const unset = { name: undefined, from: undefined, saveEveryMs: undefined, maxUnread: undefined }
    const further = { whenFull: undefined, tooOld: undefined, signal: undefined }
    pairwire.swaps({}, { cursors, ...unset, ...further }).on('event', () => {})
    const socket = await connect()

    socket.swaps(1)
    await clock.pass(1_000)

    expect(saved).toEqual([`swaps ${cursorOf(1)}`])
  })

  it('warns of a store that fails to save, continues, and retries', async () => {
    const { pairwire, connect, clock, warnings } = createSdkUnderTest()
    const saved: string[] = []
    let isFull = true
    const cursors = {
      load: () => null,
      save(_: string, cursor: string) {
        if (isFull) throw new Error('disk full')
        saved.push(cursor)
      },
    }
    pairwire.swaps({}, { cursors }).on('event', () => {})
    await clock.pass(0)
    ;(await connect()).swaps(1)
    await clock.pass(1_000)

    expect(warnings).toEqual(['The cursor of the stream "swaps" could not be saved: disk full'])
    isFull = false
    await clock.pass(1_000)
    expect(saved).toEqual([cursorOf(1)])
  })

  it('ends when its cursor cannot be loaded', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest()
    const cursors = { load: () => Promise.reject(new Error('not a file of cursors')), save() {} }
    const next = pairwire.swaps({}, { cursors })[Symbol.asyncIterator]().next()
    next.catch(() => {})
    await clock.pass(0)

    await expect(next).rejects.toMatchObject({
      ...{ name: 'UsageError', errorType: 'CURSORS_UNREADABLE' },
      message: expect.stringContaining('not a file of cursors'),
    })
    expect(sockets).toHaveLength(0)
  })

  describe('whose cursor is no longer kept', () => {
    const tooOld = ['swapSubscribe', 'CURSOR_TOO_OLD', -32_014, { oldest: cursorOf(90) }] as const
    const ahead = ['swapSubscribe', 'CURSOR_AHEAD', -32_014, { oldest: cursorOf(3) }] as const

    it('ends with tooOld throw', async () => {
      const { pairwire, clock, sockets } = createSdkUnderTest()
      const next = pairwire
        .swaps({}, { from: cursorOf(5), tooOld: 'throw' })
        [Symbol.asyncIterator]()
        .next()
      await clock.pass(0)
      sockets[0]!.opens()
      sockets[0]!.refuses(...tooOld)

      await expect(next).rejects.toMatchObject({ name: 'CursorError', errorType: 'CURSOR_TOO_OLD' })
    })

    it('names the missing slots, and continues after the oldest kept cursor', async () => {
      const { pairwire, clock, sockets } = createSdkUnderTest()
      const items = pairwire.swaps({}, { from: blockOf(5) }).items()
      const next = items.next()
      await clock.pass(0)
      sockets[0]!.opens()
      sockets[0]!.refuses(...tooOld)

      expect((await next).value).toMatchObject({ type: 'gap', cause: 'too_old', fromSlot: 6, toSlot: 90 })
      expect(sockets[0]!.sent.findLast(({ method }) => method === 'swapSubscribe')?.params).toEqual({
        resume_from: cursorOf(90),
      })
    })

    it('retries a cursor ahead of the service for 30 s, then continues after the oldest kept one', async () => {
      const { pairwire, clock, sockets } = createSdkUnderTest({ retryFirstMs: 1_000, retryMaxMs: 1_000 })
      const gaps: unknown[] = []
      pairwire
        .swaps({}, { from: cursorOf(50) })
        .on('gap', (gap) => gaps.push(gap))
        .on('event', () => {})
      await clock.pass(0)
      const socket = sockets[0]!
      socket.opens()
      const asked = () => socket.sent.filter(({ method }) => method === 'swapSubscribe').length

      for (let second = 0; second < 30; second++) {
        socket.refuses(...ahead)
        expect(gaps).toEqual([])
        await clock.pass(1_000)
        expect(asked()).toBe(second + 2)
        socket.answers('swapSubscribe')
      }
      socket.refuses(...ahead)

      expect(gaps).toMatchObject([{ cause: 'too_old', fromSlot: 3, toSlot: 3 }])
    })
  })

  it('retries when the service reports too many requests', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest()
    const swaps = pairwire.swaps().on('event', () => {})
    await clock.pass(0)
    const socket = sockets[0]!
    socket.opens()
    socket.refuses('swapSubscribe', 'TOO_MANY_REQUESTS', -32_029)

    await clock.pass(500)
    socket.answers()

    expect(socket.sent.filter(({ method }) => method === 'swapSubscribe')).toHaveLength(2)
    expect(swaps.stats().connects).toBe(1)
  })

  describe('of commitment processed', () => {
    it('reports what it may have missed after a break, before the first new event', async () => {
      const { pairwire, connect, clock } = createSdkUnderTest()
      const items: unknown[] = []
      const swaps = pairwire.swaps({ commitment: 'processed' })
      const iterator = swaps.items()
      const read = (async () => {
        for await (const item of iterator) items.push(item)
      })()
      const socket = await connect()
      says.early(socket, 10)
      says.block(socket, 10)
      socket.closes(1006)
      await clock.pass(500)
      const second = await connect()
      says.early(second, 14)
      await clock.pass(0)
      await swaps.close()
      await read

      expect(second.sent[0]?.params).toEqual({ commitment: 'processed' })
      expect(items).toMatchObject([
        { type: 'swap', slot: 10, cursor: null, commitment: 'processed' },
        { type: 'gap', cause: 'disconnected', fromSlot: 11, toSlot: 13, resumeFrom: null },
        { type: 'swap', slot: 14 },
      ])
    })

    it('reports nothing of the old blocks that another stream resumes from', async () => {
      const { pairwire, connect, clock } = createSdkUnderTest()
      const gaps: unknown[] = []
      const swaps = pairwire.swaps({ commitment: 'processed' }).on('event', () => {})
      swaps.on('gap', ({ fromSlot, toSlot }) => gaps.push([fromSlot, toSlot]))
      pairwire.newPairs({}, { from: cursorOf(5) }).on('event', () => {})

      for (const [slot, oldSlot] of [
        [90, 5],
        [94, 6],
        [98, 7],
      ] as const) {
        const socket = await connect()
        says.block(socket, oldSlot, 3)
        says.early(socket, slot)
        says.block(socket, oldSlot + 1, 3)
        socket.closes(1006)
        await clock.pass(10_000)
      }

      expect(gaps).toEqual([
        [90, 93],
        [94, 97],
      ])
    })

    it('takes no cursor from the blocks', async () => {
      const { pairwire, connect } = createSdkUnderTest()
      const swaps = pairwire.swaps({ commitment: 'processed' }).on('event', () => {})
      says.block(await connect(), 10)

      expect(swaps.cursor).toBeNull()
    })
  })

  it('of blocks without cursors reports the blocks between, and no gap before the next one', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const told: unknown[] = []
    const blocks = pairwire.blocks().on('event', ({ block }) => told.push(block))
    blocks.on('gap', ({ fromSlot, toSlot }) => told.push([fromSlot, toSlot]))

    for (const block of [100, 101, 104]) {
      const socket = await connect()
      socket.says({
        ...{ subscription_id: 1, method: 'latestBlockNotification' },
        params: { block, blockTime: 1 },
      })
      socket.closes(1006)
      await clock.pass(10_000)
    }

    expect(told).toEqual([100, 101, [102, 103], 104])
  })

  describe('that is not read', () => {
    it('pauses the connection when full, and resumes once half is read', async () => {
      const { pairwire, connect, states } = createSdkUnderTest({ canPause: true })
      const swaps = pairwire.swaps({}, { maxUnread: 4 })
      const iterator = swaps[Symbol.asyncIterator]()
      const socket = await connect()

      socket.swaps(1, 2, 3, 4)
      expect([socket.isPaused, swaps.stats().slowedDown]).toEqual([true, 1])
      await iterator.next()
      expect(socket.isPaused).toBe(true)
      await iterator.next()

      expect(socket.isPaused).toBe(false)
      expect(states).toEqual(['connecting', 'open', 'resting', 'open'])
    })

    it('drops a connection that cannot pause, and reconnects after its cursor, not before 5 s', async () => {
      const { pairwire, connect, clock, sockets } = createSdkUnderTest()
      const iterator = pairwire.swaps({}, { maxUnread: 2 })[Symbol.asyncIterator]()
      const socket = await connect()

      socket.swaps(1, 2, 3)
      expect(socket.isClosed).toBe(true)
      await iterator.next()
      await iterator.next()
      await clock.pass(4_999)
      expect(sockets).toHaveLength(1)
      await clock.pass(1)
      const second = await connect()

      expect(second.sent[0]?.params).toEqual({ resume_from: cursorOf(2) })
    })

    it('is named in a warning after 10 s', async () => {
      const { pairwire, connect, clock, warnings } = createSdkUnderTest({ canPause: true })
      pairwire.swaps({}, { maxUnread: 1 })[Symbol.asyncIterator]()
      ;(await connect()).swaps(1)

      await clock.pass(10_000)

      expect(warnings).toEqual([expect.stringContaining('"swaps" has been full for 10 s')])
    })

    it('never leaves a reader waiting while items are unread, however often it fills', async () => {
      const { pairwire, connect } = createSdkUnderTest({ canPause: true })
      const iterator = pairwire.swaps({}, { maxUnread: 2 })[Symbol.asyncIterator]()
      const socket = await connect()

      for (let burst = 0; burst < 50; burst++) {
        const waiting = iterator.next()
        socket.swaps(burst * 3 + 1, burst * 3 + 2, burst * 3 + 3)
        expect((await waiting).value?.slot).toBe(burst * 3 + 1)
        await iterator.next()
        await iterator.next()
        expect(socket.isPaused).toBe(false)
      }
    })

    it('drops the oldest on request, and reports one gap that can be resumed', async () => {
      const { pairwire, connect } = createSdkUnderTest()
      const swaps = pairwire.swaps({}, { maxUnread: 2, whenFull: 'drop_oldest', from: cursorOf(9) })
      const items = swaps.items()
      const socket = await connect()

      socket.swaps(10, 11, 12, 13, 14)

      expect((await items.next()).value).toEqual({
        ...{ type: 'gap', fromSlot: 10, toSlot: 12, cause: 'unread', resumeFrom: cursorOf(9) },
      })
      expect((await items.next()).value).toMatchObject({ slot: 13 })
      expect(swaps.cursor).toBe(cursorOf(12))
      expect(swaps.stats()).toMatchObject({ received: 5, dropped: 3, gaps: 1, unread: 1 })
    })
  })

  describe('whose filter is changed', () => {
    it('subscribes with the old filter and repeats the update when the connection breaks before the answer', async () => {
      const { pairwire, connect, clock } = createSdkUnderTest()
      const swaps = pairwire.swaps({ include: { usdValue: 1 } }).on('event', () => {})
      const socket = await connect()
      const updated = swaps.update({ include: { usdValue: 2 } })
      socket.closes(1006)
      await clock.pass(500)
      const second = await connect()

      expect(second.sent[0]?.params).toEqual({ include: { usdValue: 1 } })
      expect(second.sent.at(-1)).toMatchObject({
        method: 'updateSubscriptionParams',
        params: { subscription_id: 1, params: { include: { usdValue: 2 } } },
      })
      await updated
      second.closes(1006)
      await clock.pass(1_000)
      expect((await connect()).sent[0]?.params).toEqual({ include: { usdValue: 2 } })
    })

    it.each([undefined, null])(
      'to %s, from a program without types, has none from then on',
      async (params) => {
        const { pairwire, connect } = createSdkUnderTest()
        const swaps = pairwire.swaps({ include: { usdValue: 1 } }).on('event', () => {})
        const socket = await connect()

        const updated = swaps.update(params as never)
        socket.answers()

        expect(await updated).toBeUndefined()
        expect(socket.sent.at(-1)?.params).toEqual({ subscription_id: 1, params: {} })
      },
    )

    it('before it is read agrees at once, and subscribes with the new filter only', async () => {
      const { pairwire, connect, clock, sockets } = createSdkUnderTest()
      const cursors = { load: () => cursorOf(5), save() {} }
      const swaps = pairwire.swaps({}, { cursors })
      await swaps.update({ include: { usdValue: 1 } })
      await swaps.update({ include: { usdValue: 2 } })
      expect(sockets).toHaveLength(0)

      swaps.on('event', () => {})
      await clock.pass(0)
      const { sent } = await connect()

      expect(sent[0]?.params).toEqual({ include: { usdValue: 2 }, resume_from: cursorOf(5) })
      expect(sent.map(({ method }) => method)).toEqual(['swapSubscribe', 'latestBlockSubscribe'])
    })

    it('rejects an update at once when no retry helps, also while events are unread: their reader may be waiting for it', async () => {
      const { pairwire, connect } = createSdkUnderTest()
      const swaps = pairwire.swaps()
      const iterator = swaps[Symbol.asyncIterator]()
      const first = iterator.next()
      const socket = await connect()
      socket.swaps(1, 2)
      await first
      const updated = swaps.update({ swapType: ['buy'] })
      socket.closes(4001)

      await expect(updated).rejects.toMatchObject({ errorType: 'KEY_UNKNOWN' })
      expect((await iterator.next()).value).toMatchObject({ slot: 2 })
      await expect(iterator.next()).rejects.toMatchObject({ errorType: 'KEY_UNKNOWN' })
    })

    it.each([
      ['reads its paused socket', true],
      ['opens its dropped connection', false],
    ])(
      'while it is full %s until the update is answered: its reader may be waiting for that',
      async (_, canPause) => {
        const { pairwire, connect, clock, sockets, states } = createSdkUnderTest({ canPause })
        const swaps = pairwire.swaps({}, { maxUnread: 2 })
        const iterator = swaps[Symbol.asyncIterator]()
        const first = iterator.next()
        const socket = await connect()
        socket.swaps(1)
        await first
        socket.swaps(2, 3)
        const updated = swaps.update({ swapType: ['buy'] })
        await clock.pass(5_000)
        if (!canPause) sockets.at(-1)!.opens()
        sockets.at(-1)!.answers()

        await updated
        expect(states.at(-1)).toBe('resting')
        expect(swaps.stats()).toMatchObject({ unread: 2, slowedDown: 1 })
      },
    )
  })

  describe('that is full when the connection breaks before an update is answered', () => {
    async function breakFull() {
      const sdk = createSdkUnderTest({ canPause: true })
      const { pairwire, connect, clock } = sdk
      const swaps = pairwire.swaps({}, { maxUnread: 2 })
      swaps[Symbol.asyncIterator]()
      const pairs = pairwire.newPairs().on('event', () => {})
      const first = await connect()
      first.swaps(1, 2)
      const updated = pairs.update({ include_launchpad_tokens: true })
      first.closes(1006)
      await clock.pass(500)
      return { ...sdk, swaps, pairs, updated }
    }

    it('reads the next connection until it is, and then rests again', async () => {
      const { connect, states, updated } = await breakFull()

      const second = await connect()
      await updated

      expect([states.at(-1), second.isPaused]).toEqual(['resting', true])
    })

    it('rests again at once if the other stream has closed', async () => {
      const { connect, clock, swaps, pairs, updated } = await breakFull()
      updated.catch(() => {})
      await pairs.close()
      await clock.pass(1_000)

      const second = await connect()

      expect([second.isPaused, swaps.stats().unread]).toEqual([true, 2])
    })
  })

  it('that joins an open connection after a cursor makes the blocks follow from there too', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const pairs = pairwire.newPairs()
    pairs.on('event', () => {})
    const socket = await connect()
    says.block(socket, 80)
    const swaps = pairwire.swaps({}, { from: cursorOf(5) })
    swaps.on('event', () => {})

    // Frames of the old block subscription are ahead of what the stream still has to get.
    says.block(socket, 90)
    expect(swaps.cursor).toBe(cursorOf(5))
    socket.answers()

    expect(socket.sent.slice(2).map(({ method, params }) => [method, params.resume_from])).toEqual([
      ['swapSubscribe', cursorOf(5)],
      ['latestBlockUnsubscribe', undefined],
      ['latestBlockSubscribe', cursorOf(5)],
    ])
  })

  describe('that replaces a closed one', () => {
    const TOO_MANY = ['TOO_MANY_REQUESTS', -32_029] as const
    const asked = (socket: FakeSocket) =>
      socket.sent.map(({ method }) => method).filter((one) => /^swap/.test(one))

    it('subscribes once the old subscription has ended, even if the service is too busy at first', async () => {
      const { pairwire, connect, clock } = createSdkUnderTest()
      pairwire.blocks().on('event', () => {})
      const old = pairwire.swaps().on('event', () => {})
      const socket = await connect()
      await old.close()
      pairwire.swaps().on('event', () => {})

      socket.refuses('swapUnsubscribe', ...TOO_MANY)
      await clock.pass(1_000)
      expect(asked(socket)).toEqual(['swapSubscribe', 'swapUnsubscribe', 'swapUnsubscribe'])
      socket.says({ id: socket.sent.at(-1)!.id, result: true })

      expect(asked(socket).at(-1)).toBe('swapSubscribe')
    })

    it('subscribes once an old one that was closed before its answer has ended', async () => {
      const { pairwire, clock, sockets } = createSdkUnderTest()
      pairwire.blocks().on('event', () => {})
      const old = pairwire.swaps().on('event', () => {})
      await clock.pass(0)
      const socket = sockets[0]!
      socket.opens()
      await old.close()
      pairwire.swaps().on('event', () => {})
      expect(asked(socket)).toEqual(['swapSubscribe'])

      socket.answers()

      expect(asked(socket)).toEqual(['swapSubscribe', 'swapUnsubscribe', 'swapSubscribe'])
    })

    it('subscribes at once if the old one was refused or was waiting for a retry', async () => {
      const { pairwire, clock, sockets } = createSdkUnderTest()
      pairwire.blocks().on('event', () => {})
      const [refused, waiting] = [pairwire.swaps(), pairwire.newPairs()]
      for (const stream of [refused, waiting]) stream.on('event', () => {})
      await clock.pass(0)
      const socket = sockets[0]!
      socket.opens()
      socket.refuses('newPairSubscribe', ...TOO_MANY)
      await Promise.all([refused.close(), waiting.close()])
      for (const stream of [pairwire.swaps(), pairwire.newPairs()]) stream.on('event', () => {})
      expect(socket.sent.filter(({ method }) => method === 'newPairSubscribe')).toHaveLength(2)

      socket.refuses('swapSubscribe', 'INVALID_USD_VALUE', -32_602)

      expect(asked(socket)).toEqual(['swapSubscribe', 'swapSubscribe'])
    })
  })

  it('that joins an open connection gets its blocks even if the service is too busy to end the old subscription', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    const blocks = pairwire.blocks().on('event', () => {})
    const socket = await connect()
    pairwire.swaps({}, { from: cursorOf(5) }).on('event', () => {})
    const methods = () => socket.sent.slice(2).map(({ method }) => method)

    socket.refuses('latestBlockUnsubscribe', 'TOO_MANY_REQUESTS', -32_029)
    expect(methods()).not.toContain('latestBlockSubscribe')
    await clock.pass(1_000)
    socket.answers('latestBlockUnsubscribe')
    socket.says({ id: socket.sent.at(-1)!.id, result: true })

    expect(methods().slice(-2)).toEqual(['latestBlockUnsubscribe', 'latestBlockSubscribe'])
    expect(await Promise.race([blocks.closed, 'open'])).toBe('open')
  })
})
