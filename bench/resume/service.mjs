// The service: `node service.mjs <port> <minutes> <folder>`. The real gateway and bus with its store on disk, filled with so many
// minutes, or with as many as can be written within FILL_MS; then slots of 600 swaps every 0.4 s.
import { createServer } from 'node:http'
import { register } from 'tsx/esm/api'

register()
const { createInProcessBus, openEventStore } = await import('@pairwire/bus')
const { formatCursor } = await import('@pairwire/contract')
const { openEventLog } = await import('../../packages/bus/src/event-log.ts')
const { writeRecord } = await import('../../packages/bus/src/event-record.ts')
const { makeEvent } = await import('../fanout/message.mjs')
const { openGateway } = await import('../open-gateway.mjs')

const SLOT_MS = 400
const SWAPS = 600
const [port, minutes] = process.argv.slice(2).map(Number)
const folder = process.argv[4]
/** Milliseconds that filling may take. */
const FILL_MS = Number(process.env.FILL_MS ?? 150_000)
/** Slots that are packed at once while the store is filled, and swaps in a record, as the bus makes them. */
const PACKED_SLOTS = 8
const RECORD_SWAPS = 256
const log = { info() {}, warn: console.error, error: console.error }
const kept = { folder, retention: { milliseconds: 86_400_000, bytes: 1e10 }, now: Date.now }
let slot = 400_000_000
const filledMinutes = await fill()
const store = await openEventStore({ ...kept, source: 'chain', log })
const bus = createInProcessBus({ maxBytes: 64 * 1024 * 1024, store })
const gateway = openGateway({ bus })

/** Swaps of a slot are made, and timed, when they are published. */
const publishSlot = () => bus.publish(nextSlot())

const server = createServer()
server.on('upgrade', gateway.handleUpgrade)
await new Promise((resolve) => server.listen({ port, host: '127.0.0.1', backlog: 4_096 }, resolve))
process.send({
  from: formatCursor({ run: 1, slot: 400_000_001, transactionIndex: 0, eventIndex: 0 }),
  minutes: filledMinutes,
})
process.on('disconnect', () => process.exit(0))

let before
let began
let startBytes = 0
let mostBytes = 0
process.on('message', (message) => {
  if (message === 'start') setInterval(publishSlot, SLOT_MS)
  else if (message === 'measure') {
    before = process.cpuUsage()
    began = performance.now()
    startBytes = process.memoryUsage.rss()
    setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
    }, 100)
  } else {
    const { user, system } = process.cpuUsage(before)
    const cores = (user + system) / 1e3 / (performance.now() - began)
    process.send({
      cores,
      rssBytes: process.memoryUsage.rss(),
      startBytes,
      mostBytes,
      heldBytes: gateway.stats().heldBytes,
      ended: gateway.stats().ended,
    })
  }
})

function nextSlot() {
  slot++
  return Array.from({ length: SWAPS }, (_, transactionIndex) => {
    const event = makeEvent()
    return {
      ...event,
      cursor: formatCursor({ run: 1, slot, transactionIndex, eventIndex: 0 }),
      params: { ...event.params, slot },
    }
  })
}

/** Writes the minutes straight into the log, and says how far it is; the minutes that it came to. */
async function fill() {
  const events = await openEventLog({ ...kept, kind: 'chain', warn: console.error })
  const slots = Math.round((minutes * 60_000) / SLOT_MS)
  const began = performance.now()
  let saidAt = began
  let filled = 0
  while (filled < slots && performance.now() - began < FILL_MS) {
    const some = Array.from({ length: Math.min(PACKED_SLOTS, slots - filled) }, nextSlot)
    const records = some.flatMap((swaps) =>
      Array.from({ length: Math.ceil(SWAPS / RECORD_SWAPS) }, (_, at) => {
        const to = (at + 1) * RECORD_SWAPS
        return writeRecord(swaps.slice(at * RECORD_SWAPS, to), to >= SWAPS)
      }),
    )
    await events.append(await Promise.all(records), some.at(-1).at(-1).cursor)
    filled += some.length
    if (performance.now() - saidAt < 5_000) continue
    saidAt = performance.now()
    console.log(`${minutesOf(filled)} of ${minutes} minutes are kept.`)
  }
  await events.close()
  if (filled < slots)
    console.log(`In ${FILL_MS / 1_000} s only ${minutesOf(filled)} of ${minutes} minutes could be kept.`)
  return (filled * SLOT_MS) / 60_000
}

function minutesOf(slots) {
  return ((slots * SLOT_MS) / 60_000).toFixed(1)
}
