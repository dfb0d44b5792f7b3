// The street: `npm run bench -- street`. The simulator at 6,000 swaps/s through decoders, bus, store and gateway to
// clients, counted event by event; then what the whole service costs at its default pace.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import WebSocket from 'ws'
import { anybody } from '../anybody.mjs'
import { keepSection, machine } from '../results.mjs'
import { startService } from '../service.mjs'

/** As many as the simulator makes. */
const MOST_SWAPS_PER_SECOND = 6_000
const CLIENTS = 3
const IDLE_PACE = 50

/** `--seconds N` for each half, 60 by default; `--swaps N` a second; `--dry` keeps nothing. */
export async function run(args) {
  const seconds = Number(args[args.indexOf('--seconds') + 1]) || 60
  const pace = Number(args[args.indexOf('--swaps') + 1]) || MOST_SWAPS_PER_SECOND
  const street = await measureStreet(seconds, pace)
  const idle = await measureIdle(seconds)

  const section = `## The street

${machine()} One run of ${seconds} s each.

| what | seen |
|---|---|
| simulator at ${pace} swaps/s, decoded, published, kept on the disk, sent to ${CLIENTS} clients that check every cursor | ${street.published} events published, ${street.received} received, ${street.missing} missing, ${street.outOfOrder} out of order |
| events a second over the run | ${Math.round(street.published / seconds)} |
| cores used by simulator, decoders, bus, store, gateway and the clients together | ${street.cores.toFixed(2)} |
| the whole service at ${IDLE_PACE} swaps/s without a client | ${(idle.cores * 100).toFixed(1)} % of a core, ${Math.round(idle.megabytes)} MB resident |

What this does not show: a network between, more clients (see fan-out), transactions of other programs, which a live source also carries.`
  console.log(section)
  if (!args.includes('--dry')) keepSection('street', section)
}

async function measureStreet(seconds, pace) {
  register()
  const { createInProcessBus, openEventStore } = await import('../../packages/bus/src/index.ts')
  const { createGateway } = await import('../../apps/gateway/src/index.ts')
  const { createIngest, openSource } = await import('../../apps/ingest/src/index.ts')
  const { systemClock } = await import('../../packages/process/src/clock.ts')
  const log = { info() {}, warn: console.error, error: console.error }

  const folder = mkdtempSync(join(tmpdir(), 'pairwire-street-'))
  const store = await openEventStore({
    folder,
    source: 'simulator',
    retention: { milliseconds: 86_400_000, bytes: 1e10 },
    now: Date.now,
    log,
  })
  const bus = createInProcessBus({ maxBytes: 16 * 1024 * 1024, store })
  const source = openSource(`simulator?swaps=${pace}`, {
    clock: systemClock,
    nextRun: async () => 1,
    loopByDefault: false,
  })
  const ingest = createIngest({ source, bus, clock: systemClock, log })
  const gateway = createGateway({
    bus,
    accounts: anybody(),
    log,
    simulated: true,
    docsUrl: '',
    clientAddress: () => '127.0.0.1',
  })
  const server = createServer().on('upgrade', gateway.handleUpgrade).listen(0, '127.0.0.1')
  await once(server, 'listening')

  const published = []
  const url = `ws://127.0.0.1:${server.address().port}/?key=${'0'.repeat(32)}`
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(url)))

  bus.subscribe((events) => {
    for (const { kind, cursor } of events) if (kind !== 'latestBlock') published.push(cursor)
  })
  const before = process.cpuUsage()
  ingest.start()
  await wait(seconds * 1_000)
  await ingest.stop()
  const { user, system } = process.cpuUsage(before)
  const isWaiting = () => clients.some(({ received }) => received.length < published.length)
  for (let turn = 0; turn < 500 && isWaiting(); turn++) await wait(10)

  for (const { socket } of clients) socket.terminate()
  await gateway.close()
  await bus.close()
  server.close()
  rmSync(folder, { recursive: true })
  const sumOf = (count) => clients.reduce((sum, { received }) => sum + count(received), 0)
  return {
    published: published.length,
    received: sumOf((received) => received.length),
    missing: sumOf((received) => {
      const got = new Set(received)
      return published.filter((cursor) => !got.has(cursor)).length
    }),
    outOfOrder: sumOf(
      (received) => received.filter((cursor, index) => index > 0 && cursor <= received[index - 1]).length,
    ),
    cores: (user + system) / 1e6 / seconds,
  }
}

/** A client of all swaps and all new pairs, which keeps the cursors that it gets. */
async function openClient(url) {
  const received = []
  const socket = new WebSocket(url)
  let answers = 0
  socket.on('message', (data) => {
    const cursor = /"cursor":"([^"]+)"\}$/.exec(String(data))?.[1]
    if (cursor) received.push(cursor)
    else answers++
  })
  await once(socket, 'open')
  socket.send('{"id":1,"method":"swapSubscribe"}')
  socket.send('{"id":2,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true}}')
  while (answers < 2) await wait(10)
  return { socket, received }
}

/** Core use of the service as `npm start` runs it, after it has settled. Linux only: read from /proc. */
async function measureIdle(seconds) {
  const service = await startService({ PORT: '8479', SOLANA_SOURCE: `simulator?swaps=${IDLE_PACE}` })
  try {
    await wait(5_000)
    const before = readUsage(service.pid)
    await wait(seconds * 1_000)
    const after = readUsage(service.pid)
    return { cores: (after.ticks - before.ticks) / 100 / seconds, megabytes: after.kilobytes / 1024 }
  } finally {
    await service.stop()
  }
}

/** Clock ticks (hundredths of a second) of user and system time, and resident kilobytes. */
function readUsage(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return { ticks: Number(fields[11]) + Number(fields[12]), kilobytes }
}
