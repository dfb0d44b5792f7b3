// The street: `npm run bench -- street`. The simulator at 2,000 swaps/s through decoders, bus and gateway to one
// client, counted event by event; then what the whole service costs at its default pace.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import WebSocket from 'ws'
import { anybody } from '../anybody.mjs'
import { keepSection, machine } from '../results.mjs'
import { startService } from '../service.mjs'

const SWAPS_PER_SECOND = 2_000
const IDLE_PACE = 50

/** `--seconds N` for each half, 60 by default; `--dry` keeps nothing. */
export async function run(args) {
  const seconds = Number(args[args.indexOf('--seconds') + 1]) || 60
  const street = await measureStreet(seconds)
  const idle = await measureIdle(seconds)

  const section = `## The street

${machine()} One run of ${seconds} s each.

| what | seen |
|---|---|
| simulator at ${SWAPS_PER_SECOND} swaps/s, decoded, published, sent to one client on one core | ${street.published} events published, ${street.received} received, ${street.missing} missing, ${street.outOfOrder} out of order |
| events a second over the run | ${Math.round(street.published / seconds)} |
| cores used by simulator, decoders, bus, gateway and the client together | ${street.cores.toFixed(2)} |
| the whole service at ${IDLE_PACE} swaps/s without a client | ${(idle.cores * 100).toFixed(1)} % of a core, ${Math.round(idle.megabytes)} MB resident |

What this does not show: a network between, more than one client (see fan-out), transactions of other programs, which a live source also carries.`
  console.log(section)
  if (!args.includes('--dry')) keepSection('street', section)
}

async function measureStreet(seconds) {
  register()
  const { createInProcessBus } = await import('../../packages/bus/src/index.ts')
  const { createGateway } = await import('../../apps/gateway/src/index.ts')
  const { createIngest, openSource, systemClock } = await import('../../apps/ingest/src/index.ts')
  const log = { info() {}, warn: console.error, error: console.error }

  const bus = createInProcessBus({ maxBytes: 16 * 1024 * 1024 })
  const source = openSource(`simulator?swaps=${SWAPS_PER_SECOND}`, {
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
  const received = []
  const client = new WebSocket(`ws://127.0.0.1:${server.address().port}/?key=${'0'.repeat(32)}`)
  let answers = 0
  client.on('message', (data) => {
    const cursor = /"cursor":"([^"]+)"\}$/.exec(String(data))?.[1]
    if (cursor) received.push(cursor)
    else answers++
  })
  await once(client, 'open')
  client.send('{"id":1,"method":"swapSubscribe"}')
  client.send('{"id":2,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true}}')
  while (answers < 2) await wait(10)

  bus.subscribe((events) => {
    for (const { kind, cursor } of events) if (kind !== 'latestBlock') published.push(cursor)
  })
  const before = process.cpuUsage()
  ingest.start()
  await wait(seconds * 1_000)
  await ingest.stop()
  const { user, system } = process.cpuUsage(before)
  for (let turn = 0; turn < 500 && received.length < published.length; turn++) await wait(10)

  client.terminate()
  await gateway.close()
  server.close()
  const got = new Set(received)
  return {
    published: published.length,
    received: received.length,
    missing: published.filter((cursor) => !got.has(cursor)).length,
    outOfOrder: received.filter((cursor, index) => index > 0 && cursor <= received[index - 1]).length,
    cores: (user + system) / 1e6 / seconds,
  }
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
