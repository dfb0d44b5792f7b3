import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PairwireOptions } from './config.ts'
import { aNewPair, aSwap, type FakeEvent } from './fake/fake-events.ts'
import {
  ConnectionError,
  KeyError,
  type Pairwire,
  type PairwireError,
  type Stream,
  UsageError,
} from './index.ts'
import { pairwireFor } from './pairwire.ts'
import { type Platform, platform } from './platform.ts'
import type { WebSocketClass } from './socket.ts'
import { openNodeSocket } from './socket-node.ts'

/** A service under test: the fake server, or the gateway. */
export type ServiceUnderTest = Readonly<{
  url: string
  key: string
  push(event: FakeEvent, options?: { to?: 'confirmed' | 'processed' }): string | null
  block(): string
  gap(): void
  cut(): void
  /** Closes the account's connections with 4009. */
  disconnect(): void
  /** Forgets every event so far. */
  forget(): void
  /** Refuses the next request, on a service that does not validate. */
  refuse?(errorType: 'INVALID_USD_VALUE'): void
  stop(): Promise<void>
}>

/** Speed-up for promises that wait for seconds. */
const FAST = 10
const fastClock: Platform['clock'] = {
  elapsed: () => platform.clock.elapsed() * FAST,
  after: (ms, callback) => platform.clock.after(ms / FAST, callback),
}

/** How the package opens sockets in this runtime. */
const openSocket = 'process' in globalThis ? openNodeSocket : platform.openSocket

/** The SDK's promises, tested on a service with a websocket class. Runs in every runtime. */
export function describePromises(
  name: string,
  start: () => Promise<ServiceUnderTest>,
  Class: WebSocketClass,
): void {
  describe(`the SDK on ${name}`, () => {
    let service: ServiceUnderTest
    let warnings: string[]
    let states: string[]
    /** The methods and cursors sent on each connection. */
    let sent: string[][]
    const opened: Pairwire[] = []
    beforeEach(async () => {
      service = await start()
      warnings = []
      states = []
      sent = []
    })
    afterEach(async () => {
      for (const pairwire of opened.splice(0)) await pairwire.close()
      await service.stop()
    })

    class ToldWebSocket extends (Class as new (...parts: unknown[]) => { send(text: string): void }) {
      readonly #sent: string[] = []

      constructor(...parts: unknown[]) {
        super(...parts)
        sent.push(this.#sent)
      }

      override send(text: string): void {
        const { method, params } = JSON.parse(text)
        this.#sent.push(params?.resume_from ? `${method} behind ${params.resume_from}` : method)
        super.send(text)
      }
    }

    /** Waits between retries take no time, since `random` returns 0. */
    const open = (options: PairwireOptions = {}, clock = platform.clock) => {
      const findWebSocket = async () => ToldWebSocket
      const createPairwire = pairwireFor({
        ...{ ...platform, clock, random: () => 0, findWebSocket, openSocket },
      })
      const { url, key } = service
      const pairwire = createPairwire({
        ...{ url, key, onWarning: (one: string) => warnings.push(one) },
        onState: (state, why) => states.push(why ? `${state}: ${(why as PairwireError).errorType}` : state),
        ...options,
      })
      opened.push(pairwire)
      return pairwire
    }

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

      it('keeps the cursor of a filter that matches nothing fresh: blocks move it', async () => {
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
      expect((await items.next()).value).toMatchObject({ type: 'swap', commitment: 'processed' })
    })

    describe('bounded', () => {
      it('pauses the connection of a full reader, then hands out everything, however often it fills', async () => {
        const swaps = open({}, fastClock).swaps({}, { maxUnread: 6 })
        const reading = read(swaps)
        const first = reading(1)
        await subscribed(swaps)
        const cursors = [service.push(aSwap())]
        await first
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

    describe('the line', () => {
      it('is idle before the first reader, open for all of them, and idle after the last', async () => {
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

      it('waits and reconnects when the connection is lost', async () => {
        const swaps = open().swaps()
        void read(swaps)(1)
        await subscribed(swaps)

        service.cut()
        await until(() => swaps.stats().connects === 2)

        expect(states).toEqual(['connecting', 'open', 'waiting: LINE_LOST', 'connecting', 'open'])
      })

      it('fails when no retry can help, and connects again for the next reader', async () => {
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

      it('with tooOld throw ends one stream whose cursor is too old, and the others continue', async () => {
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

      it('ends one stream whose subscribe is refused, and the others continue', async () => {
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
    })

    describe('errors', () => {
      it('ends every stream when the key is unknown, and never names the key', async () => {
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

/** Returns a function that reads that many more events. */
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

/** Whether the promise settles within two milliseconds. */
function settled(coming: Promise<unknown>): Promise<boolean> {
  const limit = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 2))
  return Promise.race([coming.then(() => true), limit])
}

/** Resolves once the stream is subscribed. */
function subscribed(stream: Pick<Stream, 'stats'>): Promise<void> {
  return until(() => stream.stats().connects > 0)
}

/** Checks on each turn of the event loop, until the test times out. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}
