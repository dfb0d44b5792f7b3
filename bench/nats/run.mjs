// The way through NATS: `npm run bench -- nats`. A publisher, nats-server, a gateway and its clients as processes of
// their own, 1,500 swaps a second, in bursts of a slot and evenly, to one client and to several; by turns with clients of
// nats-server's own websocket, to which the same swaps go one by one. `--dry` prints only.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { keepSection, machine } from '../results.mjs'

register()
const { startNatsServer } = await import('@pairwire/bus/testing/nats-server')
const { connect } = await import('@nats-io/transport-node')
const { stampOf, textOf } = await import('../fanout/message.mjs')
const { openBus } = await import('../open-bus.mjs')

/** 1,500 swaps a second either way. */
const ARRIVALS = [
  { name: 'in bursts of a slot (600)', swaps: 600, everyMs: 400 },
  { name: 'evenly, 15 each 10 ms', swaps: 15, everyMs: 10 },
]
const CLIENTS = [1, 10]
const WARM_MS = 2_000
const TURN_MS = 6_000
const TURNS = 2
/** Until the last of a turn has come. */
const SETTLE_MS = 400
const PORT = Number(process.env.BENCH_PORT ?? 21_700)

/** Runs all by turns, prints the table and keeps it in RESULTS.md. */
export async function run(args) {
  const server = await startNatsServer(
    `websocket { host: 127.0.0.1, port: ${PORT + 1}, no_tls: true }\nmax_payload: 8MB`,
  )
  const gateway = fork(new URL('./gateway.mjs', import.meta.url), [server.url, PORT].map(String))
  const bus = await openBus(server.url)
  const direct = await connect({ servers: server.url })
  /** Stamps the swaps as it hands them over. */
  const publish = (mode, events) => {
    const stamp = stampOf()
    for (const { params } of events) params.signature = stamp
    if (mode === 'pairwire') bus.publish(events)
    else for (const event of events) direct.publish('bench.swaps', textOf(event))
  }
  /** Publishes for so long; how many swaps that were. */
  const publishFor = async (mode, { swaps, everyMs }, ms) => {
    let sent = 0
    const until = performance.now() + ms
    for (let next = performance.now(); next < until; next += everyMs) {
      // Made while nothing is measured.
      const events = bus.makeBlock(swaps)
      await wait(Math.max(0, next - performance.now()))
      publish(mode, events)
      sent += swaps
    }
    await wait(SETTLE_MS)
    return sent
  }
  const rows = []
  try {
    await once(gateway, 'message')
    for (const count of CLIENTS) {
      const clients = fork(new URL('./clients.mjs', import.meta.url), [PORT, PORT + 1, count].map(String))
      clients.send('open')
      await once(clients, 'message')
      for (const arrival of ARRIVALS) {
        const seen = { pairwire: [], nats: [] }
        const sent = { pairwire: 0, nats: 0 }
        for (let turn = 0; turn < TURNS * 2; turn++) {
          const mode = turn % 2 === 0 ? 'pairwire' : 'nats'
          await publishFor(mode, arrival, WARM_MS)
          clients.send('measure')
          sent[mode] += await publishFor(mode, arrival, TURN_MS)
          const answer = once(clients, 'message')
          clients.send('stop')
          for (const latency of (await answer)[0].latencies) seen[mode].push(latency)
        }
        rows.push({ count, arrival, seen, sent })
      }
      clients.kill('SIGKILL')
    }
    const section = describe(rows)
    console.log(`\n${section}`)
    if (!args.includes('--dry')) keepSection('nats', section)
  } finally {
    gateway.kill('SIGKILL')
    await bus.close()
    await direct.close()
    await server.stop()
  }
}

function describe(rows) {
  const lines = rows.flatMap(({ count, arrival, seen, sent }) =>
    Object.entries({ pairwire: 'pairwire', nats: 'nats-server’s own' }).map(([mode, name]) => {
      const sorted = seen[mode].sort((a, b) => a - b)
      const at = (share) => `${sorted[Math.floor(sorted.length * share)]?.toFixed(1)} ms`
      const share = ((100 * sorted.length) / (sent[mode] * count)).toFixed(1)
      const clients = count === 1 ? '1 client' : `${count} clients`
      return `| ${arrival.name} | ${clients} | ${name} | ${at(0.5)} | ${at(0.99)} | ${share} % |`
    }),
  )
  return `## Through NATS

From the handing over of a swap in one process to a client's socket in another: 1,500 swaps/s of 600 bytes to clients without a filter, ${TURNS} turns of ${TURN_MS / 1000} s each, by turns in one run. Publisher, nats-server 2.9.10 (one server, files on the disk), gateway and clients are a process each on two cores; the clients are plain sockets. Pairwire: JetStream, a message a slot, and a gateway with key, filter and cursor; nats-server's own websocket beside it has none of these. ${machine()}

| 1,500 swaps/s | to | by | p50 (bound: 5 ms) | p99 (bound: 25 ms) | received |
|---|---|---|---|---|---|
${lines.join('\n')}

A burst to ten clients is 3.6 MB, which the two cores copy for longer than the bound: the swaps in its middle wait for those before them, whoever sends.
`
}
