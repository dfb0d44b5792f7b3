import { setTimeout as wait } from 'node:timers/promises'
import { FRAME_BYTES, makeSlot, stampOf, textOf } from '../harness/events.mjs'
import { start, subscriber } from '../harness/processes.mjs'
import { openPublisher } from '../harness/publisher.mjs'
import { latencies, machine, ms, show } from '../harness/results.mjs'

export const title = 'Through NATS'
export const about =
  'From publishing a swap in one process to a client’s socket in another, through nats-server; in turns with clients of nats-server’s own websocket, which receive the same swaps one by one.'

/** 1,500 swaps a second either way. */
const ARRIVALS = [
  { name: 'in bursts of a slot (600)', swaps: 600, everyMs: 400 },
  { name: 'evenly, 15 each 10 ms', swaps: 15, everyMs: 10 },
]
const CLIENTS = [1, 10]
const WARM_MS = 2_000
const TURN_MS = 6_000
const TURNS = 2
/** Until the last of a turn has arrived. */
const SETTLE_MS = 400
/** The nats-server's form of a swap: the beginning and end of a message of its protocol, several per frame. */
const MESSAGE_BYTES = 600 + 'MSG bench.swaps 1 600\r\n\r\n'.length
const WEBSOCKET_PORT = Number(process.env.BENCH_PORT ?? 21_701)

export async function* run({ rounds }) {
  const { connect } = await import('@nats-io/transport-node')
  const publisher = await openPublisher(
    `websocket { host: 127.0.0.1, port: ${WEBSOCKET_PORT}, no_tls: true }\nmax_payload: 8MB`,
  )
  const direct = await connect({ servers: publisher.url })
  const hand = {
    pairwire: publisher.publish,
    'nats-server’s own': (events) => {
      for (const event of events) direct.publish('bench.swaps', textOf(event))
    },
  }
  const gateway = await start('service', { nats: publisher.url })
  const transports = {
    pairwire: subscriber(gateway.ready.port),
    'nats-server’s own': {
      ...{ port: WEBSOCKET_PORT, texts: ['CONNECT {"verbose":false}\r\nSUB bench.swaps 1\r\nPING\r\n'] },
      ...{ answer: 'PONG', messageBytes: MESSAGE_BYTES },
    },
  }
  const rows = []
  try {
    for (const count of CLIENTS) {
      for (const arrival of ARRIVALS) {
        for (const [name, client] of Object.entries(transports)) {
          const seen = { latencies: [], messages: 0, sent: 0 }
          for (let turn = 0; turn < (rounds || TURNS); turn++) {
            const readers = await start('readers', { looks: 'times' })
            await readers.ask('open', { count, client })
            await publishFor(hand[name], arrival, WARM_MS)
            await readers.ask('begin')
            seen.sent += await publishFor(hand[name], arrival, TURN_MS)
            const read = await readers.ask('read')
            for (const latency of read.latencies) seen.latencies.push(latency)
            seen.messages += read.bytes / (client.messageBytes ?? FRAME_BYTES)
            await readers.stop()
          }
          const share = seen.messages / (seen.sent * count)
          const row = { count, arrival: arrival.name, name, share, ...latencies(seen.latencies) }
          rows.push(show(`${count} ${name}`, row))
        }
      }
    }
  } finally {
    await gateway.stop()
    await direct.close()
    await publisher.close()
  }
  yield { text: describe(rows, rounds || TURNS) }
}

/** Publishes for this long, each swap stamped when it is published. Returns the number of swaps. */
async function publishFor(hand, { swaps, everyMs }, forMs) {
  let sent = 0
  const until = performance.now() + forMs
  for (let next = performance.now(); next < until; next += everyMs) {
    // Created while nothing is measured.
    const events = makeSlot(swaps)
    await wait(Math.max(0, next - performance.now()))
    const stamp = stampOf()
    for (const { params } of events) params.signature = stamp
    hand(events)
    sent += swaps
  }
  await wait(SETTLE_MS)
  return sent
}

function describe(rows, turns) {
  const lines = rows.map(
    ({ arrival, count, name, p50Ms, p99Ms, share }) =>
      `| ${arrival} | ${count === 1 ? '1 client' : `${count} clients`} | ${name} | ${ms(p50Ms)} | ${ms(p99Ms)} | ${(100 * share).toFixed(1)} % |`,
  )
  return `## ${title}

From the handing over of a swap in one process to a client's socket in another: 1,500 swaps/s of 600 bytes to clients without a filter, ${turns} turns of ${TURN_MS / 1000} s each in one run. Publisher, nats-server (one server, files on the disk), gateway and clients are a process each on two cores; the clients are plain sockets. Pairwire: JetStream, a message a slot, and a gateway with key, filter and cursor; nats-server's own websocket beside it has none of these. ${machine()}

| 1,500 swaps/s | to | by | p50 (bound: 5 ms) | p99 (bound: 25 ms) | received |
|---|---|---|---|---|---|
${lines.join('\n')}

A burst to ten clients is 3.6 MB, which the two cores copy for longer than the bound: the swaps in its middle wait for those before them, with any sender.
`
}
