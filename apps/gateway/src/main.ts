import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { ASKS, setPlanFigures } from '@pairwire/contract'
import {
  closeServer,
  createHealthServer,
  createLog,
  type Life,
  listen,
  openSharedAccounts,
  runProcess,
  watchProcess,
} from '@pairwire/process'
import { type Config, readConfig } from './config.ts'
import { takeStreams } from './door/take-streams.ts'
import { gatewayMetrics } from './metrics.ts'
import { openGateway } from './open-gateway.ts'

/** Milliseconds from the first signal to the end of the process, whatever still hangs. */
const SHUTDOWN_LIMIT_MS = 25_000

/** Milliseconds that proxies have to notice at `/readyz` that no clients are accepted, before the first stream ends. */
const NOTICE_MS = 1_000

/** Milliseconds over which all streams are told to reconnect; each then has its own time to close. */
const DRAIN_MS = 10_000

/** Heap for the newest events: half a minute of a busy chain. Older ones are read from NATS. */
const BUS_MAX_BYTES = 32 * 1024 * 1024

const log = createLog(process.stderr)

await runProcess(log, SHUTDOWN_LIMIT_MS, (life) => {
  const config = readConfig(process.env)
  setPlanFigures(config.brand.figures)
  return start(config, life)
})

/** A gateway alone: events from NATS, accounts from PostgreSQL, streams to clients. */
async function start(config: Config, life: Life): Promise<void> {
  const store = await openSharedAccounts(config, log)
  const { accounts } = store
  const bus = await openNatsBus({
    address: readNatsAddress(config.natsUrl),
    source: config.sourceKind,
    retention: config.retention,
    publishes: false,
    maxBytes: BUS_MAX_BYTES,
    log,
  })
  const gateway = openGateway(config, { bus, accounts, log, shared: accounts })
  const parts = {
    health: () => ({ database: store.healthy(), bus: bus.isUp(), seats: gateway.isCounted() }),
    metrics: [gatewayMetrics(gateway.stats)],
  }
  bus.answer(ASKS.process('gateway'), watchProcess('gateway', config.port, parts))

  let ready = false
  const server = createHealthServer({
    ...config,
    ...parts,
    // While one of them is unavailable, clients get 503, from here or from another gateway.
    ready: () => ready,
    elsewhere: `This is the stream: open a websocket at /. See ${config.publicUrl}/docs`,
    docsUrl: `${config.publicUrl}/docs`,
  })
  takeStreams(server, gateway)

  life.onStop(async (close) => {
    ready = false
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS))
    await close(() => gateway.drain(DRAIN_MS))
    await close(() => gateway.close())
    await close(() => closeServer(server))
    await close(() => bus.close())
    await close(() => store.close())
  })

  await listen(server, config)
  ready = true
  console.log(`The gateway is ready at ws://${config.host}:${config.port}/`)
}
