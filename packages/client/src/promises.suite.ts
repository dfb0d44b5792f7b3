import { setTimeout as realWait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { PairwireOptions } from './config.ts'
import { aNewPair, aSwap, type FakeEvent } from './fake/fake-events.ts'
import { KeyError, type Pairwire, type PairwireError, type Stream } from './index.ts'
import { pairwireFor } from './pairwire.ts'
import { platform } from './platform.ts'

/** A service that the promises are tried on: the fake server, or the gateway. */
export type ServiceUnderTest = Readonly<{
  url: string
  key: string
  push(event: FakeEvent, options?: { to?: 'confirmed' | 'processed' }): string | null
  block(): string
  gap(): void
  cut(): void
  /** Forgets every event until now. */
  forget(): void
  /** Refuses the next request so, where the service does not judge by itself. */
  refuse?(errorType: 'INVALID_USD_VALUE'): void
  stop(): Promise<void>
}>

/** What the SDK promises its reader, tried on a service. */
export function describePromises(name: string, start: () => Promise<ServiceUnderTest>): void {
  describe(`the SDK on ${name}`, () => {
    let service: ServiceUnderTest
    let warnings: string[]
    const opened: Pairwire[] = []
    beforeEach(async () => {
      service = await start()
      warnings = []
    })
    afterEach(async () => {
      for (const pairwire of opened.splice(0)) await pairwire.close()
      await service.stop()
    })

    /** Waits between tries take no time, since chance gives 0. */
    const open = (options: PairwireOptions = {}) => {
      const createPairwire = pairwireFor({
        ...platform,
        random: () => 0,
        findWebSocket: async () => WebSocket,
      })
      const { url, key } = service
      const pairwire = createPairwire({ url, key, onWarning: (one) => warnings.push(one), ...options })
      opened.push(pairwire)
      return pairwire
    }

    describe('nothing lost, nothing twice, in order', () => {
      it('hands out what is published, in order, each with its place', async () => {
        const swaps = open().swaps()
        const reading = read(swaps)
        await subscribed(swaps)

        const cursors = [service.push(aSwap()), service.push(aSwap()), service.push(aSwap())]

        const events = await reading(3)
        expect(events.map(({ cursor }) => cursor)).toEqual(cursors)
        expect(events[0]).toMatchObject({ type: 'swap', commitment: 'confirmed', replay: false })
        expect(events[0]).not.toHaveProperty('subscription_id')
      })

      it('goes on behind the last event after a broken line', async () => {
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

      it('keeps a filter that matches nothing from growing too old: blocks move its place', async () => {
        const pairs = open().newPairs()
        const reading = read(pairs)
        const first = reading(1)
        await subscribed(pairs)
        service.push(aSwap())
        const place = service.block()
        await until(() => pairs.cursor === place)

        service.forget()
        service.cut()
        service.push(aNewPair())

        expect(await first).toHaveLength(1)
        expect(pairs.stats()).toMatchObject({ gaps: 0, connects: 2 })
      })

      it('gets what it missed when it joins an open line, and no block runs ahead of it', async () => {
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

      it('follows blocks for who wants them, each once', async () => {
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

      it('tells a gap in its place, and once though it is told again', async () => {
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

      it('says what is no longer held, and goes on', async () => {
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

      it('changes a filter, and holds it after a broken line', async () => {
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

      it('refuses an update with the sentence of the service, and the old filter stands', async () => {
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

    describe('errors', () => {
      it('ends every stream where the key is not known, and names the key nowhere', async () => {
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

      it('asks for another key before it gives up', async () => {
        const keys = ['f'.repeat(32), service.key]
        const swaps = open({ key: () => keys.shift() ?? service.key }).swaps()
        const reading = read(swaps)(1)
        await subscribed(swaps)

        service.push(aSwap())

        expect(await reading).toHaveLength(1)
      })
    })
  })
}

/** Reads so many more events. */
function read<Event>(stream: AsyncIterable<Event>): (count: number) => Promise<Event[]> {
  const iterator = stream[Symbol.asyncIterator]()
  return async (count) => {
    const events: Event[] = []
    while (events.length < count) {
      const { done, value } = await iterator.next()
      if (done) break
      events.push(value)
    }
    return events
  }
}

/** Resolves once the subscription stands. */
function subscribed(stream: Pick<Stream, 'stats'>): Promise<void> {
  return until(() => stream.stats().connects > 0)
}

/** Looks again with each turn of the loop, until the test's own limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await realWait(1)
}
