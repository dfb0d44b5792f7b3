import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Accounts, backUpInto, SUM_PARTS } from '@pairwire/accounts'
import { type Log, systemClock } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import { backupPartsOf, createLoopLog, prepareFolder } from '@pairwire/process'
import { createPublicPost } from '@pairwire/public-fetch'
import type { FastifyInstance } from 'fastify'
import type { Billing } from './adapters/billing.ts'
import { createPaddleBilling } from './adapters/billing-paddle.ts'
import { createSandboxBilling, SANDBOX } from './adapters/billing-sandbox.ts'
import { createAltchaCaptcha } from './adapters/captcha-altcha.ts'
import { createRecaptchaCaptcha } from './adapters/captcha-recaptcha.ts'
import { createDevMail } from './adapters/mail-dev.ts'
import { createNoMail } from './adapters/mail-none.ts'
import { createAlarmWatch } from './alarms/alarm-watch.ts'
import { createApi } from './app.ts'
import { createBackupClock } from './backup-clock.ts'
import type { DoorConfig } from './config.ts'
import { createArchiveKeeper } from './history/archive-keeper.ts'
import { createOrderClock } from './history/order-clock.ts'
import { createLeases, type Leases } from './leases.ts'
import { MailSender } from './mail-sender.ts'
import { createNoticeBoard } from './notice-board.ts'
import { type Checks, createDoctor } from './operator/doctor/check.ts'
import { doorChecks } from './operator/doctor/door-checks.ts'
import { listenForOperator } from './operator/listen-for-operator.ts'
import { createMoneyNow } from './operator/money-now.ts'
import { answerTool } from './operator/run-verb.ts'
import { roomOf } from './operator/session/room.ts'
import { drawDocs } from './pages/docs/draw-docs.ts'
import type { ApiParts } from './parts.ts'
import { createPlanClock } from './plan-clock.ts'
import { deliverWebhooks } from './routes/sandbox.ts'
import { traceOf } from './trace-of.ts'
import { WebhookLoop } from './webhooks/webhook-loop.ts'

/** Milliseconds between two sweeps of expired tokens, sessions and captchas. */
const SWEEP_EVERY_MS = 10 * 60_000

/** Milliseconds between two sums of events and faults, by which the operator's list is sorted. */
const SUM_EVERY_MS = 5 * 60_000

/** The other parts as the HTTP side sees them, wherever they run. */
type OtherParts = Pick<
  ApiParts,
  | 'archive'
  | 'sourceState'
  | 'openStreams'
  | 'listConnections'
  | 'listProcesses'
  | 'lookUpTokens'
  | 'ownPages'
  | 'metrics'
  | 'health'
  | 'missingAnswers'
  | 'webhooks'
  | 'ready'
  | 'diskFreeBytes'
> &
  Readonly<{
    /** What the doctor can check here besides the HTTP side. */
    checks?: Checks
    /** Texts of the environment that the doctor never answers. */
    hiddenTexts: readonly string[]
  }>

/** The HTTP side and its background work: mails, ending plans, sweeps, the operator's socket. */
type Door = Readonly<{
  /** Not listening yet: the caller listens on it and adds the websockets. */
  app: FastifyInstance
  /** Whether mails are shown at /dev/mail. */
  hasMailbox: boolean
  /** Starts the background work. */
  start(): void
  /** Ends the background work; the app still serves its open connections. */
  stopWork(): Promise<void>
  /** Ends the rest. */
  close(): Promise<void>
}>

/** Opens the HTTP side, in one process with the other parts or alone. */
export async function openDoor(
  config: DoorConfig,
  {
    accounts,
    bus,
    sessionSecret,
    log,
    checks,
    hiddenTexts,
    ...others
  }: OtherParts & Readonly<{ accounts: Accounts; bus: Bus; sessionSecret: Uint8Array; log: Log }>,
): Promise<Door> {
  if (config.backupFolder !== undefined) prepareFolder(config.backupFolder, 'BACKUP_DIR')
  if (roomOf(config).isShut) {
    log.warn(
      'The operator’s room stays shut: on a production host it needs https, in PUBLIC_URL or ADMIN_URL.',
    )
  }
  const { mail, mailbox } = await openMail(config, log)
  const { billing, sandbox } = openBilling(config, sessionSecret, log)
  const loopLog = createLoopLog(log, systemClock.elapsed)
  const notices = createNoticeBoard({ accounts, clock: systemClock, log: loopLog })
  await notices.refresh()
  const leases = createLeases(accounts)
  const mailing = { accounts, leases, mail, publicUrl: config.publicUrl, brand: config.brand }
  const mailSender = new MailSender({ ...mailing, clock: systemClock, log: loopLog })
  const { archive } = others
  const keeper =
    archive &&
    createArchiveKeeper({
      ...{ accounts, archive, leases, clock: systemClock, log: loopLog },
      source: config.sourceKind,
      retention: config.archiveRetention,
    })
  const room = { roomUrl: roomOf(config).url }
  const { publicUrl, adminUrl, isLocal, simulated, hasPlaces } = config
  const posting = createPublicPost({ own: adminUrl ? [publicUrl, adminUrl] : [publicUrl], isLocal })
  const webhookLoop = new WebhookLoop({
    ...{ accounts, bus, posting, simulated, hasPlaces, clock: systemClock, log: loopLog },
  })
  const alarms = createAlarmWatch({
    ...{ ...config, ...others, ...room, accounts, leases, clock: systemClock, log },
  })
  const streamUrl = `${config.publicUrl.replace(/^http/, 'ws')}/`
  const known = {
    ...others,
    health: async () => ({ ...(await others.health()), webhooks: webhookLoop.isUp() }),
    metrics: [...others.metrics, alarms.metrics, webhookLoop.metrics],
    archiveFigures: () => keeper?.figures(),
    oldestCursor: bus.oldestCursor,
    mailsSettled: mailSender.settled,
    moneyNow: createMoneyNow({ accounts, ...CLOCKS }),
    doctor: createDoctor(
      {
        ...doorChecks({
          ...{ config, listProcesses: others.listProcesses, docsRoot: DOCS_ROOT },
          accounts: async () => accounts,
          sessionSecret: () => sessionSecret,
        }),
        ...checks,
      },
      {
        whySkipped: 'Run pairwire doctor on the machine: this process cannot check it.',
        secrets: hiddenTexts,
      },
    ),
  }
  const app = await createApi({
    ...{ ...config, ...known, ...CLOCKS, ...ROOTS },
    ...{ accounts, bus, archiver: bus, stream: bus, log, sessionSecret, streamUrl },
    ...{ posting, mailbox, billing, sandbox, notices },
    captcha: openCaptcha(config, sessionSecret, accounts),
    noticesChanged: notices.refresh,
    logoFolder: join(config.dataFolder, 'logos'),
    statusFile: join(config.dataFolder, 'status.json'),
    docs: drawDocs({ ...config, ...ROOTS, streamUrl }),
  })
  const operating = {
    ...{ ...config, ...known, accounts, billing, bus, log, ...CLOCKS },
    noticesChanged: notices.refresh,
  }
  const stopOperator = await listenForOperator(
    config.dataFolder,
    (request) => answerTool(request, operating),
    (verb, error) => log.error('A command of the operator’s tool failed.', { verb, ...traceOf(error) }),
  )
  const planClock = createPlanClock({
    accounts,
    leases,
    tell: bus.sendControl,
    renewals: sandbox && {
      provider: SANDBOX,
      renew: (subscription) => deliverWebhooks(app, sandbox.renew(subscription)),
    },
    clock: systemClock,
    warn: loopLog.warn,
  })
  const backups =
    config.backupFolder === undefined ? undefined : openBackups(config.backupFolder, { config, leases, log })
  const orderClock = createOrderClock({ accounts, archive, leases, clock: systemClock, log: loopLog })
  const stopSweeps = startSweeps({ accounts, leases, log })
  accounts.onAct((act) => log.info('An operator acted.', act))

  if (billing) await applyKnownPrices(billing, { accounts, bus, log })

  let mailsClosed = Promise.resolve()
  let alarmsStopped = Promise.resolve()
  return {
    app,
    hasMailbox: mailbox !== undefined,
    start() {
      planClock.start()
      orderClock.start()
      backups?.start()
      keeper?.start()
      notices.start()
      alarms.start()
      mailSender.start()
      webhookLoop.start()
    },
    async stopWork() {
      stopSweeps()
      backups?.stop()
      mailsClosed = mailSender.close()
      const webhooksStopped = webhookLoop.stop()
      await notices.stop()
      alarmsStopped = alarms.stop()
      await planClock.stop()
      await webhooksStopped
      await orderClock.stop()
      await keeper?.stop()
      // Otherwise they expire by themselves.
      await leases.free().catch(() => {})
    },
    async close() {
      await Promise.all([app.close(), stopOperator(), mailsClosed, alarmsStopped])
      await mail.close()
    },
  }
}

const CLOCKS = { clock: Date.now, elapsed: () => performance.now() }

/** The docs, with the legal texts. */
export const DOCS_ROOT = fileURLToPath(new URL('../../../docs/site', import.meta.url))

/** Folders of the served files. The same depth under `src` and in the bundle under `dist`. */
const ROOTS = {
  webRoot: fileURLToPath(new URL('../../web/dist', import.meta.url)),
  adminRoot: fileURLToPath(new URL('../../web/dist-admin', import.meta.url)),
  sdkRoot: fileURLToPath(new URL('../../../packages/client/dist/sdk', import.meta.url)),
  designRoot: fileURLToPath(new URL('../../../design', import.meta.url)),
  pagesRoot: fileURLToPath(new URL('../../api/public', import.meta.url)),
  docsRoot: DOCS_ROOT,
}

/** Sweeps, and makes the sums of the operator's list, from time to time. @returns what ends both */
function startSweeps({
  accounts,
  leases,
  log,
}: {
  accounts: Accounts
  leases: Leases
  log: Log
}): () => void {
  const sweeping = setInterval(
    () =>
      void leases.have('sweeps', accounts.sweep).catch((error) => log.error('The sweep failed.', { error })),
    SWEEP_EVERY_MS,
  )
  const summing = setInterval(
    () =>
      void leases
        .have('sums', async () => {
          for (let part = 0; part < SUM_PARTS; part++) await accounts.refreshSums(part)
        })
        .catch((error) => log.error('The sums of the operator’s list could not be made.', { error })),
    SUM_EVERY_MS,
  )
  return () => {
    clearInterval(sweeping)
    clearInterval(summing)
  }
}

async function openMail(config: DoorConfig, log: Log) {
  if (config.smtpUrl) {
    const { createSmtpMail } = await import('./adapters/mail-smtp.ts')
    return { mail: createSmtpMail({ url: config.smtpUrl, from: config.mailFrom }), mailbox: undefined }
  }
  if (config.isLocal) {
    const mailbox = createDevMail({ clock: Date.now, print: (line) => console.log(line) })
    return { mail: mailbox, mailbox }
  }
  log.warn(
    `SMTP_URL is not set and HOST ${config.host} lets other machines in: the service neither sends nor shows emails.`,
  )
  return { mail: createNoMail(), mailbox: undefined }
}

/** Keeps the last two weeks of daily backups in `folder`. */
function openBackups(
  folder: string,
  { config, leases, log }: { config: DoorConfig; leases: ReturnType<typeof createLeases>; log: Log },
) {
  const parts = backupPartsOf(config)
  const make = (signal: AbortSignal) => backUpInto(folder, parts, { occasion: 'daily', keep: 14, signal })
  return createBackupClock({ folder, make, leases, clock: systemClock, warn: log.warn })
}

/** Adapters that take payments; `sandbox` is set if that is the built-in one. */
export function openBilling(
  { payment, production }: DoorConfig,
  secret: Uint8Array,
  { warn, error }: Log,
): Pick<ApiParts, 'billing' | 'sandbox'> {
  const parts = { clock: Date.now, warn, error }
  if (payment?.provider === 'paddle') {
    return { billing: createPaddleBilling({ ...parts, ...payment, production }), sandbox: undefined }
  }
  const sandbox = payment ? createSandboxBilling({ ...parts, secret }) : undefined
  return { billing: sandbox, sandbox }
}

function openCaptcha({ captcha }: DoorConfig, secret: Uint8Array, { useCaptcha }: Accounts) {
  return captcha.provider === 'recaptcha'
    ? createRecaptchaCaptcha(captcha)
    : createAltchaCaptcha({ secret, clock: Date.now, use: useCaptcha })
}

/** Applies payments reported for prices without a plan, which may have one by now. */
async function applyKnownPrices(
  { provider, planOf }: Billing,
  { accounts, bus, log }: Readonly<{ accounts: Accounts; bus: Bus; log: Log }>,
): Promise<void> {
  for (const accountId of await accounts.applyKnownPrices(provider, planOf)) {
    log.info('Applied payments that had been reported for a price without a plan.', { accountId })
    await bus.sendControl({ type: 'planChanged', accountId })
  }
}
