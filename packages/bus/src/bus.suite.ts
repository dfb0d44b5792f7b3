import { inCi } from '@pairwire/basics/testing/in-ci'
import {
  type ControlMessage,
  formatCursor,
  type NotificationEvent,
  type StreamEvent,
} from '@pairwire/contract'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { type Bus, CursorTooOldError, NoAnswerError } from './bus.ts'

/** Bytes that the adapter under test may keep: room for some hundred events, but not for `many`. */
export const SUITE_MAX_BYTES = 200_000

/** A bus under test. */
type BusUnderTest = Readonly<{
  bus: Bus
  /** Resolves once everything published is stored, as far as it will be. */
  settled(): Promise<void>
}>

/**
 * The promises of the bus, for any adapter, including one whose events pass through another process and arrive some
 * time after publishing. `create` returns a new, empty one that keeps about {@link SUITE_MAX_BYTES} for replay, at most
 * `many` events; the suite closes it.
 */
export function describeBus(
  name: string,
  create: () => Promise<BusUnderTest>,
  { many = 5_000 }: Readonly<{ many?: number }> = {},
): void {
  describe(`${name} bus`, () => {
    let opened: Bus | undefined
    let settled = async () => {}
    const open = async () => {
      const made = await create()
      settled = made.settled
      opened = made.bus
      return made.bus
    }
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })

    it('delivers all events to every subscriber, in the order of publishing', async () => {
      const bus = await open()
      const first = slotsSeenOn(bus)
      const second = slotsSeenOn(bus)

      await bus.publish([aBlock(1), aBlock(2)])
      await bus.publish([aBlock(3)])

      await arrives(() => [first, second], [1, 2, 3])
    })

    it('delivers nothing after the subscriber has left, and no empty batch', async () => {
      const bus = await open()
      let calls = 0
      const leave = bus.subscribe(() => calls++)
      const others = slotsSeenOn(bus)

      await bus.publish([])
      leave()
      await bus.publish([aBlock(1)])

      await arrives(() => [others], [1])
      expect(calls).toBe(0)
    })

    it('delivers early events to listeners once it knows of one, and keeps none of them', async () => {
      const bus = await open()
      const early: string[] = []
      const message = (signature: string) =>
        ({ kind: 'executed', slot: 'slot', source: 0, bank: 1, signature, events: [] }) as const
      const wantedBefore = bus.wantsEarly()
      bus.publishEarly(message('too soon'))

      const leave = bus.onEarly((heard) =>
        early.push(heard.kind === 'executed' ? heard.signature : heard.kind),
      )
      await expect.poll(() => bus.wantsEarly()).toBe(true)
      bus.publishEarly(message('one'))
      bus.publishEarly({ kind: 'died', slot: 'slot', source: 0, bank: 1 })
      await expect.poll(() => early).toEqual(['one', 'died'])
      leave()
      bus.publishEarly(message('too late'))
      await bus.publish([aBlock(1)])

      expect(wantedBefore).toBe(false)
      expect(await bus.newestCursor()).toBe(cursorOf(1))
      expect(early).toEqual(['one', 'died'])
    })

    it('replays the events after a cursor, oldest first, without the event of the cursor itself', async () => {
      const bus = await open()
      await bus.publish([aBlock(1), aBlock(2), aBlock(3)])
      await bus.publish([aBlock(4)])

      expect(await replayed(bus, cursorOf(2))).toEqual([3, 4])
      expect(await replayed(bus, cursorOf(4))).toEqual([])
    })

    it('replays from a cursor that lies between two events', async () => {
      const bus = await open()
      await bus.publish([aBlock(10), aBlock(20), aBlock(30)])

      expect(await replayed(bus, cursorOf(15))).toEqual([20, 30])
    })

    it('replays events with all members, and gaps among them', async () => {
      const bus = await open()
      const gap: StreamEvent = {
        kind: 'gap',
        cursor: cursorOf(3),
        params: { fromSlot: 2, toSlot: 3, cause: 'upstream', resume_from: null },
      }
      const hashes = { blockhash: 'own', parentBlockhash: 'of the previous one' }
      const received = { ...aBlock(2), receivedAt: 1_790_000_000_123, ...hashes }
      await bus.publish([aBlock(1)])
      await bus.publish([received])
      await bus.publish([gap])
      await settled()

      const events: StreamEvent[] = []
      for await (const batch of bus.replay(cursorOf(1))) events.push(...batch)

      expect(events).toEqual([received, gap])
    })

    it('includes events published while a replay is being pulled', async () => {
      const bus = await open()
      await bus.publish([aBlock(1), aBlock(2)])

      const slots: number[] = []
      for await (const batch of bus.replay(cursorOf(1))) {
        slots.push(...batch.map(slotOf))
        if (slots.at(-1) === 2) await bus.publish([aBlock(3)])
      }

      expect(slots).toEqual([2, 3])
    })

    it('drops the oldest events when it is full, and returns the oldest one left', async () => {
      const bus = await open()
      await bus.publish([aBlock(1)])
      for (let slot = 2; slot <= many; slot++) await bus.publish([aBlock(slot)])
      await settled()

      const oldest = await bus.oldestCursor()

      expect(oldest! > cursorOf(1)).toBe(true)
      await expect(replayed(bus, cursorOf(1))).rejects.toMatchObject({ name: 'CursorTooOldError', oldest })
      const held = await replayed(bus, oldest!)
      expect(held.at(-1)).toBe(many)
      expect(held).toHaveLength(many - slotOfCursor(oldest!))
    })

    it('ends a slow replay with an error when the next events were dropped', async () => {
      const bus = await open()
      for (let slot = 1; slot <= 1_000; slot++) await bus.publish([aBlock(slot)])
      await settled()
      const replay = bus.replay((await bus.oldestCursor())!)[Symbol.asyncIterator]()
      expect((await replay.next()).done).toBe(false)

      for (let slot = 1_001; slot <= 1_000 + many; slot++) await bus.publish([aBlock(slot)])
      await settled()

      await expect(replay.next()).rejects.toThrow(CursorTooOldError)
    })

    it('refuses a cursor from before its first event, since it cannot know what followed', async () => {
      const bus = await open()

      await expect(replayed(bus, cursorOf(1))).rejects.toThrow(CursorTooOldError)
      await bus.publish([aBlock(5)])

      await expect(replayed(bus, cursorOf(1))).rejects.toThrow(CursorTooOldError)
      expect(await bus.oldestCursor()).toBe(cursorOf(5))
    })

    it('reports that it holds exactly what it can replay', async () => {
      const bus = await open()
      const isReplayed = async (cursor: string) =>
        replayed(bus, cursor).then(
          () => true,
          () => false,
        )
      expect(await bus.holds(cursorOf(1))).toBe(false)
      await bus.publish([aBlock(5)])
      const seen = [await bus.holds(cursorOf(4)), await bus.holds(cursorOf(5))]
      for (let slot = 6; slot <= many; slot++) await bus.publish([aBlock(slot)])
      await settled()

      const oldest = slotOfCursor((await bus.oldestCursor())!)
      const cursors = [5, oldest - 2, oldest - 1, oldest, many - 1, many].map(cursorOf)

      expect(seen).toEqual([false, true])
      expect(await Promise.all(cursors.map(bus.holds))).toEqual(await Promise.all(cursors.map(isReplayed)))
    })

    it('returns the newest event, even before any was received', async () => {
      const bus = await open()
      expect(await bus.newestCursor()).toBeUndefined()

      await bus.publish([aBlock(5), aBlock(6)])

      expect(await bus.newestCursor()).toBe(cursorOf(6))
    })

    it('refuses an event older than the previous one, and keeps nothing of its batch', async () => {
      const bus = await open()
      const seen = slotsSeenOn(bus)
      await bus.publish([aBlock(7)])

      await expect(bus.publish([aBlock(8), aBlock(6)])).rejects.toThrow()

      await bus.publish([aBlock(8)])
      await arrives(() => [seen], [7, 8])
      expect(await replayed(bus, cursorOf(7))).toEqual([8])
    })

    it('starts over on request: accepts older cursors again, and has forgotten everything', async () => {
      const bus = await open()
      await bus.publish([aBlock(100), aBlock(101)])

      await bus.startOver()
      await bus.publish([aBlock(7), aBlock(8)])

      expect(await replayed(bus, cursorOf(7))).toEqual([8])
      expect(await replayed(bus, cursorOf(100))).toEqual([])
      await expect(replayed(bus, cursorOf(6))).rejects.toThrow(CursorTooOldError)
    })

    it('replays exactly the events after any cursor, whatever the batches were', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 9 }), {
            minLength: 1,
          }),
          fc.nat(),
          async (steps, pick) => {
            const { bus } = await create()
            const slots: number[] = []
            for (const batch of steps) {
              const events = batch.map((step) => {
                slots.push((slots.at(-1) ?? 0) + step)
                return aBlock(slots.at(-1)!)
              })
              await bus.publish(events)
            }
            const from = slots[0]! + (pick % (slots.at(-1)! - slots[0]! + 2))

            expect(await replayed(bus, cursorOf(from))).toEqual(slots.filter((slot) => slot > from))
            await bus.close()
          },
        ),
        { numRuns: inCi(50, 15) },
      )
    })

    it('delivers control messages to every listener until it leaves', async () => {
      const bus = await open()
      const [left, stayed]: [string[], string[]] = [[], []]
      const leave = bus.onControl((message) => left.push(message.type))
      bus.onControl((message) => stayed.push(message.type))

      await bus.sendControl({ type: 'keyReset', accountId: 'a' })
      await expect.poll(() => left).toEqual(['keyReset'])
      leave()
      await bus.sendControl({ type: 'disconnect', accountId: 'a' })

      await expect.poll(() => stayed).toEqual(['keyReset', 'disconnect'])
      expect(left).toEqual(['keyReset'])
    })

    it('delivers a pair update with all its members', async () => {
      const bus = await open()
      const seen: ControlMessage[] = []
      bus.onControl((message) => seen.push(message))
      const account = 'So11111111111111111111111111111111111111112'
      const message: ControlMessage = {
        type: 'pairUpdate',
        cursor: cursorOf(1),
        sourceExchange: 'pumpfun',
        update: { ammAccount: account, baseToken: { account, info: null } },
      }

      await bus.sendControl(message)

      await expect.poll(() => seen).toEqual([message])
    })

    it('delivers the answer to a request', async () => {
      const bus = await open()
      bus.answer('gateway.g-1.add', (body) => {
        const [left, right] = body as [number, number]
        return { sum: left + right }
      })

      expect(await bus.request('gateway.g-1.add', [2, 3], 5_000)).toEqual({ sum: 5 })
    })

    it('carries JSON: a missing value becomes null', async () => {
      const bus = await open()
      const bodies: unknown[] = []
      bus.answer('echo', async (body) => {
        bodies.push(body)
      })

      expect(await bus.request('echo', undefined, 5_000)).toBeNull()
      expect(await bus.request('echo', { at: new Date(0), none: undefined }, 5_000)).toBeNull()
      expect(bodies).toEqual([null, { at: '1970-01-01T00:00:00.000Z' }])
    })

    it('rejects at once when nothing answers, also once the answerer has left', async () => {
      const bus = await open()
      const leave = bus.answer('left', () => 1)
      expect(await bus.request('left', null, 5_000)).toBe(1)

      leave()

      await expect(bus.request('left', null, 60_000)).rejects.toMatchObject({ reason: 'nobody' })
      await expect(bus.request('never', null, 60_000)).rejects.toThrow(NoAnswerError)
    })

    it('collects the answers of all that answer in time, and none if nothing answers', async () => {
      const bus = await open()
      bus.answer('all.one', (body) => [1, body])
      bus.answer('all.one', () => 2)
      bus.answer('all.one', () => new Promise(() => {}))
      bus.answer('all.one', () => {
        throw new Error('a secret')
      })

      expect([...(await bus.requestAll('all.one', 'asked', 250))].sort()).toEqual([[1, 'asked'], 2])
      expect(await bus.requestAll('all.none', null, 250)).toEqual([])
    })

    it('rejects when no answer comes in time', async () => {
      const bus = await open()
      bus.answer('slow', () => new Promise(() => {}))

      await expect(bus.request('slow', null, 20)).rejects.toMatchObject({ reason: 'timeout' })
    })

    it('reports that a handler failed, without details', async () => {
      const bus = await open()
      bus.answer('broken', () => {
        throw new Error('a secret')
      })

      const error: Error = await bus.request('broken', null, 5_000).then(
        () => new Error('it was answered'),
        (thrown) => thrown,
      )

      expect(error).toMatchObject({ name: 'NoAnswerError', reason: 'failed' })
      expect(error.message).not.toContain('secret')
    })

    it('takes nothing more once closed', async () => {
      const bus = await open()
      let calls = 0
      bus.subscribe(() => calls++)

      await bus.close()

      await expect(bus.publish([aBlock(1)])).rejects.toThrow()
      await expect(bus.sendControl({ type: 'disconnect', accountId: 'a' })).rejects.toThrow()
      await expect(bus.request('any', null, 5_000)).rejects.toThrow()
      expect(calls).toBe(0)
    })
  })
}

/** Cursor of the block that {@link aBlock} makes. */
export const cursorOf = (slot: number) => formatCursor({ run: 1, slot, transactionIndex: 0, eventIndex: 0 })

/** Slot of a cursor. */
export const slotOfCursor = (cursor: string) => Number(cursor.split('-')[1])

/** A block. */
export function aBlock(slot: number): NotificationEvent {
  return { kind: 'latestBlock', cursor: cursorOf(slot), params: { block: slot, blockTime: 1_790_000_000 } }
}

const slotOf = ({ cursor }: StreamEvent) => slotOfCursor(cursor)

/** Slots of all events that the bus replays after a cursor. */
export async function replayed(bus: Pick<Bus, 'replay'>, cursor: string): Promise<number[]> {
  const slots: number[] = []
  for await (const batch of bus.replay(cursor)) slots.push(...batch.map(slotOf))
  return slots
}

function slotsSeenOn(bus: Bus): number[] {
  const slots: number[] = []
  bus.subscribe((events) => slots.push(...events.map(slotOf)))
  return slots
}

/** Resolves once each list holds these slots; published events arrive soon, but not always at once. */
async function arrives(lists: () => readonly (readonly number[])[], slots: readonly number[]): Promise<void> {
  await expect.poll(lists).toEqual(lists().map(() => slots))
}
