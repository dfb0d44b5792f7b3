import { describe, expect, it } from 'vitest'
import { aNewPair, aSwap } from './fake/fake-events.ts'
import { type Gap, type SwapEvent, UsageError } from './index.ts'
import { describeLine } from './line.suite.ts'
import type { WebSocketClass } from './socket.ts'
import { prepareHarness, read, type ServiceUnderTest, settled, subscribed, until } from './testing/harness.ts'

export type { ServiceUnderTest } from './testing/harness.ts'

/** The SDK's promises, tested on a service with a websocket class. Runs in every runtime. */
export function describePromises(
  kind: 'fake' | 'gateway',
  where: string,
  start: () => Promise<ServiceUnderTest>,
  Class: WebSocketClass,
): void {
  describe(`the SDK on the ${kind === 'fake' ? 'fake server' : kind}${where}`, () => {
    const harness = prepareHarness(start, Class)
    const { service, clock, warnings, states, sent, open } = harness

    describe('nothing lost, nothing twice, in order', () => {
      it('hands out events in order, each with its cursor', async () => {
        const swaps = open().swaps()
        const reading = read(swaps)
        await subscribed(swaps)

        const cursors = [service.push(aSwap()), service.push(aSwap()), service.push(aSwap())]

        const events = await reading(3)
        expect(events.map(({ cursor }) => cursor)).toEqual(cursors)
        expect(events[0]).toMatchObject({ type: 'swap', commitment: 'confirmed', replay: false })
        expect(events[0]).not.toHaveProperty('subscription_id')
      })

      it('resumes after the last event when the connection breaks', async () => {
        const swaps = open().swaps()
        const reading = read(swaps)
        await subscribed(swaps)
        const before = [service.push(aSwap()), service.push(aSwap())]
        await reading(2)

        service.cut()
        const missed = [service.push(aSwap()), service.push(aSwap())]
        const events = await reading(2)

        expect(events.map(({ cursor }) => cursor)).toEqual(missed)
        expect(swaps.stats()).toMatchObject({ received: 4, duplicates: 0, gaps: 0, connects: 2 })
        expect(before).not.toContain(events[0]?.cursor)
      })

      it('loses nothing when the service restarts', async () => {
        const swaps = open().swaps()
        const reading = read(swaps)
        const first = reading(1)
        await subscribed(swaps)
        const cursors = [service.push(aSwap())]
        await first
        for (let times = 0; times < 2; times++) {
          cursors.push(service.push(aSwap()))
          await service.restart()
          cursors.push(service.push(aSwap()))
        }

        const events = await reading(4)

        expect(events.map(({ cursor }) => cursor)).toEqual(cursors.slice(1))
        expect(swaps.stats()).toMatchObject({ received: 5, duplicates: 0, gaps: 0 })
      })

      it('loses nothing on a 4008, and reports no gap', async () => {
        const swaps = open().swaps()
        const reading = read(swaps)
        const first = reading(1)
        await subscribed(swaps)
        service.push(aSwap())
        await first

        const cursors = await service.outrun()

        const events = await reading(cursors.length)
        expect(events.map(({ cursor }) => cursor)).toEqual(cursors)
        expect(swaps.stats()).toMatchObject({ duplicates: 0, gaps: 0, connects: 2 })
        expect(states).toContain('waiting: SLOW_CONSUMER')
        expect(warnings).toEqual([])
      })

      it('keeps the cursor of a filter that matches nothing fresh by blocks, over a cut and the end of the program', async () => {
        let kept: string | null = null
        const save = (_: string, cursor: string) => {
          kept = cursor
        }
        const pairs = open().newPairs({}, { cursors: { load: () => null, save }, saveEveryMs: 1 })
        const first = read(pairs)(1)
        await subscribed(pairs)
        const forgetEverything = async () => {
          service.push(aSwap())
          const place = service.block()
          await until(() => kept === place)
          service.forget()
          return place
        }
        await forgetEverything()
        service.cut()
        const atDeath = await forgetEverything()

        const again = open().newPairs({}, { cursors: { load: () => atDeath, save() {} } })
        const next = read(again)(1)
        await subscribed(again)
        const pair = service.push(aNewPair())

        expect((await next)[0]?.cursor).toBe(pair)
        expect(again.stats()).toMatchObject({ received: 1, duplicates: 0, gaps: 0 })
        expect((await first)[0]?.cursor).toBe(pair)
        expect(pairs.stats()).toMatchObject({ received: 1, duplicates: 0, gaps: 0, connects: 2 })
      })

      it('gets the events it missed when it joins an open connection, and no block runs ahead of it', async () => {
        const pairwire = open()
        const pairs = pairwire.newPairs()
        const readingPairs = read(pairs)
        const pair = readingPairs(1)
        await subscribed(pairs)
        const place = service.push(aSwap())!
        const missed = [service.push(aSwap()), service.push(aSwap())]
        service.block()
        await until(() => pairs.cursor !== null)

        const swaps = pairwire.swaps({}, { from: place })
        const events = await read(swaps)(2)

        expect(events.map(({ cursor }) => cursor)).toEqual(missed)
        service.push(aNewPair())
        expect(await pair).toHaveLength(1)
      })

      it('begins now without a place, also beside a stream that resumes, which no block runs ahead of', async () => {
        const place = service.push(aSwap())!
        const missed = [service.push(aSwap()), service.push(aSwap())]
        service.block()
        const pairwire = open()
        const [blocks, pairs] = [pairwire.blocks(), pairwire.newPairs()]
        const swaps = pairwire.swaps({}, { from: place })
        const [block, pair] = [read(blocks)(1), read(pairs)(1)]
        const reading = read(swaps)
        const swap = reading(2)
        await Promise.all([subscribed(blocks), subscribed(pairs)])

        const now = service.block()

        expect((await block)[0]?.cursor).toBe(now)
        expect(pairs.cursor).toBe(now)
        expect((await swap).map(({ cursor }) => cursor)).toEqual(missed)
        void reading(1)
        await until(() => swaps.cursor === now)
        service.push(aNewPair())
        expect(await pair).toHaveLength(1)
        expect([swaps, blocks, pairs].map((stream) => stream.stats().gaps)).toEqual([0, 0, 0])
      })

      it('hands out each block once', async () => {
        const pairwire = open()
        const blocks = pairwire.blocks()
        const swaps = pairwire.swaps()
        const readingSwaps = read(swaps)
        const reading = read(blocks)
        await Promise.all([subscribed(blocks), subscribed(swaps)])
        const [first] = [service.block(), service.push(aSwap())]
        await readingSwaps(1)

        service.cut()
        const second = service.block()

        expect((await reading(2)).map(({ cursor }) => cursor)).toEqual([first, second])
        expect(blocks.stats()).toMatchObject({ duplicates: 0, gaps: 0 })
      })

      it('reports a gap in its place, and once even if the service repeats it', async () => {
        const swaps = open().swaps()
        const items = swaps.items()
        const first = items.next()
        await subscribed(swaps)
        service.push(aSwap())
        service.gap()
        await first
        const gap = await items.next()

        service.cut()
        const missed = service.push(aSwap())
        const next = await items.next()

        expect(gap.value).toMatchObject({ type: 'gap', cause: 'upstream', resumeFrom: null })
        expect(next.value).toMatchObject({ type: 'swap', cursor: missed })
        expect(swaps.stats().gaps).toBe(1)
      })

      it('reports what is no longer kept, and continues', async () => {
        const swaps = open().swaps({}, { from: service.push(aSwap())! })
        const lost = service.push(aSwap())
        service.forget()
        const gaps: unknown[] = []
        swaps.on('gap', (gap) => gaps.push(gap))
        const reading = read(swaps)
        const event = reading(1)
        await subscribed(swaps)

        const after = service.push(aSwap())

        expect((await event)[0]).toMatchObject({ cursor: after })
        expect(gaps).toMatchObject([{ cause: 'too_old', toSlot: Number(lost!.split('-')[1]) }])
      })

      it('changes a filter, and keeps it when the connection breaks', async () => {
        const swaps = open().swaps({ include: { usdValue: 1 } })
        const reading = read(swaps)
        const first = reading(1)
        await subscribed(swaps)

        await swaps.update({ include: { usdValue: 5_000 } })
        service.push(aSwap())
        await first
        service.cut()
        service.push(aSwap())

        expect(await reading(1)).toHaveLength(1)
        expect(swaps.stats()).toMatchObject({ duplicates: 0, gaps: 0 })
      })

      it('rejects an update with the sentence of the service, and keeps the old filter', async () => {
        const swaps = open().swaps()
        const reading = read(swaps)
        const first = reading(1)
        await subscribed(swaps)

        service.refuse?.('INVALID_USD_VALUE')
        // @ts-expect-error a program in JavaScript may ask for anything
        await expect(swaps.update({ include: { usdValue: 'much' } })).rejects.toMatchObject({
          code: -32_602,
          docs: expect.stringContaining('/errors/invalid-usd-value'),
        })
        service.push(aSwap())
        expect(await first).toHaveLength(1)
      })
    })

    describe('several streams, each event once', () => {
      it('sends all subscribes at once on opening, each with its cursor', async () => {
        const pairwire = open()
        const [swaps, pairs] = [pairwire.swaps(), pairwire.newPairs()]
        const [reading, readingPairs] = [read(swaps), read(pairs)]
        const both = Promise.all([reading(1), readingPairs(1)])
        await Promise.all([subscribed(swaps), subscribed(pairs)])
        const places = [service.push(aSwap()), service.push(aNewPair())]
        await both

        service.cut()
        await until(() => pairs.stats().connects === 2)

        const last = sent.at(-1)!.slice(0, 3)
        const behind = (method: string) => last.find((one) => one.startsWith(method))?.split(' behind ')[1]
        expect(last).toHaveLength(3)
        // Each after its own last event, or after a later block.
        expect(behind('swapSubscribe')! >= places[0]!).toBe(true)
        expect(behind('newPairSubscribe')! >= places[1]!).toBe(true)
        expect(behind('latestBlockSubscribe')).toBeDefined()
      })

      it('drops and counts duplicates', async () => {
        const pairwire = open()
        const place = service.push(aSwap())!
        const blocks = pairwire.blocks()
        const reading = read(blocks)
        const first = reading(1)
        await subscribed(blocks)
        const told = service.block()
        await first

        // It makes the service repeat the blocks after its cursor.
        void read(pairwire.newPairs({}, { from: place }))(1)
        await until(() => blocks.stats().duplicates > 0)
        const next = service.block()

        expect((await reading(1))[0]?.cursor).toBe(next)
        expect(next > told).toBe(true)
      })
    })

    it('reports after a break which processed events may be missing, before the first new one', async () => {
      const items = open().swaps({ commitment: 'processed' }).items()
      const first = items.next()
      await until(() => states.at(-1) === 'open' && sent.at(-1)!.length > 1)
      while (!(await settled(first))) service.push(aSwap(), { to: 'processed' })

      service.cut()
      let next = items.next()
      for (;;) {
        if (!(await settled(next))) service.push(aSwap(), { to: 'processed' })
        else if ((await next).value?.type === 'swap') next = items.next()
        else break
      }

      expect((await first).value).toMatchObject({ cursor: null, commitment: 'processed' })
      expect((await next).value).toMatchObject({ type: 'gap', cause: 'disconnected', resumeFrom: null })
      const after = (await items.next()).value as SwapEvent
      expect(after).toMatchObject({ type: 'swap', commitment: 'processed' })
      // Up to the slot before the event, or to its own where the break was in it.
      const { fromSlot, toSlot } = (await next).value as Gap
      expect(toSlot).toBe(Math.max(fromSlot!, after.slot - 1))
    })

    describe('a playback', () => {
      it('resumes after a cursor', async () => {
        const { replay, cursors } = service.record()

        const events = await read(open().swaps({ replay }, { from: cursors[0]! }))(cursors.length)

        expect(events.map(({ cursor }) => cursor)).toEqual(cursors.slice(1))
        expect(sent[0]).toContain(`swapSubscribe behind ${cursors[0]}`)
      })

      // The fake server sends a playback at once.
      if (kind === 'gateway')
        it('resumes after its last event when the connection breaks', async () => {
          const { replay, cursors } = service.record()
          const swaps = open().swaps({ replay })
          const reading = read(swaps)
          const first = await reading(1)

          service.cut()

          const events = [...first, ...(await reading(cursors.length))]
          expect(events.map(({ cursor }) => cursor)).toEqual(cursors)
          expect(swaps.stats()).toMatchObject({ gaps: 0, connects: 2 })
          expect(await swaps.closed).toBeNull()
        })
    })

    describe('bounded', () => {
      it('pauses the connection of a full reader, then hands out everything, however often it fills', async () => {
        const swaps = open().swaps({}, { maxUnread: 6 })
        const reading = read(swaps)
        const first = reading(1)
        await subscribed(swaps)
        const cursors = [service.push(aSwap())]
        await first
        clock.speed = 10
        for (let burst = 0; burst < 2; burst++) {
          for (let made = 0; made < 9; made++) cursors.push(service.push(aSwap()))
          await until(() => swaps.stats().unread >= 6)

          const events = await reading(9)

          expect(events.map(({ cursor }) => cursor)).toEqual(cursors.slice(-9))
        }
        expect(states).toContain('resting')
        expect(swaps.stats()).toMatchObject({ received: 19, duplicates: 0, gaps: 0 })
        expect(swaps.stats().slowedDown).toBeGreaterThan(1)
      })

      it('pauses the connection for all its streams until half is read, and names the full one after 10 s', async () => {
        const pairwire = open()
        const [swaps, pairs] = [pairwire.swaps({}, { maxUnread: 4, name: 'whales' }), pairwire.newPairs()]
        const [reading, readingPairs] = [read(swaps), read(pairs)]
        const both = Promise.all([reading(1), readingPairs(1)])
        await Promise.all([subscribed(swaps), subscribed(pairs)])
        const cursors = [service.push(aSwap())]
        service.push(aNewPair())
        await both

        clock.speed = 100
        for (let made = 0; made < 6; made++) cursors.push(service.push(aSwap()))
        const pair = service.push(aNewPair())
        await until(() => warnings.length > 0)
        expect(states.at(-1)).toBe('resting')
        const events = await reading(6)

        expect(warnings).toEqual([expect.stringContaining('"whales" has been full for 10 s')])
        expect(clock.waits).toContain(10_000)
        expect(events.map(({ cursor }) => cursor)).toEqual(cursors.slice(1))
        expect((await readingPairs(1))[0]?.cursor).toBe(pair)
        expect([swaps.stats().gaps, pairs.stats().gaps]).toEqual([0, 0])
      })

      it('drops the oldest on request, and reports one gap that can be resumed', async () => {
        const swaps = open().swaps({}, { maxUnread: 2, whenFull: 'drop_oldest' })
        const items = swaps.items()
        const first = items.next()
        await subscribed(swaps)
        const place = service.push(aSwap())
        await first
        const cursors = [1, 2, 3, 4, 5].map(() => service.push(aSwap()))
        await until(() => swaps.stats().received === 6)

        const gap = await items.next()

        expect(gap.value).toMatchObject({ type: 'gap', cause: 'unread', resumeFrom: place })
        expect((await items.next()).value).toMatchObject({ cursor: cursors[3] })
        expect(swaps.stats()).toMatchObject({ dropped: 3, gaps: 1 })
      })
    })

    describe('place kept', () => {
      it('saves a cursor only when the reader asks for the next event', async () => {
        const saved: string[] = []
        const cursors = { load: () => null, save: (_: string, cursor: string) => void saved.push(cursor) }
        const swaps = open().swaps({}, { cursors, saveEveryMs: 0 })
        const reading = read(swaps)
        const first = reading(1)
        await subscribed(swaps)
        const place = service.push(aSwap())
        await first
        expect(saved).not.toContain(place)

        service.push(aSwap())
        await reading(1)

        expect(saved.at(-1)).toBe(place)
      })

      it('saves the cursor of a block while the reader waits', async () => {
        const saved: string[] = []
        const cursors = { load: () => null, save: (_: string, cursor: string) => void saved.push(cursor) }
        const pairs = open().newPairs({}, { cursors, saveEveryMs: 1 })
        void read(pairs)(1)
        await subscribed(pairs)

        service.push(aSwap())
        const place = service.block()

        await until(() => saved.at(-1) === place)
      })

      it('skips nothing unfinished when the program dies, and with saveEveryMs 0 repeats one event', async () => {
        let kept: string | null = null
        const cursors = {
          load: () => kept,
          save(_: string, cursor: string) {
            kept = cursor
          },
        }
        const killed = open()
        const swaps = killed.swaps({}, { cursors: { ...cursors }, saveEveryMs: 0 })
        const reading = read(swaps)
        const first = reading(3)
        await subscribed(swaps)
        const places = [1, 2, 3].map(() => service.push(aSwap()))
        await first
        // A stream that is never closed saves nothing more.
        const atDeath = kept

        const events = await read(open().swaps({}, { cursors: { ...cursors, load: () => atDeath } }))(1)

        expect(events.map(({ cursor }) => cursor)).toEqual([places[2]])
      })

      it('resumes from the stored cursor rather than from the option', async () => {
        const [given, kept, missed] = [service.push(aSwap())!, service.push(aSwap())!, service.push(aSwap())]
        const cursors = { load: () => kept, save() {} }

        const events = await read(open().swaps({}, { cursors, from: given }))(1)

        expect(events[0]?.cursor).toBe(missed)
      })

      it('ends when its cursor cannot be loaded', async () => {
        const load = () => Promise.reject(new Error('The disk is gone.'))

        const reading = read(open().swaps({}, { cursors: { load, save() {} } }))(1)

        await expect(reading).rejects.toBeInstanceOf(UsageError)
        await expect(reading).rejects.toMatchObject({ errorType: 'CURSORS_UNREADABLE' })
      })

      it('warns of a cursor that cannot be saved, and saves it later', async () => {
        const saved: string[] = []
        let isFull = true
        const save = (_: string, cursor: string) => {
          if (isFull) throw new Error('The disk is full.')
          saved.push(cursor)
        }
        const swaps = open().swaps({}, { cursors: { load: () => null, save }, saveEveryMs: 1 })
        const reading = read(swaps)
        const both = reading(2)
        await subscribed(swaps)
        const place = service.push(aSwap())!
        service.push(aSwap())
        await both
        await until(() => warnings.some((warning) => warning.includes('The disk is full.')))

        isFull = false

        await until(() => saved.some((cursor) => cursor >= place))
      })
    })

    describeLine(kind, harness, Class)
  })
}
