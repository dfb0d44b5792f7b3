import { formatCursor, type StreamEvent } from '@pairwire/contract'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { type Bus, CursorTooOldError } from './bus.ts'

/** Bytes that the adapter under test is given for what it keeps: room for some hundred events, not for 5,000. */
export const SUITE_MAX_BYTES = 200_000

/**
 * The promises of the bus, for any adapter. `create` gives a fresh, empty one that keeps about
 * {@link SUITE_MAX_BYTES} for replay; the suite closes it.
 */
export function describeBus(name: string, create: () => Bus | Promise<Bus>): void {
  describe(`${name} bus`, () => {
    let bus: Bus | undefined
    const open = async () => {
      bus = await create()
      return bus
    }
    afterEach(async () => {
      await bus?.close()
    })

    it('hands each batch whole, in one call, to every subscriber', async () => {
      const bus = await open()
      const first: (readonly StreamEvent[])[] = []
      const second: (readonly StreamEvent[])[] = []
      bus.subscribe((events) => first.push(events))
      bus.subscribe((events) => second.push(events))

      await bus.publish([aBlock(1), aBlock(2)])
      await bus.publish([aBlock(3)])

      expect(first.map((batch) => batch.map(slotOf))).toEqual([[1, 2], [3]])
      expect(second).toEqual(first)
    })

    it('hands nothing over once the subscriber has left, nor an empty batch', async () => {
      const bus = await open()
      let calls = 0
      const leave = bus.subscribe(() => calls++)

      await bus.publish([])
      leave()
      await bus.publish([aBlock(1)])

      expect(calls).toBe(0)
    })

    it('serves the other subscribers when one throws, and tells the publisher', async () => {
      const bus = await open()
      const seen: number[] = []
      bus.subscribe(() => {
        throw new Error('a listener broke')
      })
      bus.subscribe((events) => seen.push(...events.map(slotOf)))

      await expect(bus.publish([aBlock(1)])).rejects.toThrow('a listener broke')

      expect(seen).toEqual([1])
    })

    it('replays what follows a cursor, oldest first, without the event of the cursor itself', async () => {
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

    it('takes in what is published while a replay is pulled', async () => {
      const bus = await open()
      await bus.publish([aBlock(1), aBlock(2)])

      const slots: number[] = []
      for await (const batch of bus.replay(cursorOf(1))) {
        slots.push(...batch.map(slotOf))
        if (slots.at(-1) === 2) await bus.publish([aBlock(3)])
      }

      expect(slots).toEqual([2, 3])
    })

    it('drops the oldest events when it is full, and names the oldest one left', async () => {
      const bus = await open()
      await bus.publish([aBlock(1)])
      for (let slot = 2; slot <= 5_000; slot++) await bus.publish([aBlock(slot)])

      const oldest = await bus.oldestCursor()

      expect(oldest! > cursorOf(1)).toBe(true)
      await expect(replayed(bus, cursorOf(1))).rejects.toMatchObject({ name: 'CursorTooOldError', oldest })
      const held = await replayed(bus, oldest!)
      expect(held.at(-1)).toBe(5_000)
      expect(held).toHaveLength(5_000 - slotOfCursor(oldest!))
    })

    it('replays from the newest cursor that it dropped, since nothing after that one is gone', async () => {
      const bus = await open()
      for (let slot = 1; slot <= 5_000; slot++) await bus.publish([aBlock(slot)])
      const oldestSlot = slotOfCursor((await bus.oldestCursor())!)

      const slots = await replayed(bus, cursorOf(oldestSlot - 1))

      expect(slots[0]).toBe(oldestSlot)
    })

    it('refuses a cursor from before its first event, about which it knows nothing', async () => {
      const bus = await open()

      await expect(replayed(bus, cursorOf(1))).rejects.toThrow(CursorTooOldError)
      await bus.publish([aBlock(5)])

      await expect(replayed(bus, cursorOf(1))).rejects.toThrow(CursorTooOldError)
      expect(await bus.oldestCursor()).toBe(cursorOf(5))
    })

    it('refuses an event that is older than the one before it, and keeps nothing of its batch', async () => {
      const bus = await open()
      const seen: number[] = []
      bus.subscribe((events) => seen.push(...events.map(slotOf)))
      await bus.publish([aBlock(7)])

      await expect(bus.publish([aBlock(8), aBlock(6)])).rejects.toThrow()

      await bus.publish([aBlock(8)])
      expect(seen).toEqual([7, 8])
      expect(await replayed(bus, cursorOf(7))).toEqual([8])
    })

    it('replays exactly the events after any cursor, whatever the batches were', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 9 }), {
            minLength: 1,
          }),
          fc.nat(),
          async (steps, pick) => {
            const bus = await create()
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
        { numRuns: 50 },
      )
    })

    it('hands control messages to every listener until it leaves', async () => {
      const bus = await open()
      const seen: string[] = []
      const leave = bus.onControl((message) => seen.push(message.type))

      await bus.sendControl({ type: 'keyReset', accountId: 'a' })
      leave()
      await bus.sendControl({ type: 'disconnect', accountId: 'a' })

      expect(seen).toEqual(['keyReset'])
    })

    it('takes nothing more once it is closed', async () => {
      const bus = await open()
      let calls = 0
      bus.subscribe(() => calls++)

      await bus.close()

      await expect(bus.publish([aBlock(1)])).rejects.toThrow()
      await expect(bus.sendControl({ type: 'disconnect', accountId: 'a' })).rejects.toThrow()
      expect(calls).toBe(0)
    })
  })
}

const cursorOf = (slot: number) => formatCursor({ run: 1, slot, transactionIndex: 0, eventIndex: 0 })

const slotOfCursor = (cursor: string) => Number(cursor.split('-')[1])

function aBlock(slot: number): StreamEvent {
  return { kind: 'latestBlock', cursor: cursorOf(slot), params: { block: slot, blockTime: 1_790_000_000 } }
}

const slotOf = ({ cursor }: StreamEvent) => slotOfCursor(cursor)

async function replayed(bus: Bus, cursor: string): Promise<number[]> {
  const slots: number[] = []
  for await (const batch of bus.replay(cursor)) slots.push(...batch.map(slotOf))
  return slots
}
