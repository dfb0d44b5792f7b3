import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { listen } from '../harness/listen.mjs'
import {
  createAccounts,
  openTimed,
  runAlone,
  start,
  startService,
  subscriber,
  temporaryFolder,
} from '../harness/processes.mjs'
import { product } from '../harness/product.mjs'
import { byTurns, latencies, machine, median, ms, whole } from '../harness/results.mjs'
import { fullBlast } from './fanout.mjs'
import { figures as fromGrpc } from './grpc.mjs'

export const title = 'Other faces'
export const about =
  'Server-sent events beside websockets; webhooks that nothing matches beside one client with their wallets, and how soon a local endpoint has an event; with --beside a checkout from before facts, what facts cost.'
export const options = {
  clients: [1_000, 'server-sent events, websockets beside them, and endpoints'],
  swaps: [200, 'swaps a second that clients with filters follow'],
  seconds: [10, 'of each run'],
}
export const needsRecordings = true
export const besideRounds = 5

const { encodeBase58 } = await product('packages/contract/src/index.ts')
const { MINTS } = await import('../harness/events.mjs')

const ROUNDS = 5
const WARM_UP_MS = 2_000
/** Every message of one chunk in this many is timed. */
const TIMED_EVERY = 8
/** Swaps of pools, and as many of curves, that are kept before they are weighed. */
const KEPT = { swaps: 10_000, perSecond: 1_000 }
/** Swaps a second where a delivery is timed. */
const LIVE_SWAPS = 50
const BOUNDS = { p99: 1.1, each: 2, matching: 1.5, deliveryMs: 30 }

/** What facts cost: from the source to the bus, to clients that do not ask for them, and on the disk. */
export async function figures({ seconds }, checkout) {
  const grpc = await fromGrpc({ seconds }, checkout)
  const { messagesPerCore } = await fullBlast(checkout)
  return {
    'transactions a second and core, from gRPC to the bus': { all: grpc['our reader to the bus'].perCore },
    'messages a second and core, to clients without facts': { all: messagesPerCore },
    'bytes kept': await runAlone('kept', { folder: temporaryFolder(), ...KEPT }, { checkout }),
  }
}

export async function* run({ rounds, ...sizes }) {
  const turns = rounds || ROUNDS
  const wallets = Array.from({ length: sizes.clients }, () => encodeBase58(randomBytes(32)))
  const streams = await byTurns(['alone', 'beside websockets', 'beside sse'], turns, (who) =>
    measureStreams(who, sizes),
  )
  const matching = await byTurns(['nobody', 'client', 'endpoints'], turns, (who) =>
    measureMatching(who, wallets),
  )
  const delivery = await byTurns(['delivery'], turns, () => measureDelivery(sizes.seconds))
  const found = {
    p99: median(streams['beside sse'], 'p99Ms') / median(streams.alone, 'p99Ms'),
    each: costOf(streams, 'beside sse', 'cores') / costOf(streams, 'beside websockets', 'cores'),
    matching: Math.max(0, costOf(matching, 'endpoints', 'us') / costOf(matching, 'client', 'us')),
    deliveryMs: median(delivery.delivery, 'webhookP50Ms'),
  }
  yield { text: describe({ ...{ streams, matching, delivery: delivery.delivery, found, turns }, ...sizes }) }
}

/** What somebody adds to those who are there without them. */
function costOf(rows, name, figure) {
  const [without] = Object.values(rows)
  return median(rows[name], figure) - median(without, figure)
}

/** The age of messages at websockets with a filter each, alone and beside as many other clients with the same filters. */
async function measureStreams(who, { clients, swaps, seconds }) {
  const kinds = { 'beside websockets': filteredSocket, 'beside sse': filteredStream }
  const all = kinds[who] ? 2 * clients : clients
  const service = await start(
    'service',
    { pace: { perSecond: swaps, everyMs: 1 }, clients: all },
    { execArgv: ['--expose-gc'] },
  )
  const measured = await start('readers', { looks: 'times', every: TIMED_EVERY })
  const others = await start('readers', {}, { isElsewhere: true })
  try {
    const { port } = service.ready
    await openFiltered(measured, clients, (mint) => filteredSocket(port, mint))
    if (kinds[who]) await openFiltered(others, clients, (mint) => kinds[who](port, mint))
    await service.ask('start')
    await wait(WARM_UP_MS)
    await Promise.all([service, measured, others].map((child) => child.ask('begin')))
    await wait(seconds * 1_000)
    const [{ cores }, read, beside] = await Promise.all(
      [service, measured, others].map((child) => child.ask('read')),
    )
    if (kinds[who] && beside.bytes < read.bytes / 2) throw new Error(`Those ${who} were sent too little.`)
    return { cores, ...latencies(read.latencies) }
  } finally {
    await Promise.all([service, measured, others].map((child) => child.stop()))
  }
}

/** Clients in equal parts for each of the traded tokens. */
async function openFiltered(readers, clients, clientOf) {
  for (const [at, mint] of MINTS.entries()) {
    const count = Math.floor((clients * (at + 1)) / MINTS.length) - Math.floor((clients * at) / MINTS.length)
    await readers.ask('open', { count, client: clientOf(mint) })
  }
}

const filteredSocket = (port, mint) => subscriber(port, { include: { baseTokenMint: [mint] } })

function filteredStream(port, mint) {
  const path = `/v1/stream/swaps?include.baseTokenMint=${mint}`
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: ${'0'.repeat(32)}\r\n\r\n`
  return { port, isRaw: true, texts: [head], answer: ': alive' }
}

/** Microseconds of processor time of an event that nobody wants. */
async function measureMatching(who, wallets) {
  const matching = await start('matching', { who, wallets }, { execArgv: ['--expose-gc'] })
  const readers = await start('readers', {}, { isElsewhere: true })
  try {
    if (who === 'client')
      await readers.ask('open', {
        client: subscriber(matching.ready.port, { include: { walletAccount: wallets } }),
      })
    return { us: await matching.ask('measure') }
  } finally {
    await Promise.all([matching.stop(), readers.stop()])
  }
}

/** How old swaps are at an endpoint on this machine, and at a websocket, since the service had them from the chain. */
async function measureDelivery(seconds) {
  const service = await startService({ SOLANA_SOURCE: `simulator?swaps=${LIVE_SWAPS}&history=0` })
  const [posted, seen] = [new Map(), new Map()]
  const endpoint = createServer(async (request, response) => {
    const at = Date.now()
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    response.end()
    for (const { cursor } of JSON.parse(Buffer.concat(pieces)).data.events) posted.set(cursor, at)
  })
  try {
    const [key] = createAccounts(service.dataFolder, ['faces@pairwire.example'])
    const socket = openTimed(service.url, key, (receivedAt, data) =>
      seen.set(JSON.parse(data).cursor, { at: Date.now(), receivedAt }),
    )
    const url = `http://127.0.0.1:${await listen(endpoint)}/`
    const answer = await fetch(`${service.url}/v1/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ url, kind: 'swap', params: {}, maxWaitMs: 0 }),
    })
    if (answer.status !== 201) throw new Error(`No endpoint was made: ${await answer.text()}`)
    while (posted.size === 0) await wait(10)
    await wait(WARM_UP_MS)
    for (const known of [posted, seen]) known.clear()
    await wait(seconds * 1_000)
    socket.terminate()
    const ages = [...posted].flatMap(([cursor, at]) =>
      seen.has(cursor) ? [at - seen.get(cursor).receivedAt] : [],
    )
    const [webhook, websocket] = [ages, [...seen.values()].map(({ at, receivedAt }) => at - receivedAt)].map(
      latencies,
    )
    return {
      ...{ webhookP50Ms: webhook.p50Ms, webhookP99Ms: webhook.p99Ms, events: ages.length },
      ...{ websocketP50Ms: websocket.p50Ms, websocketP99Ms: websocket.p99Ms },
    }
  } finally {
    endpoint.closeAllConnections()
    endpoint.close()
    await service.stop()
  }
}

function describe({ streams, matching, delivery, found, turns, clients, swaps, seconds }) {
  const stream = (name, rows) =>
    `| ${name} | ${ms(median(rows, 'p50Ms'))} | ${ms(median(rows, 'p99Ms'))} | ${median(rows, 'cores').toFixed(3)} |`
  const look = (name, rows) => `| ${name} | ${median(rows, 'us').toFixed(2)} |`
  const face = (name, key) =>
    `| ${name} | ${ms(median(delivery, `${key}P50Ms`))} | ${ms(median(delivery, `${key}P99Ms`))} |`
  return `## ${title}

Medians of ${turns} runs by turns, each ${seconds} s long, sender and receivers in processes of their own. ${machine()}

**Server-sent events.** ${whole(swaps)} swaps/s of ${MINTS.length} tokens; ${whole(clients)} websockets with a filter of one token each, which meets ${swaps / MINTS.length} swaps a second, alone and beside as many more clients of either kind with the same filters:

| ${whole(clients)} websockets | p50 | p99 | cores of the gateway |
|---|---|---|---|
${stream('alone', streams.alone)}
${stream('beside as many websockets', streams['beside websockets'])}
${stream('beside as many server-sent events', streams['beside sse'])}

The websockets' p99 is **${found.p99.toFixed(2)} times** that of the same alone (bound: ${BOUNDS.p99}); a stream of server-sent events takes **${found.each.toFixed(2)} times** the processor time of one more websocket (bound: ${BOUNDS.each}).

**Webhooks that nothing matches.** Processor time of a swap that is of none of ${whole(clients)} wallets, without making it, in the cheapest of twelve passes of a run:

| who looks | us |
|---|---|
${look('nobody: the bus alone', matching.nobody)}
${look('a gateway with one client of all wallets', matching.client)}
${look('webhooks, an endpoint for each wallet', matching.endpoints)}

Beyond the bus, the endpoints take **${found.matching.toFixed(2)} times** what the gateway takes (bound: ${BOUNDS.matching}).

**A delivery.** The whole service at ${LIVE_SWAPS} swaps/s, one endpoint of all swaps on this machine with \`maxWaitMs\` 0; age of a swap since the service had its block:

| where | p50 | p99 |
|---|---|---|
${face('a websocket', 'websocket')}
${face('the endpoint', 'webhook')}

At the endpoint **${ms(found.deliveryMs)}** in the median (bound: ${BOUNDS.deliveryMs} ms).

What this does not show: more swaps than leave the gateway room (at 1,000 a second a core was full, and the p99 of the websockets beside was five times that of the same alone: \`docs/decisions/0215\`); a network, TLS and a proxy; clients that come and go, resume or read slowly; the note of all places in the database every ten seconds, and the leases; endpoints that fail, or that share a process with many others that are sent something; more than one gateway or api. Readers and services share the two cores.`
}
