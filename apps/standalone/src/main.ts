import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import proxyAddress from '@fastify/proxy-addr'
import {
  createAltchaCaptcha,
  createApi,
  createDevMail,
  createLocalCheck,
  createMailSender,
  createNoMail,
  createNoticeBoard,
  createPaddleBilling,
  createRecaptchaCaptcha,
  createSandboxBilling,
  createSmtpMail,
  deliverWebhooks,
  SANDBOX,
  traceOf,
} from '@pairwire/api'
import { createInProcessBus, type EventStore, type EventStoreOptions, openEventStore } from '@pairwire/bus'
import { createGateway, type GatewayStats } from '@pairwire/gateway'
import { createIngest, lookUpTokens, openSource, openTokenMemory, systemClock } from '@pairwire/ingest'
import { type Config, ConfigError, readConfig } from './config.ts'
import { listenForOperator } from './control-socket.ts'
import { createDiskWatch } from './disk-watch.ts'
import { createLocalKey } from './local-key.ts'
import { createLog } from './log.ts'
import { openAccounts } from './open-accounts.ts'
import { runOperation } from './operations.ts'
import { createPlanClock, machineClock } from './plan-clock.ts'
import { readyLines } from './ready-lines.ts'
import { createRunCounter } from './run-counter.ts'

/** Milliseconds from the first signal to the end of the process, whatever still hangs. */
const SHUTDOWN_LIMIT_MS = 4_500

/** Milliseconds after which the database is to be closed and dumped; the rest is for the lock and the end. */
const DATABASE_CLOSED_BY_MS = 4_200

/** Heap for the newest events: half a minute of a busy chain. What is older is read from the disk. */
const BUS_MAX_BYTES = 32 * 1024 * 1024

/** Milliseconds in which an embedded database that does not answer may come back before the service ends. */
const DATABASE_PATIENCE_MS = 30_000

/** Milliseconds between two sweeps of expired tokens, sessions and captchas. */
const SWEEP_EVERY_MS = 10 * 60_000

const log = createLog(process.stderr)

try {
  await start(readConfig(process.env))
} catch (error) {
  for (const sentence of sentencesOf(error)) log.error(sentence)
  process.exit(1)
}

/** Every part of the product in this process, from the chain to the browser. */
async function start(config: Config): Promise<void> {
  const source = openSource(config.solanaSource, {
    nextRun: createRunCounter(config.dataFolder),
    loopByDefault: true,
    clock: systemClock,
    log,
    dataFolder: config.dataFolder,
    tokens: config.solanaSourceTokens,
    rpcUrl: config.solanaRpcUrl,
  })
  const { simulated } = source

  const store = await openAccounts(config, (line) => log.warn(line))
  const { accounts, secrets } = store

  const disk = createDiskWatch({ folder: config.dataFolder, clock: machineClock, log })

  // The street: events. What is kept of one kind of source says nothing of another's chain.
  const kind = source.isRecording ? 'recording' : simulated ? 'simulator' : 'chain'
  // Nor can anybody resume what came in order of arrival.
  const events = source.inOrderOfArrival ? undefined : await openEvents(config, kind)
  const bus = createInProcessBus({ maxBytes: BUS_MAX_BYTES, ...(events ? { store: events } : {}) })
  // A million tokens take a second or two; nobody but the stream waits for them.
  const tokens = openTokenMemory({ folder: join(config.dataFolder, 'tokens'), source: kind, log })
  const ingest = createIngest({ source, bus, tokens, log, clock: systemClock })
  const trusted = proxyAddress.compile([...config.trustProxy])
  const isFromHere = createLocalCheck(config)
  const localKey =
    config.isLocal && kind === 'simulator'
      ? createLocalKey((request) => isFromHere({ raw: request, socket: request.socket }))
      : undefined
  const gateway = createGateway({
    bus,
    accounts: localKey?.besides(accounts) ?? accounts,
    log,
    simulated,
    docsUrl: `${config.publicUrl}/docs`,
    clientAddress: (request) => proxyAddress(request, trusted),
    limits: { connectsPerSecondPerAddress: config.connectRatePerAddress },
  })

  // The door: people.
  const sourceState = () => {
    const { sourceUp, source: live, blocks, transactions, failedTransactions, ...rest } = ingest.stats()
    const { decoderFaults, sourceFaults, publishFaults, ...state } = rest
    const faults = { decoderFaults, sourceFaults, publishFaults }
    const totals = { blocks, transactions, failedTransactions, ...faults }
    return { up: sourceUp, live, ...state, totals }
  }
  const mailbox =
    config.isLocal && !config.smtpUrl
      ? createDevMail({ clock: Date.now, print: (line) => console.log(line) })
      : undefined
  const mail = config.smtpUrl
    ? createSmtpMail({ url: config.smtpUrl, from: config.mailFrom })
    : (mailbox ?? createNoMail())
  if (!config.smtpUrl && !mailbox) {
    log.warn(
      `SMTP_URL is not set and HOST ${config.host} is not of this machine alone: mails are neither sent nor shown.`,
    )
  }
  const billingParts = { clock: Date.now, warn: log.warn }
  const sandbox =
    config.payment?.provider === 'sandbox'
      ? createSandboxBilling({ ...billingParts, secret: secrets.session })
      : undefined
  const billing =
    config.payment?.provider === 'paddle'
      ? createPaddleBilling({ ...billingParts, ...config.payment, production: config.production })
      : sandbox
  const notices = createNoticeBoard({ accounts, clock: machineClock, log })
  await notices.refresh()
  const mailSender = createMailSender({
    accounts,
    mail,
    publicUrl: config.publicUrl,
    clock: systemClock,
    log,
  })
  let ready = false
  const api = await createApi({
    accounts,
    bus,
    mailbox,
    mailsSettled: mailSender.settled,
    captcha:
      config.captcha.provider === 'recaptcha'
        ? createRecaptchaCaptcha(config.captcha)
        : createAltchaCaptcha({ secret: secrets.session, clock: Date.now, use: accounts.useCaptcha }),
    billing,
    sandbox,
    clock: Date.now,
    elapsed: () => performance.now(),
    notices,
    log,
    sessionSecret: secrets.session,
    publicUrl: config.publicUrl,
    production: config.production,
    isLocal: config.isLocal,
    metricsToken: config.metricsToken,
    simulated,
    streamUrl: `${config.publicUrl.replace(/^http/, 'ws')}/`,
    statusUrl: config.statusUrl,
    supportEmail: config.supportEmail,
    links: config.links,
    thirdParties: config.thirdParties,
    sourceState,
    gatewayStats: () => gatewayFigures(gateway.stats()),
    openStreams: gateway.openConnections,
    lookUpTokens: async (mints) => lookUpTokens(await tokens, mints),
    health: () => ({
      database: store.healthy(),
      source: sourceState().up,
      disk: disk.hasRoom() && events?.isKeeping() !== false,
    }),
    diskFreeBytes: disk.freeBytes,
    keptEvents: async () => events && { bytes: events.size(), oldestCursor: await events.oldestCursor() },
    ready: () => ready,
    logoFolder: join(config.dataFolder, 'logos'),
    statusFile: join(config.dataFolder, 'status.json'),
    trustProxy: config.trustProxy,
    authRatePerAddress: config.authRatePerAddress,
    webRoot: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    designRoot: fileURLToPath(new URL('../../../design', import.meta.url)),
    pagesRoot: fileURLToPath(new URL('../../api/public', import.meta.url)),
  })
  api.server.on('upgrade', localKey?.atDoor(gateway.handleUpgrade) ?? gateway.handleUpgrade)

  const stopOperator = await listenForOperator(
    config.dataFolder,
    (request) => runOperation(request, { accounts, tell: bus.sendControl, noticesChanged: notices.refresh }),
    (verb, error) => log.error('A verb of the operator’s tool failed.', { verb, ...traceOf(error) }),
  )
  const planClock = createPlanClock({
    accounts,
    tell: bus.sendControl,
    renewals: sandbox && {
      provider: SANDBOX,
      renew: (subscription) => deliverWebhooks(api, sandbox.renew(subscription)),
    },
    clock: machineClock,
    warn: log.warn,
  })
  const sweeping = setInterval(
    () => void accounts.sweep().catch((error) => log.error('The sweep failed.', { error })),
    SWEEP_EVERY_MS,
  )

  let stopping = false
  const stop = async (status: number): Promise<void> => {
    if (stopping) return
    stopping = true
    ready = false
    const startedMs = performance.now()
    setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref()
    clearInterval(sweeping)
    const mailsClosed = mailSender.close()
    await disk.stop()
    await notices.stop()
    await planClock.stop()
    await ingest.stop()
    await (await tokens).close()
    // Together, as each waits for its own clients; both still need the database.
    await Promise.all([gateway.close(), api.close(), stopOperator(), mailsClosed])
    await mail.close()
    await bus.close()
    await store.close(DATABASE_CLOSED_BY_MS - (performance.now() - startedMs))
    process.exit(status)
  }
  const crash = (error: unknown) => {
    log.error('Something failed that nobody had expected to: the service stops.', { error })
    void stop(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
  store.onFailure((error) => {
    log.error('The database does not answer.', { error })
    // PostgreSQL comes back by itself, and so does a busy machine; a dead embedded database needs a new process.
    if (config.databaseUrl) return
    setTimeout(() => store.healthy() || void stop(1), DATABASE_PATIENCE_MS).unref()
  })

  if (billing) {
    for (const accountId of await accounts.applyKnownPrices(billing.provider, billing.planOf)) {
      log.info('Reports for a price that is a plan now were applied.', { accountId })
      await bus.sendControl({ type: 'planChanged', accountId })
    }
  }

  try {
    await api.listen({ port: config.port, host: config.host })
  } catch (error) {
    log.error(listenSentence(error, config))
    return stop(1)
  }
  ingest.start()
  planClock.start()
  disk.start()
  notices.start()
  mailSender.start()
  ready = true
  const { publicUrl, smtpUrl } = config
  const lines = readyLines({ publicUrl, smtpUrl, hasMailbox: Boolean(mailbox), localKey: localKey?.key })
  for (const line of lines) console.log(line)
}

/** What is kept for resuming; undefined where its folder cannot be used, and memory has to do until the next start. */
async function openEvents(
  config: Config,
  source: EventStoreOptions['source'],
): Promise<EventStore | undefined> {
  const folder = join(config.dataFolder, 'stream')
  try {
    return await openEventStore({ folder, source, retention: config.retention, now: Date.now, log })
  } catch (error) {
    log.warn('DATA_DIR: what is kept for resuming cannot be used; it lasts as long as the process.', {
      folder,
      error: String(error),
    })
    return undefined
  }
}

/** The gateway's figures as the metrics take them: one flat list of counters. */
function gatewayFigures({
  connections,
  subscriptions,
  queuedBytes,
  heldBytes,
  sentEvents,
  sentBytes,
  acceptedUpgrades,
  refusedUpgrades,
  ended,
}: GatewayStats) {
  const totals: Record<string, number> = { sentEvents, sentBytes, acceptedUpgrades }
  for (const [status, count] of Object.entries(refusedUpgrades)) totals[`refusedUpgrades${status}`] = count
  for (const [reason, count] of Object.entries(ended))
    totals[`ended${reason[0]?.toUpperCase()}${reason.slice(1)}`] = count
  return { connections, subscriptions, queuedBytes, heldBytes, totals }
}

/** Why nothing can listen there, naming the variable. */
function listenSentence(error: unknown, { host, port }: Config): string {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') return `PORT: ${host}:${port} is in use by another program.`
  if (code === 'EACCES') return `PORT: this user may not listen on ${port}; take one above 1023.`
  return `HOST: this machine cannot listen on ${host}:${port} (${code ?? 'for an unknown reason'}).`
}

/** What a person reads when the start fails: the sentences where we made them, the stack where it is a bug. */
function sentencesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  if (error instanceof ConfigError) return error.message.split('\n')
  const isOurs = error.constructor === Error || codeOf(error) !== undefined
  return [isOurs ? error.message : (error.stack ?? error.message)]
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
