import { systemClock } from '@pairwire/basics'
import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { ASKS } from '@pairwire/contract'
import {
  closeServer,
  createDiskWatch,
  createHealthServer,
  createLog,
  diskMetrics,
  type Life,
  listen,
  runProcess,
  takeDataFolder,
  watchProcess,
} from '@pairwire/process'
import { answerOthers } from './answer-others.ts'
import { type Config, readConfig } from './config.ts'
import { sourceMetrics } from './metrics.ts'
import { openConfiguredSource, openIngest } from './open-ingest.ts'

/** Milliseconds from the first signal to the end of the process, whatever still hangs. */
const SHUTDOWN_LIMIT_MS = 10_000

/** Heap for the newest events, which have no subscriber here. */
const BUS_MAX_BYTES = 8 * 1024 * 1024

const log = createLog(process.stderr)

await runProcess(log, SHUTDOWN_LIMIT_MS, (life) => start(readConfig(process.env), life))

/** An ingest alone: the chain to NATS. Of several, one publishes and the others stand by. */
async function start(config: Config, life: Life): Promise<void> {
  const opened = openConfiguredSource(config, log)
  const lock = await takeDataFolder(config.dataFolder)
  const disk = createDiskWatch({ folder: config.dataFolder, clock: systemClock, log })
  const bus = await openNatsBus({
    address: readNatsAddress(config.natsUrl),
    source: opened.kind,
    retention: config.retention,
    maxBytes: BUS_MAX_BYTES,
    log,
  })
  const ingest = openIngest(config, opened, { bus, log })
  const parts = {
    health: () => ({ source: ingest.state().up, bus: bus.isUp(), disk: disk.hasRoom() }),
    metrics: [sourceMetrics(ingest.state), diskMetrics(disk.freeBytes)],
  }
  bus.answer(ASKS.process('ingest'), watchProcess('ingest', config.port, parts))
  const stopAnswering = answerOthers(bus, ingest, () => bus.publisherState() === 'publishing')

  let ready = false
  const server = createHealthServer({
    ...config,
    ...parts,
    ready: () => ready && ingest.isSettled(),
    elsewhere: 'This is an ingest of Pairwire; it has /healthz, /readyz and /metrics.',
  })

  life.onStop(async (close) => {
    ready = false
    await close(() => stopAnswering())
    await close(() => disk.stop())
    await close(() => ingest.stop())
    await close(() => bus.close())
    await close(() => closeServer(server))
    await close(() => lock.release())
  })

  await listen(server, config)
  ingest.start()
  disk.start()
  ready = true
  console.log(`The ingest is ready at http://${config.host}:${config.port}`)
}
