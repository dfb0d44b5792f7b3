import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { ASKS } from '@pairwire/contract'
import {
  closeServer,
  createDiskWatch,
  createHealthServer,
  createLog,
  diskFigures,
  type Life,
  listen,
  listenFault,
  machineClock,
  runProcess,
  sourceFigures,
  takeDataFolder,
} from '@pairwire/process'
import { z } from 'zod'
import { type Config, readConfig } from './config.ts'
import { openConfiguredSource, openIngest } from './open-ingest.ts'

/** Milliseconds from the first signal to the end of the process, whatever still hangs. */
const SHUTDOWN_LIMIT_MS = 10_000

/** Heap for the newest events, which nobody subscribes to here. */
const BUS_MAX_BYTES = 8 * 1024 * 1024

/** Milliseconds between two looks at whether this ingest is the one that publishes. */
const LOOK_EVERY_MS = 250

/** Mints that one request may ask for. */
const MINTS_MAX = 100

const log = createLog(process.stderr)

await runProcess(log, SHUTDOWN_LIMIT_MS, (life) => start(readConfig(process.env), life))

/** An ingest alone: the chain to NATS. Of several one publishes; the others are ready to. */
async function start(config: Config, life: Life): Promise<void> {
  const opened = openConfiguredSource(config, log)
  const lock = await takeDataFolder(config.dataFolder)
  const disk = createDiskWatch({ folder: config.dataFolder, clock: machineClock, log })
  const bus = await openNatsBus({
    address: readNatsAddress(config.natsUrl),
    source: opened.kind,
    retention: config.retention,
    maxBytes: BUS_MAX_BYTES,
    log,
  })
  const ingest = openIngest(config, opened, { bus, log })
  const isPublishing = () => bus.publisherState() === 'publishing'

  // How the source is, is told by the one that publishes: it knows what was published.
  let answers: (() => void)[] = []
  const look = setInterval(() => {
    if (isPublishing() === answers.length > 0) return
    for (const stop of answers) stop()
    answers = isPublishing()
      ? [
          bus.answer(ASKS.ingestState(), ingest.state),
          bus.answer(ASKS.tokens(), (body) => ingest.lookUpTokens(Mints.parse(body))),
        ]
      : []
  }, LOOK_EVERY_MS)

  let ready = false
  const server = createHealthServer({
    ...config,
    health: () => ({ source: ingest.state().up, bus: bus.isUp(), disk: disk.hasRoom() }),
    ready: () => ready,
    figures: [sourceFigures(ingest.state), diskFigures(disk.freeBytes)],
    elsewhere: 'This is an ingest of Pairwire; it has /healthz, /readyz and /metrics.',
  })

  life.onStop(async () => {
    ready = false
    clearInterval(look)
    await disk.stop()
    await ingest.stop()
    await bus.close()
    await closeServer(server)
    lock.release()
  })

  await listen(server, config).catch((error) => {
    throw listenFault(error, config)
  })
  ingest.start()
  disk.start()
  ready = true
  console.log(`The ingest is ready at http://${config.host}:${config.port}`)
}

const Mints = z.array(z.string()).max(MINTS_MAX)
