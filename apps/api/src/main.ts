import { openArchive } from '@pairwire/archive'
import { systemClock } from '@pairwire/basics'
import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { ASKS, setPlanFigures } from '@pairwire/contract'
import {
  createDiskWatch,
  createLog,
  diskMetrics,
  type Life,
  listenFault,
  openAccounts,
  runProcess,
  watchProcess,
} from '@pairwire/process'
import { askOthers } from './ask-others.ts'
import { backupMetrics } from './backup-clock.ts'
import { type Config, readConfig, readHiddenConfig } from './config.ts'
import { openDoor } from './open-door.ts'
import { createWebhookCounts } from './webhook-counts.ts'

/** Milliseconds from the first signal until the process exits, even if something hangs. */
const SHUTDOWN_LIMIT_MS = 10_000

/** Heap for events; nobody subscribes to them here. */
const BUS_MAX_BYTES = 8 * 1024 * 1024

const log = createLog(process.stderr)

await runProcess(log, SHUTDOWN_LIMIT_MS, (life) => {
  const config = readConfig(process.env)
  setPlanFigures(config.brand.figures)
  return start(config, life)
})

/** An api that runs alone, and queries the other parts over NATS. */
async function start(config: Config, life: Life): Promise<void> {
  const store = await openAccounts(config, log)
  const { accounts } = store
  const disk = createDiskWatch({ folder: config.dataFolder, clock: systemClock, log })
  const bus = await openNatsBus({
    address: readNatsAddress(config.natsUrl),
    source: config.sourceKind,
    retention: config.retention,
    publishes: false,
    maxBytes: BUS_MAX_BYTES,
    log,
  })
  const others = askOthers({ accounts, bus, clock: systemClock })
  const webhooks = createWebhookCounts()
  const backups = backupMetrics(config.backupFolder)
  const ownHealth = () => ({ database: store.healthy(), bus: bus.isUp(), disk: disk.hasRoom() })
  const own = { health: ownHealth, metrics: [diskMetrics(disk.freeBytes), webhooks.metrics, backups] }
  bus.answer(ASKS.process('api'), watchProcess('api', config.port, own))
  let ready = false
  // The status page counts what the source counts from here on.
  await others.start()
  const door = await openDoor(config, {
    accounts,
    bus,
    archive: await openArchive(config.archivePlace, { clock: systemClock, log }),
    sessionSecret: store.secrets.session,
    hiddenTexts: readHiddenConfig(process.env),
    log,
    sourceState: others.sourceState,
    openStreams: others.openStreams,
    listConnections: others.listConnections,
    listProcesses: others.listProcesses,
    lookUpTokens: others.lookUpTokens,
    missingAnswers: others.missingAnswers,
    metrics: [backups],
    webhooks,
    health: async () => ({
      ...ownHealth(),
      source: others.sourceState().up,
      ...(store.healthy() && (await others.gateways())), // the database knows which run
    }),
    ready: () => ready,
    diskFreeBytes: disk.freeBytes,
  })

  life.onStop(async (close) => {
    ready = false
    await close(() => disk.stop())
    await close(() => others.stop())
    await close(() => door.stopWork())
    await close(() => door.close())
    await close(() => bus.close())
    await close(() => store.close())
  })

  await door.app.listen({ port: config.port, host: config.host }).catch((error) => {
    throw listenFault(error, config)
  })
  door.start()
  disk.start()
  ready = true
  console.log(`The api is ready at ${config.publicUrl}`)
}
