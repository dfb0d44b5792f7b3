import { setTimeout as wait } from 'node:timers/promises'
import { makeSlot } from '../harness/events.mjs'
import { processorMs, start, subscriber } from '../harness/processes.mjs'
import { openPublisher } from '../harness/publisher.mjs'
import { machine, show, whole } from '../harness/results.mjs'

export const title = 'Several gateways'
export const about =
  'The cost of several gateways compared with one: the same swaps to as many clients through one, two and three gateways, each a process on NATS; processor time as the kernel counts it, which other work on the machine does not change much.'

/** Clients, and swaps per slot: the more clients, the fewer swaps, as two cores send to all of them. */
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
/** So that every gateway has compiled its code; as many bytes per second as two cores can deliver to the clients. */
const WARM_SLOTS = 60
const WARM_EVERY_MS = 100
const WARM_CLIENTS = 3_000
const SLOTS = 10

export async function* run({ rounds }) {
  const publisher = await openPublisher('max_payload: 8MB')
  const rows = []
  try {
    for (const load of LOADS) {
      const costs = GATEWAYS.map(() => [])
      for (let turn = 0; turn < (rounds || TURNS); turn++) {
        for (const [at, count] of GATEWAYS.entries()) costs[at].push(await measure(publisher, load, count))
      }
      rows.push(show(load.clients, { load, costs: costs.map((turns) => Math.max(...turns)) }))
    }
  } finally {
    await publisher.close()
  }
  yield { text: describe(rows, rounds || TURNS) }
}

/** Microseconds of processor time per swap and client, over all gateways. */
async function measure({ url, publish }, { clients: count, swaps }, gatewayCount) {
  const publishSlots = async (slots, everyMs) => {
    for (let published = 0; published < slots; published++) {
      publish(makeSlot(swaps))
      await wait(everyMs)
    }
  }
  const gateways = await Promise.all(
    Array.from({ length: gatewayCount }, () => start('service', { nats: url })),
  )
  const readers = await start('readers')
  try {
    for (const [at, { ready }] of gateways.entries()) {
      const share = Math.floor((count + at) / gatewayCount)
      await readers.ask('open', { count: share, client: subscriber(ready.port), atOnce: 50 })
    }
    await publishSlots(WARM_SLOTS, WARM_EVERY_MS * Math.max(1, count / WARM_CLIENTS))
    await wait(SLOT_MS)
    await readers.ask('begin')
    const spentMs = () => gateways.reduce((sum, gateway) => sum + processorMs(gateway.pid), 0)
    const before = spentMs()
    await publishSlots(SLOTS, SLOT_MS)
    const spent = spentMs() - before
    const { messages } = await readers.ask('read')
    const wanted = SLOTS * swaps * count
    if (messages < wanted * 0.98) throw new Error(`${Math.round(messages)} of ${wanted} swaps came.`)
    return (spent * 1_000) / messages
  } finally {
    await Promise.all([readers, ...gateways].map((child) => child.stop()))
  }
}

/** The number of clients from which the bound holds, among those measured. */
function whereItHolds(rows) {
  const last = rows.findLastIndex(({ costs }) => costs.at(-1) / costs[0] > BOUND)
  if (last === rows.length - 1) return 'With none of these numbers of clients does the bound hold.'
  return `The bound holds from ${whole(rows[last + 1].load.clients)} clients on, of those measured.`
}

function describe(rows, turns) {
  const lines = rows.map(({ load, costs }) => {
    const cells = costs.map(
      (cost, at) => `${cost.toFixed(2)}${at > 0 ? ` (${(cost / costs[0]).toFixed(2)})` : ''}`,
    )
    return `| ${whole(load.clients)} | ${whole((load.swaps * 1_000) / SLOT_MS)} | ${cells.join(' | ')} |`
  })
  return `## ${title}

Microseconds of processor time that all gateways together take for each swap and client, and how many times that of one: the same swaps of 600 bytes in slots of ${SLOT_MS} ms through nats-server to as many clients without a filter, shared out to the gateways. Each gateway reads every swap once and makes its frame once, whatever it has of clients: that is what more of them cost, and the less the more clients there are. Of ${turns} turns the dearer of ${(SLOTS * SLOT_MS) / 1000} s, by turns in one run. ${machine()}

| clients | swaps/s | one gateway | two | three (bound: ${BOUND} times) |
|---|---|---|---|---|
${lines.join('\n')}

${whereItHolds(rows)}
`
}
