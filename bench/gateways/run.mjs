// What several gateways cost beside one: `npm run bench -- gateways`. The same swaps to as many clients through one, two
// and three gateways, each a process on NATS; processor time as the kernel counts it, which other work on the machine
// does not change much. `--dry` prints only.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { keepSection, machine } from '../results.mjs'

register()
const { startNatsServer } = await import('@pairwire/bus/testing/nats-server')
const { FRAME_BYTES } = await import('../fanout/message.mjs')
const { openBus } = await import('../open-bus.mjs')

/** Clients, and swaps of a slot: the more clients, the fewer swaps, as two cores send to all of them. */
const LOADS = [
  { clients: 300, swaps: 600 },
  { clients: 1_000, swaps: 200 },
  { clients: 3_000, swaps: 100 },
  { clients: 10_000, swaps: 40 },
]
/** How many times as much three gateways may take as one. */
const BOUND = 1.15
const GATEWAYS = [1, 2, 3]
const TURNS = 2
const SLOT_MS = 400
/** So that every gateway has compiled what it runs; as many bytes a second as two cores bring to the clients. */
const WARM_SLOTS = 60
const WARM_EVERY_MS = 100
const WARM_CLIENTS = 3_000
const SLOTS = 10
const PORT = Number(process.env.BENCH_PORT ?? 21_800)
/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Runs all by turns, prints the table and keeps it in RESULTS.md. */
export async function run(args) {
  const server = await startNatsServer('max_payload: 8MB')
  const bus = await openBus(server.url)
  const publish = async (slots, swaps, everyMs) => {
    for (let published = 0; published < slots; published++) {
      bus.publish(bus.makeBlock(swaps))
      await wait(everyMs)
    }
  }
  /** Microseconds of processor time for each swap and client, all gateways together. */
  const measure = async ({ clients: count, swaps }, gatewayCount) => {
    const ports = Array.from({ length: gatewayCount }, (_, at) => PORT + at)
    const gateways = ports.map((port) =>
      fork(new URL('../nats/gateway.mjs', import.meta.url), [server.url, String(port)]),
    )
    let clients
    try {
      await Promise.all(gateways.map((gateway) => once(gateway, 'message')))
      clients = fork(new URL('./clients.mjs', import.meta.url), [count, ...ports].map(String))
      await once(clients, 'message')
      await publish(WARM_SLOTS, swaps, WARM_EVERY_MS * Math.max(1, count / WARM_CLIENTS))
      await wait(SLOT_MS)
      const receivedBefore = await ask(clients)
      const before = sum(gateways.map(processorMs))
      await publish(SLOTS, swaps, SLOT_MS)
      const spent = sum(gateways.map(processorMs)) - before
      const received = ((await ask(clients)) - receivedBefore) / FRAME_BYTES
      const wanted = SLOTS * swaps * count
      if (received < wanted * 0.98) throw new Error(`${Math.round(received)} of ${wanted} swaps came.`)
      return (spent * 1_000) / received
    } finally {
      for (const child of [...gateways, clients]) child?.kill('SIGKILL')
    }
  }
  try {
    const rows = []
    for (const load of LOADS) {
      const costs = GATEWAYS.map(() => [])
      for (let turn = 0; turn < TURNS; turn++) {
        for (const [at, gateways] of GATEWAYS.entries()) costs[at].push(await measure(load, gateways))
      }
      rows.push({ load, costs: costs.map((turns) => Math.max(...turns)) })
      console.log(JSON.stringify({ load, costs }))
    }
    const section = describe(rows)
    console.log(`\n${section}`)
    if (!args.includes('--dry')) keepSection('gateways', section)
  } finally {
    await bus.close()
    await server.stop()
  }
}

/** Processor time of a process up to now, all its threads together. */
function processorMs({ pid }) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

async function ask(clients) {
  clients.send('received')
  const [{ received }] = await once(clients, 'message')
  return received
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}

/** From how many clients on the bound holds, for as many as were measured. */
function whereItHolds(rows) {
  const last = rows.findLastIndex(({ costs }) => costs.at(-1) / costs[0] > BOUND)
  if (last === rows.length - 1) return 'With none of these numbers of clients does the bound hold.'
  return `The bound holds from ${rows[last + 1].load.clients.toLocaleString('en')} clients on, of those measured.`
}

function describe(rows) {
  const lines = rows.map(({ load, costs }) => {
    const cells = costs.map(
      (cost, at) => `${cost.toFixed(2)}${at > 0 ? ` (${(cost / costs[0]).toFixed(2)})` : ''}`,
    )
    return `| ${load.clients.toLocaleString('en')} | ${Math.round((load.swaps * 1_000) / SLOT_MS).toLocaleString('en')} | ${cells.join(' | ')} |`
  })
  return `## Several gateways

Microseconds of processor time that all gateways together take for each swap and client, and how many times that of one: the same swaps of 600 bytes in slots of 400 ms through nats-server 2.9.10 to as many clients without a filter, shared out to the gateways. Each gateway reads every swap once and makes its frame once, whatever it has of clients: that is what more of them cost, and the less the more clients there are. Of ${TURNS} turns the dearer of ${(SLOTS * SLOT_MS) / 1000} s, by turns in one run. ${machine()}

| clients | swaps/s | one gateway | two | three (bound: ${BOUND} times) |
|---|---|---|---|---|
${lines.join('\n')}

${whereItHolds(rows)}
`
}
