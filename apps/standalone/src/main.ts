import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Accounts } from '@pairwire/accounts'
import { askOthers, backupMetrics, createWebhookCounts, openDoor } from '@pairwire/api'
import { openArchive } from '@pairwire/archive'
import { archiverMetrics, openArchiver } from '@pairwire/archiver'
import { systemClock } from '@pairwire/basics'
import { type Bus, createInProcessBus, type EventStore, openEventStore } from '@pairwire/bus'
import { ASKS, type SourceKind, type StreamsWanted, setPlanFigures } from '@pairwire/contract'
import { type Gateway, gatewayMetrics, openGateway, takeStreams } from '@pairwire/gateway'
import {
  answerOthers,
  openConfiguredSource,
  openIngest,
  sourceMetrics,
  TOKEN_PAGES_PATH,
} from '@pairwire/ingest'
import {
  createDiskWatch,
  createLocalCheck,
  createLog,
  diskMetrics,
  type Life,
  listenFault,
  openAccounts,
  runProcess,
  watchProcess,
} from '@pairwire/process'
import { type Config, readConfig, readHiddenConfig } from './config.ts'
import { settingsCheck } from './doctor/settings-check.ts'
import { sourceChecks } from './doctor/source-checks.ts'
import { makeUpPast } from './history/make-up-past.ts'
import { keptMetrics } from './kept-metrics.ts'
import { createLocalKey } from './local-key.ts'
import { readyLines } from './ready-lines.ts'

/** Milliseconds from the first signal until the process exits, even if something hangs. */
const SHUTDOWN_LIMIT_MS = 4_500

/** Milliseconds of it for clients to close: the rest is for the database and its dump. */
const GOODBYE_MS = 1_000

/** Milliseconds of it left after the database was closed and dumped, for the lock and the exit. */
const AFTER_DATABASE_MS = 300

/** Heap for the newest events: half a minute of a busy chain. Older ones are read from disk. */
const BUS_MAX_BYTES = 32 * 1024 * 1024

/** Milliseconds in which an embedded database that does not answer may recover before the service exits. */
const DATABASE_PATIENCE_MS = 30_000

const log = createLog(process.stderr)

await runProcess(log, SHUTDOWN_LIMIT_MS, (life) => {
  const config = readConfig(process.env)
  setPlanFigures(config.brand.figures)
  return start(config, life)
})

/** Every part of the product in this process, from the chain to the browser. */
async function start(config: Config, life: Life): Promise<void> {
  const opened = openConfiguredSource(config, log, devPages(config))
  const { source, kind, ownPages } = opened
  const store = await openAccounts(config, log)
  const { accounts } = store
  const archive = await openArchive(config.archivePlace, { clock: systemClock, log })
  const disk = createDiskWatch({ folder: config.dataFolder, clock: systemClock, log })

  // The street: events. Nobody can resume events in order of arrival.
  const nats = config.natsUrl === undefined ? undefined : await openNats(config.natsUrl, config, kind)
  const events = nats || source.inOrderOfArrival ? undefined : await openEvents(config, kind)
  const bus = nats ?? createInProcessBus({ maxBytes: BUS_MAX_BYTES, ...(events ? { store: events } : {}) })
  const ingest = openIngest(config, opened, { bus, log })
  const stopAnswering = nats && answerOthers(nats, ingest, () => nats.publisherState() === 'publishing')
  // Events in order of arrival belong to no hour.
  const archiver =
    archive && !source.inOrderOfArrival
      ? openArchiver(config, { bus, archive, log, freeBytes: disk.freeBytes })
      : undefined
  // Other gateways can run beside this one if they share the bus and the database.
  const shared = nats && config.databaseUrl ? accounts : undefined
  const localKey = config.isLocal && kind === 'simulator' && !shared ? makeLocalKey(config) : undefined
  const known = localKey?.besides(accounts) ?? accounts
  const gateway = openGateway(config, { bus, log, shared, accounts: known })

  // The door: people.
  let ready = false
  const webhooks = createWebhookCounts()
  const health = () => ({
    database: store.healthy(),
    source: ingest.state().up,
    ...(nats && { bus: nats.isUp() }),
    ...(shared && { seats: gateway.isCounted() }),
    ...(archiver && { archive: archiver.isUp() }),
    disk: disk.hasRoom() && events?.isKeeping() !== false,
  })
  const metrics = [
    sourceMetrics(ingest.state),
    gatewayMetrics(gateway.stats),
    ...[archiverMetrics(() => archiver?.figures()), backupMetrics(config.backupFolder)],
    keptMetrics(async () => events && { bytes: events.size(), oldestCursor: await events.oldestCursor() }),
  ]
  const own = { health, metrics: [...metrics, diskMetrics(disk.freeBytes), webhooks.metrics] }
  const figures = watchProcess('service', config.port, own)
  const { app, hasMailbox, ...door } = await openDoor(config, {
    ...{ bus, archive, log, health, metrics, webhooks, ownPages },
    accounts: known,
    sessionSecret: store.secrets.session,
    checks: { ...settingsCheck([]), ...sourceChecks(config) },
    hiddenTexts: readHiddenConfig(process.env),
    sourceState: ingest.state,
    ...askAround({ accounts, bus, gateway, figures, isShared: shared !== undefined }),
    lookUpTokens: ingest.lookUpTokens,
    ready: () => ready && ingest.isSettled(),
    diskFreeBytes: disk.freeBytes,
  })
  takeStreams(app.server, localKey?.atDoors(gateway) ?? gateway)

  let stopPast = () => {}
  life.onStop(async (close, leftMs) => {
    ready = false
    await close(() => stopPast())
    await close(() => disk.stop())
    await close(() => door.stopWork())
    await close(() => stopAnswering?.())
    await close(() => ingest.stop())
    await close(() => archiver?.stop())
    // Together, as each waits for its own clients; both still need the database.
    await Promise.all([close(() => gateway.close(GOODBYE_MS)), close(() => door.close())])
    await close(() => bus.close())
    await close(() => store.close(leftMs() - AFTER_DATABASE_MS))
  })
  endWithout(store, config, life)

  await app.listen({ port: config.port, host: config.host }).catch((error) => {
    throw listenFault(error, config)
  })
  ingest.start()
  door.start()
  disk.start()
  archiver?.start()
  ready = true
  if (archive && archiver && kind === 'simulator') stopPast = makeUpPast(config, { archive, bus, log })

  for (const line of readyLines({ ...config, hasMailbox, localKey: localKey?.key })) console.log(line)
}

/** How gateways and processes are asked: over the bus if others may run beside this one, else here. */
function askAround({
  accounts,
  bus,
  gateway,
  figures,
  isShared,
}: Readonly<{
  accounts: Accounts
  bus: Bus
  gateway: Gateway
  figures: ReturnType<typeof watchProcess>
  isShared: boolean
}>) {
  if (!isShared) {
    return {
      openStreams: async (id: string) => ({ open: await gateway.openConnections(id), missing: [] }),
      listConnections: async (wanted: StreamsWanted) => ({
        rows: await gateway.listConnections(wanted),
        missing: [],
      }),
      listProcesses: async () => [await figures()],
    }
  }
  bus.answer(ASKS.process('service'), figures)
  const { openStreams, listConnections, listProcesses } = askOthers({ accounts, bus, clock: systemClock })
  return { openStreams, listConnections, listProcesses }
}

/** A key that works only from this machine. */
function makeLocalKey(config: Config) {
  const isFromHere = createLocalCheck(config)
  return createLocalKey((request) => isFromHere({ raw: request, socket: request.socket }))
}

/** Where pages of simulated tokens can be served: for this machine only, like everything below `/dev`. */
function devPages({ isLocal, publicUrl, host, port }: Config) {
  if (!isLocal) return undefined
  return { prefix: `${publicUrl}${TOKEN_PAGES_PATH}`, address: isIP(host) ? host : '127.0.0.1', port }
}

/** A dead embedded database needs a new process; PostgreSQL recovers by itself, and so does a busy machine. */
function endWithout(store: Awaited<ReturnType<typeof openAccounts>>, config: Config, life: Life): void {
  store.onFailure(() => {
    if (config.databaseUrl) return
    setTimeout(() => store.healthy() || void life.stop(1), DATABASE_PATIENCE_MS).unref()
  })
}

/** The bus between processes, loaded only if it is configured. */
async function openNats(natsUrl: string, { retention }: Config, source: SourceKind) {
  const { openNatsBus, readNatsAddress } = await import('@pairwire/bus/nats')
  const address = readNatsAddress(natsUrl)
  return openNatsBus({ address, source, retention, maxBytes: BUS_MAX_BYTES, log })
}

/** The store for resuming; undefined if its folder cannot be used, and memory must do until the next start. */
async function openEvents(config: Config, source: SourceKind): Promise<EventStore | undefined> {
  const folder = join(config.dataFolder, 'stream')
  try {
    return await openEventStore({ folder, source, retention: config.retention, now: Date.now, log })
  } catch (error) {
    log.warn(
      'DATA_DIR: the stored events cannot be used; clients can only resume events that this process has in memory.',
      { folder, error: String(error) },
    )
    return undefined
  }
}
