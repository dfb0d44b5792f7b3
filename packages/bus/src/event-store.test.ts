import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { eventsText, formatCursor, HOUR_MS, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aBlock, cursorOf, replayed } from './bus.suite.ts'
import { openEventReader } from './event-reader.ts'
import type { EventStoreOptions } from './event-store.ts'
import { createInProcessBus } from './in-process.ts'
import { aFolder, aStore } from './testing/a-store.ts'
import { tortureStore } from './testing/store-torture.ts'

/** A bus of a new process: it reads the folder, and holds almost nothing in memory. */
async function aProcess(options: Partial<EventStoreOptions> & { maxBytes?: number } = {}) {
  const store = await aStore(options)
  onTestFinished(store.close)
  return { store, bus: createInProcessBus({ maxBytes: options.maxBytes ?? 1, store }) }
}

/** The end of a block, as in a stream. */
function endOf(slot: number, run = 1): StreamEvent {
  const cursor = formatCursor({ run, slot, ...LAST_PLACE })
  return { kind: 'latestBlock', cursor, params: { block: slot, blockTime: 1_790_000_000 } }
}

const filesOf = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))

const gapsOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.kind === 'gap' ? [[event.params.fromSlot, event.params.toSlot]] : []))

async function allAfter(bus: ReturnType<typeof createInProcessBus>, cursor: string) {
  const events: StreamEvent[] = []
  for await (const batch of bus.replay(cursor)) events.push(...batch)
  return events
}

describe('event store', () => {
  it('returns in a later process what was published in earlier ones, whatever the batches and restarts', async () => {
    const batches = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 600 }), {
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(batches, fc.array(fc.boolean()), fc.nat(), async (steps, restarts, pick) => {
        const folder = aFolder()
        // Small files, so that a replay spans several.
        const options = { folder, retention: { milliseconds: 24 * HOUR_MS, bytes: 40_000 } }
        let { bus, store } = await aProcess(options)
        const slots: number[] = []
        for (const [at, batch] of steps.entries()) {
          const events = batch.map((step) => {
            slots.push((slots.at(-1) ?? 0) + step)
            return aBlock(slots.at(-1)!)
          })
          await bus.publish(events)
          if (!restarts[at]) continue
          await bus.close()
          ;({ bus, store } = await aProcess(options))
        }
        await store.settled()
        const oldest = Number((await bus.oldestCursor())!.split('-')[1])
        const from = oldest + (pick % (slots.at(-1)! - oldest + 1))

        expect(await replayed(bus, cursorOf(from))).toEqual(slots.filter((slot) => slot > from))
        await bus.close()
        rmSync(folder, { recursive: true })
      }),
      { numRuns: 30 },
    )
  })

  it('continues after what an earlier process kept, and refuses older events', async () => {
    const folder = aFolder()
    const first = await aProcess({ folder })
    await first.bus.publish([aBlock(7)])
    await first.bus.close()

    const { bus } = await aProcess({ folder })

    expect(await bus.newestCursor()).toBe(cursorOf(7))
    await expect(bus.publish([aBlock(6)])).rejects.toThrow()
    await bus.publish([aBlock(8)])
    expect(await replayed(bus, cursorOf(7))).toEqual([8])
    await bus.close()
  })

  it('parses no swap from disk that nothing reads', async () => {
    const swap = { slot: 7, signature: 's', blockTime: 1, swap: { swapType: 'buy' } }
    const events = [{ kind: 'swap', cursor: cursorOf(7), params: swap }, endOf(7)] as StreamEvent[]
    const { bus } = await aProcess()
    await bus.publish([aBlock(6)])
    await bus.publish(events)
    await bus.publish([aBlock(8)])
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())

    const [read] = await allAfter(bus, cursorOf(6))

    expect(parse.mock.calls.filter(([text]) => text.includes('signature'))).toEqual([])
    expect(read).toEqual(events[0])
  })

  it('starts over when the kind of source changes', async () => {
    const folder = aFolder()
    const first = await aProcess({ folder, source: 'simulator' })
    await first.bus.publish([aBlock(7), aBlock(8)])
    await first.bus.close()

    const { bus } = await aProcess({ folder, source: 'chain' })

    expect(await bus.oldestCursor()).toBeUndefined()
    expect(await bus.newestCursor()).toBeUndefined()
    await bus.publish([aBlock(1)])
    await bus.close()
  })

  it('keeps no more bytes than its limit, dropping the oldest events first', async () => {
    const folder = aFolder()
    const { bus, store } = await aProcess({
      folder,
      retention: { milliseconds: 24 * HOUR_MS, bytes: 50_000 },
    })
    for (let slot = 1; slot <= 2_000; slot++) {
      await bus.publish([aBlock(slot)])
      if (slot % 100 === 0) await store.settled()
    }

    const bytes = filesOf(folder).reduce((sum, file) => sum + readFileSync(file).length, 0)
    const oldest = Number((await bus.oldestCursor())!.split('-')[1])

    expect(bytes).toBeLessThanOrEqual(50_000)
    expect(bytes).toBeGreaterThan(40_000)
    expect(oldest).toBeGreaterThan(1)
    // From the newest dropped one too, as nothing after it is missing; also in another process.
    await bus.close()
    const later = await aProcess({ folder, retention: { milliseconds: 24 * HOUR_MS, bytes: 50_000 } })
    expect((await replayed(later.bus, cursorOf(oldest - 1)))[0]).toBe(oldest)
    await expect(replayed(later.bus, cursorOf(oldest - 2))).rejects.toThrow('older than the oldest')
    await later.bus.close()
  })

  it('keeps events no longer than its limit, plus a twenty-fourth of it', async () => {
    let now = Date.UTC(2026, 10, 20)
    const { bus, store } = await aProcess({
      now: () => now,
      retention: { milliseconds: 24 * HOUR_MS, bytes: 1_000_000 },
    })
    // A block every half hour, for two days.
    for (let slot = 1; slot <= 96; slot++) {
      await bus.publish([aBlock(slot)])
      await store.settled()
      now += HOUR_MS / 2
    }

    const oldest = Number((await bus.oldestCursor())!.split('-')[1])

    expect(96 - oldest).toBeGreaterThanOrEqual(47)
    expect(96 - oldest).toBeLessThanOrEqual(50)
    await bus.close()
  })

  it('cuts off an incomplete write, and never takes part of a batch for the whole', async () => {
    const folder = aFolder()
    const first = await aProcess({ folder })
    await first.bus.publish([aBlock(1)])
    await first.bus.publish([aBlock(2)])
    await first.store.settled()
    const [file] = filesOf(folder)
    const whole = readFileSync(file!)
    const twoBlocks = whole.length
    await first.bus.publish(Array.from({ length: 1_000 }, (_, at) => aBlock(at + 3)))
    await first.bus.close()
    const all = readFileSync(file!)

    for (let cut = 1; cut < all.length - twoBlocks; cut += 251) {
      writeFileSync(file!, all.subarray(0, all.length - cut))
      const { bus } = await aProcess({ folder })

      expect(await replayed(bus, cursorOf(1))).toEqual([2])
      await bus.publish([aBlock(2_000)])
      expect(await replayed(bus, cursorOf(1))).toEqual([2, 2_000])
      await bus.close()
    }
  })

  it('reads a gap where bytes on disk have changed, and continues after it', async () => {
    const folder = aFolder()
    const options = { folder, retention: { milliseconds: 24 * HOUR_MS, bytes: 20_000 } }
    const first = await aProcess(options)
    for (let slot = 1; slot <= 60; slot++) {
      await first.bus.publish([endOf(slot)])
      await first.store.settled()
    }
    await first.bus.close()
    const [oldest] = filesOf(folder)
    const bytes = readFileSync(oldest!)

    for (let at = bytes.indexOf('\n') + 1; at < bytes.length; at += 97) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 0xff
      writeFileSync(oldest!, changed)
      const { bus } = await aProcess(options)
      const from = formatCursor({ run: 1, slot: 1, ...LAST_PLACE })
      const events = await allAfter(bus, from).catch(() => undefined)
      await bus.close()
      // A change in the first record leaves nothing before it to resume from.
      if (!events) continue

      const slots = new Set(
        events.flatMap(({ kind, cursor }) => (kind === 'gap' ? [] : [Number(cursor.split('-')[1])])),
      )
      for (const [fromSlot, toSlot] of gapsOf(events)) {
        for (let slot = fromSlot!; slot <= toSlot!; slot++) slots.add(slot)
      }
      expect([...slots].sort((left, right) => left - right)).toEqual(
        Array.from({ length: 59 }, (_, index) => index + 2),
      )
    }
  })

  it.each([
    // It is unknown whether what follows damaged bytes begins its slot, so the gap includes that slot.
    ['a changed byte in the head of a record', 20, 1, 32],
    ['a changed byte in its body', 100, 1, 31],
    ['zeros over several records', 0, 1_000, undefined],
  ])(
    'reports %s of the newest file with its byte and slots, and keeps and reads the sound records after it',
    async (_, into, length, gapTo) => {
      const folder = aFolder()
      const first = await aProcess({ folder })
      const sizes: number[] = []
      for (let slot = 1; slot <= 60; slot++) {
        await first.bus.publish([endOf(slot)])
        await first.store.settled()
        sizes.push(readFileSync(filesOf(folder)[0]!).length)
      }
      await first.bus.close()
      const [file] = filesOf(folder)
      const bytes = readFileSync(file!)
      const at = sizes[29]! + into
      bytes.fill(length === 1 ? bytes[at]! ^ 0xff : 0, at, at + length)
      writeFileSync(file!, bytes)
      const from = formatCursor({ run: 1, slot: 1, ...LAST_PLACE })
      const read: string[] = []

      // As the audit reads it, with or without a running service.
      const reader = await openEventReader(folder, 'simulator', (sentence) => read.push(sentence))
      const audited: StreamEvent[] = []
      for await (const batch of reader.replay(from)) audited.push(...batch)
      const said: string[] = []
      const { bus } = await aProcess({ folder, log: { info() {}, warn: (sentence) => said.push(sentence) } })
      const events = await allAfter(bus, from)
      await bus.publish([endOf(61)])

      const [[fromSlot, toSlot] = [0, 0], ...others] = gapsOf(events)
      const lost = sizes.flatMap((size, before) =>
        size >= sizes[29]! && size < at + length ? [before + 2] : [],
      )
      expect([fromSlot, others]).toEqual([31, []])
      expect(toSlot).toBe(gapTo ?? lost.at(-1)! + 1)
      const sentence = `Kept events are damaged at byte ${sizes[29]} of 000001.events: slots 31 to ${toSlot} cannot be read whole, and clients get a gap in their place.`
      expect(said).toEqual([sentence])
      expect(read).toEqual([sentence])
      expect(audited).toEqual(events)
      const slots = events.flatMap(({ kind, cursor }) =>
        kind === 'gap' ? [] : [Number(cursor.split('-')[1])],
      )
      expect(slots).toEqual(
        Array.from({ length: 59 }, (_, index) => index + 2).filter((slot) => !lost.includes(slot)),
      )
      expect((await allAfter(bus, from)).at(-1)).toEqual(endOf(61))
      await bus.close()
    },
  )

  it('reports for a truncated file from which byte on, and after which slot', async () => {
    const folder = aFolder()
    const first = await aProcess({ folder })
    await first.bus.publish([endOf(1)])
    await first.store.settled()
    const end = readFileSync(filesOf(folder)[0]!).length
    await first.bus.publish([endOf(2)])
    await first.bus.close()
    truncateSync(filesOf(folder)[0]!, end + 90)
    const said: string[] = []

    await openEventReader(folder, 'simulator', (line) => said.push(line))
    await aProcess({ folder, log: { info() {}, warn: (line) => said.push(line) } })

    const sentence = `Events behind slot 1 are left out: from byte ${end} on a file is damaged, or not wholly written.`
    expect(said).toEqual([sentence, sentence])
  })

  it('reads a gap for a missing file', async () => {
    const folder = aFolder()
    const options = { folder, retention: { milliseconds: 24 * HOUR_MS, bytes: 20_000 } }
    const first = await aProcess(options)
    for (let slot = 1; slot <= 60; slot++) {
      await first.bus.publish([endOf(slot)])
      await first.store.settled()
    }
    await first.bus.close()
    rmSync(filesOf(folder)[1]!)

    const { bus } = await aProcess(options)
    const events = await allAfter(bus, formatCursor({ run: 1, slot: 1, ...LAST_PLACE }))

    const [gap] = gapsOf(events)
    expect(gap![1]! - gap![0]!).toBeGreaterThan(2)
    const slots = events.map(({ cursor }) => Number(cursor.split('-')[1]))
    expect(slots.filter((slot) => slot < gap![0]!)).toEqual(
      Array.from({ length: gap![0]! - 2 }, (_, at) => at + 2),
    )
    expect(slots.filter((slot) => slot > gap![1]!)).toEqual(
      Array.from({ length: 60 - gap![1]! }, (_, at) => gap![1]! + 1 + at),
    )
    await bus.close()
  })

  describe('on a full disk', () => {
    /** Makes the disk refuse the store's next file, which is its first. */
    const fill = (folder: string) => symlinkSync('/dev/full', join(folder, '000001.events'))
    const makeRoom = (folder: string) => rmSync(join(folder, '000001.events'))

    it('lets the stream continue, reports once that nothing is kept, and stores everything once there is room', async () => {
      const folder = aFolder()
      const said: string[] = []
      const log = { info: (line: string) => said.push(line), warn: (line: string) => said.push(line) }
      const { bus, store } = await aProcess({ folder, log })
      const seen: string[] = []
      bus.subscribe((events) => seen.push(...events.map(({ cursor }) => cursor)))
      fill(folder)

      for (let slot = 1; slot <= 3; slot++) {
        await bus.publish([aBlock(slot)])
        await store.settled()
      }
      expect(store.isKeeping()).toBe(false)
      expect(seen).toEqual([cursorOf(1), cursorOf(2), cursorOf(3)])
      // From memory, while nothing is on disk.
      expect(await replayed(bus, cursorOf(1))).toEqual([2, 3])
      makeRoom(folder)
      await bus.publish([aBlock(4)])
      await store.settled()

      expect(store.isKeeping()).toBe(true)
      expect(said).toEqual([
        'Events cannot be stored for resuming; retrying.',
        'Events are stored for resuming again.',
      ])
      await bus.close()
      const later = await aProcess({ folder })
      expect(await replayed(later.bus, cursorOf(1))).toEqual([2, 3, 4])
      await later.bus.close()
    })

    it('limits what waits in memory, and reads a gap for what was dropped, also in a later process', async () => {
      const folder = aFolder()
      const options = { folder, queueBytes: 2_000 }
      const first = await aProcess(options)
      await first.bus.publish([endOf(1)])
      await first.bus.close()
      const { bus, store } = await aProcess({
        ...options,
        retention: { milliseconds: 24 * HOUR_MS, bytes: 3_200 },
      })
      symlinkSync('/dev/full', join(folder, '000002.events'))

      for (let slot = 2; slot <= 100; slot++) {
        await bus.publish([endOf(slot)])
        await store.settled()
      }
      const from = formatCursor({ run: 1, slot: 1, ...LAST_PLACE })
      const meanwhile = await allAfter(bus, from)
      rmSync(join(folder, '000002.events'))
      await bus.publish([endOf(101)])
      await bus.close()

      const later = await aProcess(options)
      const afterwards = await allAfter(later.bus, from)
      await later.bus.close()

      for (const events of [meanwhile, afterwards]) {
        const [[fromSlot, toSlot] = []] = gapsOf(events)
        expect(fromSlot).toBe(2)
        expect(toSlot).toBeGreaterThan(50)
        const slots = events
          .filter(({ kind }) => kind !== 'gap')
          .map(({ cursor }) => Number(cursor.split('-')[1]))
        expect(slots).toEqual(Array.from({ length: slots.length }, (_, at) => toSlot! + 1 + at))
      }
      expect(afterwards.at(-1)).toEqual(endOf(101))
    })
  })

  it('reads a piece once for all concurrent readers', async () => {
    const folder = aFolder()
    const first = await aProcess({ folder })
    for (let slot = 1; slot <= 50; slot++) await first.bus.publish([aBlock(slot)])
    await first.bus.close()
    const { bus } = await aProcess({ folder })

    const lists = await Promise.all(Array.from({ length: 20 }, () => allAfter(bus, cursorOf(1))))

    // Identical objects, not just equal ones.
    for (const [at, event] of lists[0]!.entries()) {
      for (const list of lists) expect(list[at]).toBe(event)
    }
    await bus.close()
  })

  it('parses in the turn of the requester, which is told the size of the text', async () => {
    const folder = aFolder()
    const first = await aProcess({ folder })
    const blocks = [aBlock(1), aBlock(2), aBlock(3)]
    await first.bus.publish(blocks)
    await first.bus.close()
    const { bus } = await aProcess({ folder })
    const parse = vi.spyOn(JSON, 'parse')
    const turns: { bytes: number; parsedBefore: number }[] = []

    const replay = bus.replay(cursorOf(1), async (bytes, work) => {
      await new Promise(setImmediate)
      turns.push({ bytes, parsedBefore: parse.mock.calls.length })
      return work()
    })
    const events: StreamEvent[] = []
    for await (const batch of replay) events.push(...batch)
    parse.mockRestore()

    expect(events).toEqual(blocks.slice(1))
    expect(turns).toEqual([{ bytes: eventsText(blocks).length, parsedBefore: 0 }])
    await bus.close()
  })

  // Objects kept for a while and then dropped cost the garbage collector most.
  it('keeps a piece that it has read once it is requested again', async () => {
    const folder = aFolder()
    const first = await aProcess({ folder })
    for (let slot = 1; slot <= 50; slot++) await first.bus.publish([aBlock(slot)])
    await first.bus.close()
    const { bus } = await aProcess({ folder })

    const [once, again, later] = [
      await allAfter(bus, cursorOf(1)),
      await allAfter(bus, cursorOf(1)),
      await allAfter(bus, cursorOf(1)),
    ]

    expect(again[0]).not.toBe(once[0])
    expect(later[0]).toBe(again[0])
    await bus.close()
  })

  it('has every slot that it reported as kept, in order and whole, after a kill at any moment', async () => {
    const { kept, problems } = await tortureStore(aFolder(), 3, Math.random)

    expect(problems).toEqual([])
    expect(kept).toBeGreaterThan(0)
  })

  it('delays work on a batch while the sockets are served, unless something waits for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const text = vi.spyOn(JSON, 'stringify')
    const { bus, store } = await aProcess()

    await bus.publish([aBlock(1)])
    await new Promise(setImmediate)
    expect(text).not.toHaveBeenCalled()
    expect(store.isWaiting(cursorOf(1))).toBe(true)

    await store.settled()
    vi.restoreAllMocks()
    vi.useRealTimers()
    expect(store.newestCursor()).toBe(cursorOf(1))
    await bus.close()
  })

  // Guards clients across an upgrade: the files are those that the service of commit 96124c1 wrote.
  it('resumes a cursor in what an earlier version kept, and continues after it', async () => {
    const folder = aFolder()
    cpSync(join(import.meta.dirname, 'testing/kept-by-96124c1'), folder, { recursive: true })

    const { bus } = await aProcess({ folder })
    await bus.publish([aBlock(25)])

    expect(await bus.oldestCursor()).toBe(cursorOf(1))
    expect(await replayed(bus, cursorOf(3))).toEqual(Array.from({ length: 22 }, (_, at) => at + 4))
    await bus.close()
  })

  it('leaves a folder without its own files alone', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'notes.txt'), 'mine')

    const { bus } = await aProcess({ folder })
    await bus.close()

    expect(existsSync(join(folder, 'notes.txt'))).toBe(true)
  })
})
