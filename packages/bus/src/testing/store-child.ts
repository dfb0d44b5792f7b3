import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { StreamEvent } from '@pairwire/contract'
import { createInProcessBus } from '../in-process.ts'
import { aStore } from './a-store.ts'
import { aBatch } from './store-torture.ts'

// Publishes as fast as it can in its own process, which a test kills, and prints a line for each slot that is kept.

const [folder, seed] = process.argv.slice(2) as [string, string]
// Small files, so that a kill also falls between two of them.
const store = await aStore({ folder, retention: { milliseconds: 86_400_000, bytes: 16_000_000 } })
const bus = createInProcessBus({ maxBytes: 100_000, store })
const newest = await bus.newestCursor()

let slot = newest === undefined ? 0 : Number(newest.split('-')[1])
for (;;) {
  slot++
  const batch: readonly StreamEvent[] = aBatch(slot, Number(seed))
  await bus.publish(batch)
  if (slot % 3 === 0) {
    await store.settled()
    writeSync(1, `${slot}\n`)
  } else await setImmediate()
}
