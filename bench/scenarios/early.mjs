import { SERVICE_FLAGS, start, subscriber, temporaryFolder } from '../harness/processes.mjs'
import { latencies, machine, whole } from '../harness/results.mjs'
import { ONE_IN } from '../harness/write-times.mjs'

export const title = 'Early events'
export const about =
  'How soon: from the source’s message that carries an event, or that completes its slot, to the sockets of a thousand filtered clients, with reading, decoding, bus and gateway in one process as in production; beside the machine’s limit, a process that only writes.'
export const options = { seconds: [20, 'for each commitment'] }

const CLIENTS = 1_000
const SWAPS_PER_SECOND = 1_500
const SLOT_MS = 400
const TICK_MS = 2
/** Milliseconds at the beginning that the service does not measure. */
const WARM_UP_MS = 4_800
/** The simulator's usual markets have fifty swaps a second each. */
const MARKETS = 30
/** A prime, so that clients cover all pools. */
const STRIDE = 7_919

export async function figures({ seconds }, checkout) {
  const found = {}
  for (const commitment of ['processed', 'confirmed']) {
    const { service, bare } = await measure(commitment, seconds, MARKETS, checkout)
    const [ofService, ofBare] = [service.written, bare.written].map(({ count, ...figures }) => figures)
    Object.assign(found, { [`${commitment}, service`]: ofService, [`${commitment}, bare`]: ofBare })
  }
  return found
}

export async function* run({ seconds }) {
  const processed = await measure('processed', seconds, MARKETS)
  const confirmed = await measure('confirmed', seconds, MARKETS)
  const crowded = await measure('confirmed', seconds, 1)
  const line = (name, { p50Ms, p99Ms, maxMs, count }) =>
    `| ${[name, ...[p50Ms, p99Ms, maxMs].map((value) => `${value.toFixed(2)} ms`), count].join(' | ')} |`
  const row = (name, { written, read }) =>
    `${line(`**${name}**`, written)}\n${line('until the client’s process has read it', read)}`
  const slotOf = ({ load: { pools, frames, bytes, touched } }) =>
    `${pools} pools; a slot is ${whole(frames)} frames of ${whole(bytes)} bytes to ${whole(touched)} of the clients`
  const text = `## ${title}

${machine()} ${CLIENTS} clients with a filter of one pool each, ${SWAPS_PER_SECOND} swaps/s in blocks of ${SLOT_MS} ms, ${seconds} s for each commitment.

| | p50 | p99 | most | events seen by every tenth client |
|---|---|---|---|---|
${row('processed, from the message that carries the event', processed.service)}
${row('a bare process that writes the same frames at the same times', processed.bare)}
${row('confirmed, from the message that completes the slot', confirmed.service)}
${row('a bare process that writes the same frames, one write a client', confirmed.bare)}
${row('confirmed, in a market of few pools', crowded.service)}
${row('a bare process that writes the same', crowded.bare)}

${MARKETS} of the simulator's usual markets trade side by side, since one alone has a hundred pools or two however much is traded; the clients follow all pools alike, the busiest and the quiet ones. There are ${slotOf(confirmed)}. Of one market alone, which the last four rows show and no bound is set for, there are ${slotOf(crowded)}. The bare process has its frames made beforehand: it reads, decodes, matches, keeps and counts nothing, and no gateway on this machine can be quicker.

Bounds, with the bare process of the same run beside them: processed p50 3 ms, p99 15 ms and at most four times the bare one's; confirmed p50 10 ms, p99 20 ms.

The first row of each two says when the system had taken what was written: on one machine it lies in the client’s socket then. The second says when the client’s process had read it, which shares the cores with the service.

What this does not show: gRPC and the network on the way in, and a network on the way out; votes for two slots that come together. Service and clients share the two cores; those that are not looked at have the lowest priority, since they stand for other machines.`
  yield { text }
}

/** The service and the clients in separate processes, which report times by the machine's clock. */
async function measure(commitment, seconds, markets, checkout) {
  // As the service is started everywhere; the generated market is not its to collect.
  const chain = await start(
    'chain',
    { swapsPerSecond: SWAPS_PER_SECOND, seconds, markets, folder: temporaryFolder() },
    { checkout, execArgv: ['--expose-gc', ...SERVICE_FLAGS] },
  )
  const { port, trades } = chain.ready
  const pools = choosePools(trades)
  const clients = pools.map((pool) => subscriber(port, { commitment, include: { ammAccount: [pool] } }))
  const readers = await openClients(clients)
  const { stamps, sent, written } = await chain.ask('play')
  const { arrivals, bytes } = await readers.read()
  await chain.stop()

  const bursts = burstsOf(trades, pools, commitment)
  const writer = await start('writer')
  const bareReaders = await openClients(
    pools.map((_, client) => ({
      ...{ port: writer.ready.port, isRaw: true, texts: [String(client)], answer: 'hello' },
    })),
  )
  const frameBytes = Math.round(bytes / sent)
  const bare = await writer.ask('play', { bursts, frameBytes, fromMs: WARM_UP_MS })
  const { arrivals: bareArrivals } = await bareReaders.read()
  await writer.stop()

  const perSlot = burstsOf(trades, pools, 'confirmed')
  const frames = perSlot.flatMap(({ writes }) => writes).reduce((sum, [, count]) => sum + count, 0)
  return {
    service: both(written.flat(), arrivals, (signature) => stamps[signature]?.[commitment]),
    bare: both(bare.written.flat(), bareArrivals, (number) => bare.stamps[number]),
    load: {
      frames: frames / perSlot.length,
      touched: perSlot.reduce((sum, { writes }) => sum + writes.length, 0) / perSlot.length,
      pools: new Set(trades.flat(2)).size,
      bytes: frameBytes,
    },
  }
}

/**
 * Every tenth client is in a process that records arrivals, the others in one that discards them. They connect one after the
 * other, since the gateway divides them by order of arrival.
 */
async function openClients(clients) {
  const measured = await start('readers', { looks: 'arrivals' })
  const rest = await start('readers', {}, { isElsewhere: true })
  for (const [number, client] of clients.entries())
    await (number % ONE_IN === 0 ? measured : rest).ask('open', { client })
  for (const child of [measured, rest]) await child.ask('begin')
  return {
    async read() {
      const [{ arrivals, bytes }, others] = [await measured.ask('read'), await rest.ask('read')]
      await Promise.all([measured.stop(), rest.stop()])
      return { arrivals, bytes: bytes + others.bytes }
    },
  }
}

/** A pool for each client: all that trade, busy and quiet ones alike, in no order. */
function choosePools(trades) {
  const pools = [...new Set(trades.flat(2))]
  return Array.from({ length: CLIENTS }, (_, client) => pools[(client * STRIDE) % pools.length])
}

/** How many frames are due when, and to which clients. */
function burstsOf(trades, pools, commitment) {
  const followers = followersOf(pools)
  const ticks = commitment === 'processed' ? SLOT_MS / TICK_MS : 1
  const bursts = []
  for (const [slot, block] of trades.entries()) {
    for (let tick = 0; tick < ticks; tick++) {
      const share = (part) => Math.floor((block.length * part) / ticks)
      const writes = new Map()
      for (const pool of block.slice(share(tick), share(tick + 1)).flat()) {
        for (const client of followers.get(pool) ?? []) writes.set(client, (writes.get(client) ?? 0) + 1)
      }
      if (writes.size > 0) bursts.push({ at: slot * SLOT_MS + tick * TICK_MS, writes: [...writes] })
    }
  }
  return bursts
}

function followersOf(pools) {
  const followers = new Map()
  for (const [client, pool] of pools.entries()) followers.set(pool, [...(followers.get(pool) ?? []), client])
  return followers
}

/** Until the client's socket has it, and until its process has read it. */
function both(written, read, dueOf) {
  return { written: describe(written, dueOf), read: describe(read, dueOf) }
}

/** Milliseconds between being due and arriving. */
function describe(arrivals, dueOf) {
  const waits = arrivals.flatMap(([name, at]) => {
    const due = dueOf(name)
    return due === undefined ? [] : [at - due]
  })
  return { ...latencies(waits), count: waits.length }
}
