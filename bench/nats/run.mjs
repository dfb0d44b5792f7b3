// The way through NATS: `npm run bench -- nats`. A publisher, nats-server, a gateway and its clients as processes of
// their own, 1,500 swaps a second in bursts of a slot; by turns with clients of nats-server's own websocket, to which
// the same swaps go one by one. `--dry` prints only.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { keepSection, machine } from '../results.mjs'

register()
const { openNatsBus, readNatsAddress } = await import('@pairwire/bus/nats')
const { startNatsServer } = await import('@pairwire/bus/testing/nats-server')
const { formatCursor } = await import('@pairwire/contract')
const { connect } = await import('@nats-io/transport-node')
const { makeEvent, textOf } = await import('../fanout/message.mjs')

const SLOT_MS = 400
const SWAPS = 600
const CLIENTS = 10
const TURN_MS = 8_000
const TURNS = 2
const PORT = Number(process.env.BENCH_PORT ?? 21_700)

/** Runs both by turns, prints the table and keeps it in RESULTS.md. */
export async function run(args) {
  const server = await startNatsServer(
    `websocket { host: 127.0.0.1, port: ${PORT + 1}, no_tls: true }\nmax_payload: 8MB`,
  )
  const gateway = fork(new URL('./gateway.mjs', import.meta.url), [server.url, PORT].map(String))
  const clients = fork(new URL('./clients.mjs', import.meta.url), [PORT, PORT + 1, CLIENTS].map(String))
  const bus = await openNatsBus({
    address: readNatsAddress(server.url),
    source: 'chain',
    retention: { milliseconds: 3_600_000, bytes: 1e9 },
    maxBytes: 1e6,
    takeOverMs: 0,
    log: { info() {}, warn: console.warn },
  })
  const direct = await connect({ servers: server.url })
  let slot = 1
  /** A slot, stamped as it is made, to whichever is measured. */
  const publish = (mode) => {
    slot++
    const events = Array.from({ length: SWAPS }, (_, transactionIndex) => {
      const event = makeEvent()
      return { ...event, cursor: formatCursor({ run: 1, slot, transactionIndex, eventIndex: 0 }) }
    })
    if (mode === 'pairwire') void bus.publish(events, String(slot))
    else for (const event of events) direct.publish('bench.swaps', textOf(event))
  }
  try {
    await once(gateway, 'message')
    clients.send('open')
    await once(clients, 'message')
    const seen = { pairwire: [], nats: [] }
    const sent = { pairwire: 0, nats: 0 }
    for (let turn = 0; turn < TURNS * 2; turn++) {
      const mode = turn % 2 === 0 ? 'pairwire' : 'nats'
      for (let warm = 0; warm < 5; warm++) {
        publish(mode)
        await wait(SLOT_MS)
      }
      clients.send('measure')
      const until = performance.now() + TURN_MS
      for (; performance.now() < until; sent[mode] += SWAPS) {
        publish(mode)
        await wait(SLOT_MS)
      }
      const answer = once(clients, 'message')
      clients.send('stop')
      seen[mode].push(...(await answer)[0].latencies)
    }
    const section = describe(seen, sent)
    console.log(`\n${section}`)
    if (!args.includes('--dry')) keepSection('nats', section)
  } finally {
    for (const child of [gateway, clients]) child.kill('SIGKILL')
    await bus.close()
    await direct.close()
    await server.stop()
  }
}

function describe(seen, sent) {
  const row = (name, mode) => {
    const sorted = seen[mode].sort((a, b) => a - b)
    const at = (share) => `${sorted[Math.floor(sorted.length * share)]?.toFixed(1)} ms`
    const share = ((100 * sorted.length) / (sent[mode] * CLIENTS)).toFixed(1)
    return `| ${name} | ${at(0.5)} | ${at(0.99)} | ${share} % |`
  }
  return `## Through NATS

From the making of a swap in one process to a client's socket in another: 1,500 swaps/s of 600 bytes in bursts of a slot (600), ${CLIENTS} clients without a filter, ${TURNS} turns of ${TURN_MS / 1000} s each, by turns in one run. Publisher, nats-server 2.9.10 (one server, files on the disk), gateway and clients are a process each; the clients are plain sockets, as a websocket library would take longer than all else. ${machine()}

| | p50 (bound: 5 ms) | p99 (bound: 25 ms) | received |
|---|---|---|---|
${row('pairwire: JetStream, a message a slot, and a gateway', 'pairwire')}
${row("nats-server's own websocket: no JetStream, no key, no filter, no cursor", 'nats')}
`
}
