import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Accounts } from '@pairwire/accounts'
import type { Bus } from '@pairwire/bus'
import { type Log, systemClock } from '@pairwire/process'
import type { FastifyInstance } from 'fastify'
import { createPaddleBilling } from './adapters/billing-paddle.ts'
import { createSandboxBilling, SANDBOX } from './adapters/billing-sandbox.ts'
import { createAltchaCaptcha } from './adapters/captcha-altcha.ts'
import { createRecaptchaCaptcha } from './adapters/captcha-recaptcha.ts'
import { createDevMail } from './adapters/mail-dev.ts'
import { createNoMail } from './adapters/mail-none.ts'
import { createSmtpMail } from './adapters/mail-smtp.ts'
import { createApi } from './app.ts'
import type { DoorConfig } from './config.ts'
import { listenForOperator } from './control-socket.ts'
import { createLeases } from './leases.ts'
import { createMailSender } from './mail-sender.ts'
import { createNoticeBoard } from './notice-board.ts'
import { runOperation } from './operations.ts'
import type { ApiParts } from './parts.ts'
import { createPlanClock } from './plan-clock.ts'
import { traceOf } from './plugins/errors.ts'
import { deliverWebhooks } from './routes/sandbox.ts'

/** Milliseconds between two sweeps of expired tokens, sessions and captchas. */
const SWEEP_EVERY_MS = 10 * 60_000

/** What the door learns of the other parts, wherever they run. */
type OtherParts = Pick<
  ApiParts,
  | 'sourceState'
  | 'openStreams'
  | 'lookUpTokens'
  | 'ownPages'
  | 'figures'
  | 'health'
  | 'missingAnswers'
  | 'ready'
  | 'diskFreeBytes'
>

/** The HTTP side with all that goes on behind it: mails, plans that end, sweeps, the operator's socket. */
type Door = Readonly<{
  /** Not listening yet; the caller does, and hangs websockets beside it. */
  app: FastifyInstance
  /** Whether mails are shown at /dev/mail. */
  hasMailbox: boolean
  /** What goes on behind it begins. */
  start(): void
  /** Ends what goes on behind it; the app is still there, with who is connected. */
  stopWork(): Promise<void>
  /** Ends the rest. */
  close(): Promise<void>
}>

/** Opens the door, in one process with the other parts or alone. */
export async function openDoor(
  config: DoorConfig,
  {
    accounts,
    bus,
    sessionSecret,
    log,
    ...others
  }: OtherParts & Readonly<{ accounts: Accounts; bus: Bus; sessionSecret: Uint8Array; log: Log }>,
): Promise<Door> {
  const mailbox =
    config.isLocal && !config.smtpUrl
      ? createDevMail({ clock: Date.now, print: (line) => console.log(line) })
      : undefined
  const mail = config.smtpUrl
    ? createSmtpMail({ url: config.smtpUrl, from: config.mailFrom })
    : (mailbox ?? createNoMail())
  if (!config.smtpUrl && !mailbox) {
    log.warn(
      `SMTP_URL is not set and HOST ${config.host} lets other machines in: the service neither sends nor shows emails.`,
    )
  }
  const billingParts = { clock: Date.now, warn: log.warn }
  const sandbox =
    config.payment?.provider === 'sandbox'
      ? createSandboxBilling({ ...billingParts, secret: sessionSecret })
      : undefined
  const billing =
    config.payment?.provider === 'paddle'
      ? createPaddleBilling({ ...billingParts, ...config.payment, production: config.production })
      : sandbox
  const notices = createNoticeBoard({ accounts, clock: systemClock, log })
  await notices.refresh()
  const leases = createLeases(accounts)
  const mailSender = createMailSender({
    accounts,
    leases,
    mail,
    publicUrl: config.publicUrl,
    clock: systemClock,
    log,
  })
  const app = await createApi({
    accounts,
    bus,
    mailbox,
    mailsSettled: mailSender.settled,
    captcha:
      config.captcha.provider === 'recaptcha'
        ? createRecaptchaCaptcha(config.captcha)
        : createAltchaCaptcha({ secret: sessionSecret, clock: Date.now, use: accounts.useCaptcha }),
    billing,
    sandbox,
    clock: Date.now,
    elapsed: () => performance.now(),
    notices,
    log,
    sessionSecret,
    publicUrl: config.publicUrl,
    production: config.production,
    isLocal: config.isLocal,
    metricsToken: config.metricsToken,
    simulated: config.simulated,
    streamUrl: `${config.publicUrl.replace(/^http/, 'ws')}/`,
    statusUrl: config.statusUrl,
    supportEmail: config.supportEmail,
    links: config.links,
    thirdParties: config.thirdParties,
    ...others,
    logoFolder: join(config.dataFolder, 'logos'),
    statusFile: join(config.dataFolder, 'status.json'),
    trustProxy: config.trustProxy,
    authRatePerAddress: config.authRatePerAddress,
    webRoot: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    designRoot: fileURLToPath(new URL('../../../design', import.meta.url)),
    pagesRoot: fileURLToPath(new URL('../../api/public', import.meta.url)),
  })
  const stopOperator = await listenForOperator(
    config.dataFolder,
    (request, print) =>
      runOperation(request, { accounts, tell: bus.sendControl, noticesChanged: notices.refresh, print }),
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
    warn: log.warn,
  })
  const sweeping = setInterval(
    () =>
      void leases.have('sweeps', accounts.sweep).catch((error) => log.error('The sweep failed.', { error })),
    SWEEP_EVERY_MS,
  )

  if (billing) {
    for (const accountId of await accounts.applyKnownPrices(billing.provider, billing.planOf)) {
      log.info('Applied payments that had been reported for a price without a plan.', { accountId })
      await bus.sendControl({ type: 'planChanged', accountId })
    }
  }

  let mailsClosed = Promise.resolve()
  return {
    app,
    hasMailbox: mailbox !== undefined,
    start() {
      planClock.start()
      notices.start()
      mailSender.start()
    },
    async stopWork() {
      clearInterval(sweeping)
      mailsClosed = mailSender.close()
      await notices.stop()
      await planClock.stop()
      // Left alone they free themselves.
      await leases.free().catch(() => {})
    },
    async close() {
      await Promise.all([app.close(), stopOperator(), mailsClosed])
      await mail.close()
    },
  }
}
