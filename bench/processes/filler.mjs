// Fills a store on disk directly through its log: with `minutes` of 1,500 swaps per second, as many as fit in `mostMs`, or
// with `files` of 16 MB of swaps that compress like real ones. Reports its first and last slot and its number of events.
import { readdirSync } from 'node:fs'
import { FIRST_SLOT, makePackedSlot, makeSlot } from '../harness/events.mjs'
import { product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { openEventLog } = await product('packages/bus/src/event-log.ts')
const { writeRecord } = await product('packages/bus/src/event-record.ts')

const { folder, files = Number.POSITIVE_INFINITY, minutes = Number.POSITIVE_INFINITY } = args
const { mostMs = Number.POSITIVE_INFINITY } = args
const SLOT_MS = 400
const SWAPS = 600
/** Swaps per record, as on the bus, and slots that are compressed at once. */
const RECORD_SWAPS = 256
const PACKED_SLOTS = 8
const FILE_BYTES = 16 * 1024 * 1024

const retention = { milliseconds: 86_400_000, bytes: 1e10 }
const log = await openEventLog({ folder, kind: 'chain', retention, now: Date.now, warn: console.error })
const began = performance.now()
const slots = Math.round((minutes * 60_000) / SLOT_MS)
let filled = 0
const isFull = () =>
  filled >= slots ||
  performance.now() - began > mostMs ||
  log.size() >= files * FILE_BYTES ||
  readdirSync(folder).length > files
while (!isFull()) {
  const make = Number.isFinite(files) ? makePackedSlot : makeSlot
  const some = Array.from({ length: Math.min(PACKED_SLOTS, slots - filled) }, () => make(SWAPS))
  const records = some.flatMap((swaps) =>
    Array.from({ length: Math.ceil(SWAPS / RECORD_SWAPS) }, (_, at) => {
      const to = (at + 1) * RECORD_SWAPS
      return writeRecord(swaps.slice(at * RECORD_SWAPS, to), to >= SWAPS)
    }),
  )
  await log.append(await Promise.all(records), some.at(-1).at(-1).cursor)
  filled += some.length
}
const bytes = log.size()
await log.close()
serve({
  ...{ first: FIRST_SLOT, last: FIRST_SLOT + filled - 1, events: filled * SWAPS, bytes },
  minutes: (filled * SLOT_MS) / 60_000,
})
