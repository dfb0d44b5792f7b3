import { setTimeout as wait } from 'node:timers/promises'
import { runAlone, start, subscriber } from '../harness/processes.mjs'
import { byTurns, latencies, machine, median, whole } from '../harness/results.mjs'

export const title = 'Fan-out'
export const about =
  'How many events a second reach 1,000 unfiltered connections, beside the ws library used naively and beside raw TCP; latency and core use at fixed rates; the index of filters alone.'

const CONNECTIONS = 1_000
const ROUNDS = 3
const WARM_UP_MS = 1_000
const MEASURED_MS = 3_000
const FIXED_RATE = 1_000
const SLOT_MS = 400
/** Events a second to a single client. */
const LOW_RATE = 100
/** Every message of one chunk in this many is timed. */
const TIMED_EVERY = 32
/** At full blast the service writes whenever its sockets have drained, to every client in each turn. */
const FULL_BLAST = { pace: { drained: true }, limits: { windowMs: 0, turnMs: 1e9 } }
const EVENLY = { pace: { perSecond: FIXED_RATE, everyMs: 1 } }
const IN_SLOTS = { pace: { perSecond: FIXED_RATE, everyMs: SLOT_MS } }
const TO_ONE = { pace: { perSecond: LOW_RATE, everyMs: 1 }, clients: 1 }

const ROWS = {
  'raw TCP': { ...FULL_BLAST, peer: 'tcp' },
  'naive ws': { ...FULL_BLAST, peer: 'naive' },
  'full blast, whole turns': FULL_BLAST,
  [`${FIXED_RATE}/s, even`]: EVENLY,
  [`${FIXED_RATE}/s, in slots`]: IN_SLOTS,
  [`${FIXED_RATE}/s, in slots, raw TCP`]: { ...IN_SLOTS, peer: 'tcp' },
  [`${LOW_RATE}/s to one`]: TO_ONE,
}

export const besideRounds = 5

/** The figures for a comparison with another checkout: everything except the peers. */
export async function figures(_options, checkout) {
  const rows = { 'full blast': { pace: { drained: true }, limits: { windowMs: 0 } }, ...ROWS }
  const found = {}
  for (const [name, row] of Object.entries(rows)) {
    if (row.peer) continue
    const { cores, messagesPerSecond, messagesPerCore, p50Ms, p99Ms } = await measure(row, checkout)
    found[name] = { messagesPerSecond, cores, messagesPerCore, p50Ms, p99Ms }
  }
  const { eventsPerSecond } = await measureIndex(checkout)
  return { ...found, 'the index of filters': { eventsPerSecond } }
}

/** As fast as the sockets of all clients drain. */
export const fullBlast = (checkout) => measure({ pace: { drained: true }, limits: { windowMs: 0 } }, checkout)

/** All rows, several times in turns. */
export async function* run({ rounds }) {
  const rows = await byTurns([...Object.keys(ROWS), 'index'], rounds || ROUNDS, (name) =>
    name === 'index' ? measureIndex() : measure(ROWS[name]),
  )
  yield { text: describe(rows, rounds || ROUNDS) }
}

/** The index of filters in a separate process: where its lists are in memory depends on what ran before. */
function measureIndex(checkout) {
  return runAlone('filters', {}, { checkout, execArgv: ['--expose-gc'] })
}

/** One service and one process of clients. */
async function measure({ clients = CONNECTIONS, ...row }, checkout) {
  const service = await start('service', { ...row, clients }, { checkout, execArgv: ['--expose-gc'] })
  const isRaw = row.peer === 'tcp'
  const readers = await start('readers', {
    ...{ looks: 'times', every: clients === 1 ? 1 : TIMED_EVERY, isProbed: !isRaw },
  })
  try {
    const { port } = service.ready
    await readers.ask('open', { count: clients, client: row.peer ? { port, isRaw } : subscriber(port) })
    await service.ask('start')
    await wait(WARM_UP_MS)
    await Promise.all([service.ask('begin'), readers.ask('begin')])
    await wait(MEASURED_MS)
    const [cost, read] = await Promise.all([service.ask('read'), readers.ask('read')])
    const { messagesPerSecond, probedMessages } = read
    const { cores, rssBytes } = cost
    const messagesPerCore = messagesPerSecond / cores
    const figures = { messagesPerSecond, cores, messagesPerCore, rssBytes, probedMessages }
    return { ...figures, ...latencies(read.latencies) }
  } finally {
    await Promise.all([readers.stop(), service.stop()])
  }
}

function describe(rows, count) {
  const [tcp, naive, gateway, fixed, slots, slotsTcp, single] = Object.values(rows)
  const row = (name, all) =>
    `| ${name} | ${thousands(median(all, 'messagesPerSecond'))} | ${median(all, 'cores').toFixed(2)} | ${thousands(median(all, 'messagesPerCore'))} | ${Math.round(median(all, 'rssBytes') / 1e6)} MB |`
  const ratios = (key) => {
    const [ofTcp, ofNaive, ofGateway] = [tcp, naive, gateway].map((all) => median(all, key))
    return `**${(ofGateway / ofNaive).toFixed(1)} times** naive \`ws\` (bound: 10) and **${Math.round((ofGateway / ofTcp) * 100)} %** of raw TCP's joined writes (bound: 95 %)`
  }
  return `## ${title}

${whole(CONNECTIONS)} connections without a filter, messages of 600 bytes of JSON, over loopback; sender and receiver are a process each. Medians of ${count} interleaved runs of ${MEASURED_MS / 1000} s after ${WARM_UP_MS / 1000} s of warm-up.
${machine()}

| sender, as fast as the sockets drain | messages received a second | sender's cores | messages a second and core | sender's memory |
|---|---|---|---|---|
${row('raw TCP, 10 messages joined in one write', tcp)}
${row('`ws`, `send(string)` for each client', naive)}
${row('the gateway, 10 events in a window', gateway)}

For each core that it had, the gateway reaches ${ratios('messagesPerCore')}; by messages that arrived in the same time, with everything else on the machine, ${ratios('messagesPerSecond')}.

At ${whole(FIXED_RATE)} events/s to ${whole(CONNECTIONS)} connections, arriving evenly: ${thousands(median(fixed, 'messagesPerSecond'))} messages/s arrive, ${latency(fixed)} (bounds: 10 and 20 ms). The same number in slots of ${whole((FIXED_RATE * SLOT_MS) / 1_000)} at once: ${latency(slots)}, where raw TCP has ${latency(slotsTcp)} (bound: 1.5 times its p50). At ${LOW_RATE} events/s to one client: ${latency(single)} (bound: p50 1 ms).

The index of filters alone, 5,000 filters of ten accounts, every tenth with a threshold in US dollars: **${thousands(median(rows.index, 'eventsPerSecond'))} events a second of processor time** (bound: 300,000), ${median(rows.index, 'matchesPerEvent').toFixed(0)} filters met by an event; on a sample its answers are those of asking each filter.

What this does not show: clients over a real network, TLS, or a proxy; the cost of sending what the filters matched; connections coming and going; more than one gateway process. The receiver shares the two cores with the sender. Raw TCP makes its JSON too, but checks no key, matches nothing and counts nothing.`
}

function latency(rows) {
  return `p50 ${median(rows, 'p50Ms').toFixed(1)} ms, p99 ${median(rows, 'p99Ms').toFixed(1)} ms, ${median(rows, 'cores').toFixed(2)} of a core for the sender`
}

function thousands(value) {
  return whole(Math.round(value / 1_000) * 1_000)
}
