import { openArchive } from '@pairwire/archive'
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
import { openArchiver } from './archiver.ts'
import { type Config, readConfig } from './config.ts'
import { archiverMetrics } from './metrics.ts'

/** Milliseconds from the first signal until the process exits, even if something hangs. */
const SHUTDOWN_LIMIT_MS = 10_000

/** Heap for the newest events; nobody subscribes to them here. */
const BUS_MAX_BYTES = 8 * 1024 * 1024

const log = createLog(process.stderr)

await runProcess(log, SHUTDOWN_LIMIT_MS, (life) => start(readConfig(process.env), life))

/** An archiver that runs alone and archives hours from NATS. A second one is safe. */
async function start(config: Config, life: Life): Promise<void> {
  const lock = await takeDataFolder(config.dataFolder)
  const archive = await openArchive(config.archivePlace, { clock: systemClock, log })
  if (!archive) throw new Error('ARCHIVE_URL: an archiver needs a folder or a bucket, not off.')
  const disk = createDiskWatch({ folder: config.dataFolder, clock: systemClock, log })
  const bus = await openNatsBus({
    address: readNatsAddress(config.natsUrl),
    source: config.sourceKind,
    retention: config.retention,
    publishes: false,
    maxBytes: BUS_MAX_BYTES,
    log,
  })
  const archiver = openArchiver(config, { bus, archive, log, freeBytes: disk.freeBytes })
  const parts = {
    health: () => ({ archive: archiver.isUp(), bus: bus.isUp(), disk: disk.hasRoom() }),
    metrics: [archiverMetrics(() => archiver.figures()), diskMetrics(disk.freeBytes)],
  }
  bus.answer(ASKS.process('archiver'), watchProcess('archiver', config.port, parts))

  let ready = false
  const server = createHealthServer({
    ...config,
    ...parts,
    ready: () => ready,
    elsewhere: 'This is a Pairwire archiver; it serves /healthz, /readyz and /metrics.',
  })

  life.onStop(async (close) => {
    ready = false
    await close(() => disk.stop())
    await close(() => archiver.stop())
    await close(() => bus.close())
    await close(() => closeServer(server))
    await close(() => lock.release())
  })

  await listen(server, config)
  await disk.start()
  archiver.start()
  ready = true
  console.log(`The archiver is ready at http://${config.host}:${config.port}`)
}
