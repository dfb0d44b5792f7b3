// The event store: `npm run bench -- store`. What keeping a slot costs, how fast it is read again, also by many at once,
// and what the event loop feels of it while the stream goes on.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { register } from 'tsx/esm/api'
import { keepSection, machine, median } from '../results.mjs'

const SLOT_MS = 400
const PACES = [1_500, 6_000]
/** Two minutes, of which the first seconds are made and then come again under later cursors: each record is packed alone. */
const SLOTS = 300
const SLOTS_MADE = 25
const READERS = 200
/** Runs beside the stream, with and without the store by turns. */
const ROUNDS = 3
const DAY = { milliseconds: 86_400_000, bytes: 10_000_000_000 }

register()
const { createInProcessBus, openEventStore } = await import('../../packages/bus/src/index.ts')
const { formatCursor, parseCursor } = await import('../../packages/contract/src/index.ts')
const { createIngest } = await import('../../apps/ingest/src/create-ingest.ts')
const { createSimulator } = await import('../../apps/ingest/src/sources/simulator.ts')
const log = { info() {}, warn: console.error, error: console.error }

/** `--seconds N` for each run beside the stream, 10 by default; `--dry` keeps nothing. */
export async function run(args) {
  const seconds = Number(args[args.indexOf('--seconds') + 1]) || 10
  const rows = []
  for (const pace of PACES) rows.push(await measure(pace, seconds))

  const line = (name, cell) => `| ${name} | ${rows.map(cell).join(' | ')} |`
  const figures = ({ p50, p99, max }) => `${p50.toFixed(1)} / ${p99.toFixed(1)} / ${max.toFixed(1)}`
  const section = `## The event store

${SLOTS} slots of the simulator, ${SLOT_MS} ms each; a pace is swaps a second. ${machine()}

| what | ${PACES.map((pace) => pace.toLocaleString('en')).join(' | ')} |
|---|---|---|
${line('events in a slot', (row) => Math.round(row.events / SLOTS))}
${line('bytes an event on disk (as JSON)', (row) => `${row.bytesPerEvent.toFixed(0)} (${row.jsonPerEvent.toFixed(0)})`)}
${line('hours in 10 GB', (row) => row.hours.toFixed(1))}
${line('ms from publishing a slot to its being kept: p50, p99', (row) => `${row.put.p50.toFixed(1)}, ${row.put.p99.toFixed(1)}`)}
${line('processor time of keeping an event, us, all threads', (row) => row.cpuPerEvent.toFixed(1))}
${line('events a second read by one after a restart', (row) => Math.round(row.readPerSecond).toLocaleString('en'))}
${line(`events a second read by ${READERS} at once, all together`, (row) => Math.round(row.manyPerSecond).toLocaleString('en'))}
${line('pieces unpacked for the 200, for each piece on disk', (row) => row.unpackedPerPiece.toFixed(1))}
${line('event loop delay while 200 read, ms: p50 / p99 / max', (row) => figures(row.manyDelay))}
${line('heap that it leaves, MB', (row) => row.manyHeap.toFixed(0))}
${line(`event loop delay, ${ROUNDS} runs of ${seconds} s of publishing without the store, ms: p50 / p99 / max`, (row) => figures(row.without))}
${line('the same with the store', (row) => figures(row.with))}

What this does not show: a slow disk, or one that others write to; the gateway's part of a replay. The readers pull as fast as they can, which sockets do not, and let others run between two pulls. Delays are medians of the runs, with and without by turns.`
  console.log(section)
  if (!args.includes('--dry')) keepSection('store', section)
}

async function measure(pace, seconds) {
  const slots = await makeSlots(pace)
  const events = slots.reduce((sum, slot) => sum + slot.length, 0)
  const json = slots.reduce((sum, slot) => sum + JSON.stringify(slot).length, 0)
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-bench-'))
  const open = async () => {
    const store = await openEventStore({ folder, source: 'simulator', retention: DAY, now: Date.now, log })
    return { store, bus: createInProcessBus({ maxBytes: 32 * 1024 * 1024, store }) }
  }
  try {
    const put = []
    const first = await open()
    const cpu = process.cpuUsage()
    for (const slot of slots) {
      const before = performance.now()
      await first.bus.publish(slot)
      await first.store.settled()
      put.push(performance.now() - before)
    }
    const { user, system } = process.cpuUsage(cpu)
    await first.bus.close()
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    const reading = await measureReading(open)
    const [without, withStore] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await measureDelay(slots, seconds, createInProcessBus({ maxBytes: 32 * 1024 * 1024 })))
      rmSync(folder, { recursive: true })
      withStore.push(await measureDelay(slots, seconds, (await open()).bus))
    }
    return {
      events,
      bytesPerEvent: bytes / events,
      jsonPerEvent: json / events,
      hours: DAY.bytes / ((bytes / SLOTS) * (1_000 / SLOT_MS)) / 3_600,
      put: { p50: median(put), p99: put.sort((a, b) => a - b)[Math.floor(put.length * 0.99)] },
      cpuPerEvent: (user + system) / events,
      ...reading,
      without: medians(without),
      with: medians(withStore),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One reader after a restart, then {@link READERS} at once after another. */
async function measureReading(open) {
  const read = async (bus) => {
    let events = 0
    let pieces = 0
    for await (const piece of bus.replay(await bus.oldestCursor())) {
      events += piece.length
      pieces++
      await setImmediate()
    }
    return { events, pieces }
  }
  const one = await open()
  const begun = performance.now()
  const { events, pieces } = await read(one.bus)
  const readPerSecond = events / ((performance.now() - begun) / 1_000)
  await one.bus.close()

  const many = await open()
  const parse = JSON.parse
  let unpacked = 0
  JSON.parse = (text) => {
    unpacked++
    return parse(text)
  }
  const heap = heapInUse()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const started = performance.now()
  await Promise.all(Array.from({ length: READERS }, () => read(many.bus)))
  const manyPerSecond = (events * READERS) / ((performance.now() - started) / 1_000)
  delay.disable()
  JSON.parse = parse
  const manyHeap = (heapInUse() - heap) / 1e6
  await many.bus.close()
  return {
    readPerSecond,
    manyPerSecond,
    unpackedPerPiece: unpacked / pieces,
    manyDelay: figuresOf(delay),
    manyHeap,
  }
}

function heapInUse() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/** What the event loop feels while slots are published at their pace. */
async function measureDelay(slots, seconds, bus) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const begun = performance.now()
  for (let at = 0; at < (seconds * 1_000) / SLOT_MS; at++) {
    await bus.publish(slots[at])
    await wait(Math.max(0, begun + (at + 1) * SLOT_MS - performance.now()))
  }
  delay.disable()
  await bus.close()
  return figuresOf(delay)
}

const medians = (figures) =>
  Object.fromEntries(['p50', 'p99', 'max'].map((name) => [name, median(figures.map((each) => each[name]))]))

/** In milliseconds, less the millisecond between two looks. */
function figuresOf(delay) {
  const ms = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - 1)
  return { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) }
}

async function makeSlots(pace) {
  let now = Date.now()
  const clock = {
    now: () => now,
    elapsed: () => now,
    wait: async (milliseconds) => {
      now += milliseconds
    },
  }
  const slots = []
  const source = createSimulator({ seed: 1, swapsPerSecond: pace, clock, nextRun: async () => 1 })
  let made = () => {}
  const done = new Promise((resolve) => {
    made = resolve
  })
  const bus = {
    publish: async (events) => {
      if (slots.push(events) === SLOTS_MADE) made()
    },
    newestCursor: async () => undefined,
    startAnew: async () => {},
  }
  const ingest = createIngest({ source, bus, clock, log })
  ingest.start()
  await done
  await ingest.stop()
  return Array.from({ length: SLOTS }, (_, at) => {
    const slot = 400_000_000 + at
    return slots[at % SLOTS_MADE].map((event) => ({
      ...event,
      cursor: formatCursor({ ...parseCursor(event.cursor), slot }),
      params: { ...event.params, ...('slot' in event.params ? { slot } : { block: slot }) },
    }))
  })
}
