import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { formatCursor, LAST_PLACE, NewPairParams, type StreamEvent, SwapParams } from '@pairwire/contract'
import { type Decoded, decodeTransaction } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { openSource } from './sources/open-source.ts'
import type { Arrivals, Block, Source } from './sources/source.ts'
import { signatureOf } from './testing/a-record.ts'
import { aSwap } from './testing/a-swap.ts'
import {
  aBlock,
  aTransaction,
  ended,
  lastCursorOf,
  START,
  setUp,
  sourceOf,
} from './testing/ingest-under-test.ts'
import { silentLog } from './testing/silent-log.ts'
import { createTokenMemory, type TokenMemory } from './tokens/token-memory.ts'

describe('createIngest', () => {
  it('publishes one batch per block, the block itself last', async () => {
    const { ingest, batches, logged } = setUp(sourceOf(aBlock(7), aBlock(8)))

    ingest.start()
    await ended(logged)

    expect(batches).toEqual([
      [
        {
          kind: 'latestBlock',
          cursor: lastCursorOf(7),
          params: { block: 7, blockTime: START / 1000 },
          receivedAt: START,
        },
      ],
      [
        {
          kind: 'latestBlock',
          cursor: lastCursorOf(8),
          params: { block: 8, blockTime: START / 1000 },
          receivedAt: START,
        },
      ],
    ])
  })

  it('publishes a block under an id that is the same at every ingest of its chain', async () => {
    const ids: (string | undefined)[] = []
    const bus = {
      ...createInProcessBus({ maxBytes: 1_000_000 }),
      publish: async (_events: readonly StreamEvent[], id?: string) => {
        ids.push(id)
      },
    }
    const { ingest, logged } = setUp(sourceOf({ ...aBlock(7), id: '7:hash' }, aBlock(8)), { bus })

    ingest.start()
    await ended(logged)

    expect(ids).toEqual(['7:hash', undefined])
  })

  it('publishes arrivals in order, each after the last, as events without a cursor for clients', async () => {
    const decoded = {
      events: [aSwap()],
      refusals: [{ exchange: 'pumpfun', path: '', reason: 'truncated' }],
    } as const
    const arrival = (slot: number, endsSlot = false): Arrivals => ({
      ...{ slot, blockTime: START / 1000, endsSlot },
      arrived: endsSlot ? [] : [{ signature: new Uint8Array(64).fill(slot), decoded }],
    })
    const gap = { run: 0, fromSlot: 5, toSlot: 6 }
    const source = sourceOf(arrival(7), arrival(8), arrival(7, true), arrival(7), gap, arrival(8, true))
    const { ingest, batches, logged } = setUp({ ...source, inOrderOfArrival: true })

    ingest.start()
    await ended(logged)

    const events = batches.flat()
    expect(events.map(({ kind }) => kind)).toEqual([
      'swap',
      'swap',
      'latestBlock',
      'swap',
      'gap',
      'latestBlock',
    ])
    expect(events.map((event) => ('slot' in event.params ? event.params.slot : null))).toEqual([
      7,
      8,
      null,
      7,
      null,
      null,
    ])
    const cursors = events.map(({ cursor }) => cursor)
    expect(cursors).toEqual([...new Set(cursors)].sort())
    expect(events.filter(({ kind }) => kind !== 'gap')).toMatchObject(new Array(5).fill({ unplaced: true }))
    expect(ingest.stats()).toMatchObject({ blocks: 2, transactions: 3, latestBlock: 8 })
    expect(ingest.stats().refusals).toEqual({ 'pumpfun truncated': 3 })
    expect(ingest.stats().publishFaults).toBe(0)
  })

  it('publishes what a source could not deliver as a gap, after everything before it', async () => {
    const gap = (fromSlot: number, toSlot: number) => ({ run: 0, fromSlot, toSlot })
    const live = (slot: number): Block => ({ ...aBlock(slot), run: 0 })
    const source = sourceOf(live(7), gap(8, 11), live(12), gap(10, 10), gap(9, 9), live(13))
    const { ingest, batches, logged, bus } = setUp(source)

    ingest.start()
    await ended(logged)

    const events = batches.flat()
    expect(ingest.stats().gapSlots).toEqual({ upstream: 6, deploy: 0 })
    expect(events.filter(({ kind }) => kind === 'gap').map(({ params }) => params)).toEqual([
      { fromSlot: 8, toSlot: 11, cause: 'upstream', resume_from: null },
      { fromSlot: 10, toSlot: 10, cause: 'upstream', resume_from: null },
      { fromSlot: 9, toSlot: 9, cause: 'upstream', resume_from: null },
    ])
    expect(events.map(({ kind }) => kind)).toEqual([
      'latestBlock',
      'gap',
      'latestBlock',
      'gap',
      'gap',
      'latestBlock',
    ])
    const cursors = events.map(({ cursor }) => cursor)
    expect(cursors).toEqual([...cursors].sort())
    // Resuming after any of them returns everything that follows.
    for (const [at, cursor] of cursors.entries()) {
      const following: StreamEvent[] = []
      for await (const part of bus.replay(cursor)) following.push(...part)
      expect(following).toEqual(events.slice(at + 1))
    }
  })

  it("makes cursors of a live chain from the chain's own indexes, whichever part of the block is delivered", async () => {
    const swaps = [905, 420].map((index) => ({ ...aTransaction(index % 250), index }))
    const decode = (): Decoded => ({ ...decodeTransaction(aTransaction(1)), events: [aSwap()] })
    const { ingest, batches, logged } = setUp(sourceOf({ ...aBlock(7, ...swaps.reverse()), run: 0 }), {
      decode,
    })

    ingest.start()
    await ended(logged)

    const expected = [420, 905].map((transactionIndex) =>
      formatCursor({ run: 0, slot: 7, transactionIndex, eventIndex: 0 }),
    )
    expect(batches.flat().map(({ cursor }) => cursor)).toEqual([
      ...expected,
      formatCursor({ run: 0, slot: 7, ...LAST_PLACE }),
    ])
  })

  describe('after another process', () => {
    const ofRun = (run: number, slot: number): Block => ({ ...aBlock(slot), run })
    const keptUpTo = (run: number, slot: number): StreamEvent => ({
      kind: 'latestBlock',
      cursor: formatCursor({ run, slot, ...LAST_PLACE }),
      params: { block: slot, blockTime: START / 1000 },
    })

    it('continues after what is kept of a live chain, and requests it from the source', async () => {
      const asked: unknown[] = []
      const source: Source = {
        simulated: false,
        blocks: async function* (_signal, keptSlot) {
          asked.push(keptSlot)
          yield* [ofRun(0, 8), ofRun(0, 9)]
        },
      }
      const { ingest, batches, logged, bus } = setUp(source)
      await bus.publish([keptUpTo(0, 7)])

      ingest.start()
      await ended(logged)

      expect(asked).toEqual([7])
      expect(batches.flat().map(({ kind, cursor }) => [kind, Number(cursor.split('-')[1])])).toEqual([
        ['latestBlock', 7],
        ['latestBlock', 8],
        ['latestBlock', 9],
      ])
    })

    // Guards against silence: another node of the same provider, or another chain, may be behind.
    it('publishes arrivals of slots that an earlier process has passed, too', async () => {
      const arrivals = [7, 7, 5, 8, 9].map((slot): Arrivals => {
        const decoded = { events: [aSwap()], refusals: [] }
        const arrived = [{ signature: new Uint8Array(64).fill(slot), decoded }]
        return { slot, blockTime: START / 1000, endsSlot: false, arrived }
      })
      const { ingest, batches, logged, bus } = setUp({ ...sourceOf(...arrivals), inOrderOfArrival: true })
      await bus.publish([keptUpTo(0, 7)])

      ingest.start()
      await ended(logged)

      const events = batches.flat().slice(1) as Extract<StreamEvent, { kind: 'swap' }>[]
      expect(events.map(({ params }) => params.slot)).toEqual([7, 7, 5, 8, 9])
      expect(ingest.stats().publishFaults).toBe(0)
    })

    it('publishes a gap before a new run, since the end of the previous one is unknown', async () => {
      for (const [slot, toSlot] of [
        [20, 19],
        [8, 8],
        [3, 8],
      ] as const) {
        const { ingest, batches, logged, bus } = setUp(sourceOf(ofRun(2, slot), ofRun(2, slot + 1)))
        await bus.publish([keptUpTo(1, 7)])

        ingest.start()
        await ended(logged)

        const [, gap, ...blocks] = batches.flat()
        expect(gap).toMatchObject({
          kind: 'gap',
          params: { fromSlot: 8, toSlot, cause: 'deploy', resume_from: null },
        })
        expect(blocks.map(({ kind }) => kind)).toEqual(['latestBlock', 'latestBlock'])
        // Guards operators: no slot of a chain was missed, so each restart must not raise the alarm.
        expect(ingest.stats().gapSlots).toEqual({ upstream: 0, deploy: 0 })
        expect(ingest.stats().gapAt).toBeUndefined()
      }
    })

    it("publishes a gap, caused by the service's absence, for slots that a live chain no longer has", async () => {
      const source = sourceOf({ run: 0, fromSlot: 8, toSlot: 11 }, ofRun(0, 12), {
        run: 0,
        fromSlot: 13,
        toSlot: 14,
      })
      const { ingest, batches, logged, bus } = setUp(source)
      await bus.publish([keptUpTo(0, 7)])

      ingest.start()
      await ended(logged)

      const gaps = batches.flat().filter(({ kind }) => kind === 'gap')
      expect(gaps.map(({ params }) => params)).toEqual([
        { fromSlot: 8, toSlot: 11, cause: 'deploy', resume_from: null },
        { fromSlot: 13, toSlot: 14, cause: 'upstream', resume_from: null },
      ])
      expect(ingest.stats()).toMatchObject({
        gapSlots: { deploy: 4, upstream: 2 },
        gapAt: expect.any(Number),
      })
    })

    it('starts over when the source is behind what was published: it is another chain', async () => {
      const { ingest, batches, logged, bus } = setUp(sourceOf(ofRun(0, 5), ofRun(0, 6)))
      await bus.publish([keptUpTo(0, 400_000_000)])

      ingest.start()
      await ended(logged)

      expect(batches.flat().map(({ cursor }) => Number(cursor.split('-')[1]))).toEqual([400_000_000, 5, 6])
      expect(await bus.oldestCursor()).toBe(keptUpTo(0, 5).cursor)
    })
  })

  // Guards the stream: a listener may fail, and the chain continues.
  it('does not mistake a failing listener for a broken source', async () => {
    const { ingest, batches, logged, bus } = setUp(sourceOf(aBlock(7), aBlock(8)))
    bus.subscribe(() => {
      throw new Error('a listener broke')
    })

    ingest.start()
    await ended(logged)

    expect(batches).toHaveLength(2)
    expect(ingest.stats()).toMatchObject({ blocks: 2, sourceFaults: 0, publishFaults: 2 })
  })

  it('publishes events of a simulated market in cursor order, each valid by the contract', async () => {
    const clock = createJumpingClock(START)
    const source = openSource('simulator?swaps=500', { clock, nextRun: async () => 4, loopByDefault: false })
    const { ingest, batches } = setUp(source, { clock })

    ingest.start()
    while (batches.length < 40) await new Promise((resolve) => setImmediate(resolve))
    await ingest.stop()

    const events = batches.flat()
    const cursors = events.map((event) => event.cursor)
    expect(cursors).toEqual([...cursors].sort())
    expect(new Set(cursors).size).toBe(cursors.length)
    for (const event of events) {
      if (event.kind === 'swap') SwapParams.parse(JSON.parse(JSON.stringify(event.params)))
      if (event.kind === 'newPair') NewPairParams.parse(JSON.parse(JSON.stringify(event.params)))
    }
    expect(events.filter((event) => event.kind === 'swap').length).toBeGreaterThan(40 * 199)
  })

  it('knows the value of every simulated swap, from the second block on', async () => {
    const clock = createJumpingClock(START)
    const source = openSource('simulator?swaps=50', { clock, nextRun: async () => 1, loopByDefault: false })
    const { ingest, batches } = setUp(source, { clock })

    ingest.start()
    while (batches.length < 50) await new Promise((resolve) => setImmediate(resolve))
    await ingest.stop()

    const values = batches
      .slice(1)
      .flat()
      .flatMap((event) => (event.kind === 'swap' ? [event.params.swap.usdValue] : []))
    expect(values.length).toBeGreaterThan(900)
    expect(values).not.toContain(null)
    expect(values.some((value) => value !== null && value > 10_000)).toBe(true)
    expect(ingest.stats().solPrice).toMatchObject({
      usdPerSol: expect.closeTo(168.4, -1),
      pools: [{ isKnown: false }, { isKnown: false }],
    })
  })

  // Guards the stream: one transaction that breaks a decoder must not stop all others.
  it('logs a transaction that breaks a decoder, and continues', async () => {
    const { ingest, batches, logged } = setUp(
      sourceOf(aBlock(7, aTransaction(1), aTransaction(2)), aBlock(8)),
      {
        decode: (transaction) => {
          if (transaction.signature[0] === 1) throw new TypeError('what is this')
          return decodeTransaction(transaction)
        },
      },
    )

    ingest.start()
    await ended(logged)

    expect(batches).toHaveLength(2)
    expect(ingest.stats()).toMatchObject({ decoderFaults: 1, transactions: 2, blocks: 2 })
    expect(logged).toContainEqual([
      'A decoder failed on a transaction, which is left out.',
      { signature: signatureOf(1), error: 'TypeError: what is this' },
    ])
  })

  it('retries a source that broke, later each time, and reports down meanwhile', async () => {
    let tries = 0
    const isUp: boolean[] = []
    const source: Source = {
      simulated: true,
      blocks: async function* () {
        isUp.push(ingest.stats().sourceUp)
        tries++
        if (tries === 4) {
          yield aBlock(7)
          isUp.push(ingest.stats().sourceUp)
        }
        if (tries < 6) throw new Error(`try ${tries}`)
      },
    }
    const { ingest, logged, clock } = setUp(source)

    ingest.start()
    await ended(logged)

    expect(clock.waits).toEqual([500, 1_000, 2_000, 500, 1_000])
    expect(isUp).toEqual([false, false, false, false, true, false, false])
    expect(ingest.stats()).toMatchObject({ sourceFaults: 5, sourceUp: false })
  })

  it('stops between two blocks, and at once while it waits', async () => {
    const clock = createJumpingClock(START)
    const source = openSource('simulator', { clock, nextRun: async () => 1, loopByDefault: false })
    const { ingest, batches } = setUp(source, { clock })
    ingest.start()
    while (batches.length < 3) await new Promise((resolve) => setImmediate(resolve))

    await ingest.stop()
    const count = batches.length
    await new Promise((resolve) => setImmediate(resolve))

    expect(batches).toHaveLength(count)
    expect(ingest.stats().sourceUp).toBe(false)
  })

  it('delays its blocks while the memory of tokens opens', async () => {
    let open = (_: TokenMemory) => {}
    const tokens = new Promise<TokenMemory>((resolve) => {
      open = resolve
    })
    const { ingest, batches, logged } = setUp(sourceOf(aBlock(7)), { tokens })
    ingest.start()
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(batches).toEqual([])

    open(createTokenMemory(silentLog))
    await ended(logged)

    expect(batches).toHaveLength(1)
  })
})
