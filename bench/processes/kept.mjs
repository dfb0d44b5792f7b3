// Keeps the simulator's swaps as a service does, those of pools and those of curves each in a store of its own, and reports
// the bytes that one of each takes on the disk.
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { log } from '../harness/gateway.mjs'
import { product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { createInProcessBus, openEventStore } = await product('packages/bus/src/index.ts')
const { createIngest, openSource } = await product('apps/ingest/src/index.ts')
const { systemClock } = await product('packages/basics/src/clock.ts')
const { LAUNCHPADS } = await product('packages/contract/src/exchanges.ts')

const { folder, swaps, perSecond } = args
const retention = { milliseconds: 86_400_000, bytes: 1e10 }
const isCurve = ({ params }) => LAUNCHPADS.has(params.swap.sourceExchange)
const kinds = { 'a pool’s swap': (swap) => !isCurve(swap), 'a curve’s swap': isCurve }
const kept = await Promise.all(
  Object.entries(kinds).map(async ([name, isOfKind], at) => {
    const place = { folder: join(folder, String(at)), source: 'simulator', retention }
    const store = await openEventStore({ ...place, now: Date.now, log })
    const own = createInProcessBus({ maxBytes: 1e6, store })
    return { name, isOfKind, store, bus: own, count: 0, written: Promise.resolve() }
  }),
)

const source = openSource(`simulator?swaps=${perSecond}&history=0`, {
  ...{ clock: systemClock, log, dataFolder: folder, tokens: [], loopByDefault: false },
  nextRun: async () => 1,
})
const bus = createInProcessBus({ maxBytes: 1e6 })
bus.subscribe((events) => {
  for (const each of kept) {
    const own = events.filter((event) => event.kind === 'swap' && each.isOfKind(event))
    each.count += own.length
    if (own.length > 0) each.written = each.written.then(() => each.bus.publish(own))
  }
})
const ingest = createIngest({ source, clock: systemClock, log, bus })
ingest.start()
while (kept.some(({ count }) => count < swaps)) await wait(50)
await ingest.stop()
await Promise.all(kept.map((each) => each.written.then(() => each.bus.close())))
serve(Object.fromEntries(kept.map(({ name, store, count }) => [name, store.size() / count])))
