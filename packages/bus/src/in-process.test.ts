import type { StreamEvent } from '@pairwire/contract'
import { expect, it } from 'vitest'
import { aBlock, cursorOf, describeBus, replayed, SUITE_MAX_BYTES, slotOfCursor } from './bus.suite.ts'
import { createInProcessBus } from './in-process.ts'
import { aStore } from './testing/a-store.ts'

const inMemory = () => createInProcessBus({ maxBytes: SUITE_MAX_BYTES })

describeBus('in-process', async () => ({ bus: inMemory(), settled: async () => {} }))

describeBus('in-process bus with a store', async () => {
  const store = await aStore({ retention: { milliseconds: 3_600_000, bytes: SUITE_MAX_BYTES } })
  // Almost everything replayed comes from disk.
  return { bus: createInProcessBus({ maxBytes: 1_000, store }), settled: store.settled }
})

it('delivers each batch whole, in one call, before publish resolves', async () => {
  const bus = inMemory()
  const batches: (readonly StreamEvent[])[] = []
  bus.subscribe((events) => batches.push(events))

  await bus.publish([aBlock(1), aBlock(2)])

  expect(batches).toEqual([[aBlock(1), aBlock(2)]])
})

it('serves the other subscribers when one throws, and rejects to the publisher', async () => {
  const bus = inMemory()
  const seen: string[] = []
  bus.subscribe(() => {
    throw new Error('a listener broke')
  })
  bus.subscribe((events) => seen.push(...events.map(({ cursor }) => cursor)))

  await expect(bus.publish([aBlock(1)])).rejects.toThrow('a listener broke')

  expect(seen).toEqual([cursorOf(1)])
})

it('replays from the newest cursor that it dropped, since nothing after that one is missing', async () => {
  const bus = inMemory()
  for (let slot = 1; slot <= 5_000; slot++) await bus.publish([aBlock(slot)])
  const oldestSlot = slotOfCursor((await bus.oldestCursor())!)

  const slots = await replayed(bus, cursorOf(oldestSlot - 1))

  expect(slots[0]).toBe(oldestSlot)
})

it('replays a large batch in steps, so that a long replay does not block the thread for long', async () => {
  const bus = createInProcessBus({ maxBytes: 10_000_000 })
  await bus.publish(Array.from({ length: 5_000 }, (_, at) => aBlock(at + 1)))

  const steps: number[] = []
  for await (const batch of bus.replay(cursorOf(1))) steps.push(batch.length)

  expect(steps.reduce((sum, step) => sum + step, 0)).toBe(4_999)
  expect(Math.max(...steps)).toBeLessThanOrEqual(256)
})
