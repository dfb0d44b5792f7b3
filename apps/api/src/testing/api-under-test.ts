import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Accounts, createAccounts, type Database } from '@pairwire/accounts'
import { copyPgliteTemplate } from '@pairwire/accounts/testing/pglite-folders'
import { createInProcessBus, NoAnswerError } from '@pairwire/bus'
import type { ControlMessage, SourceState } from '@pairwire/contract'
import { metricTable, PAIRWIRE } from '@pairwire/process'
import { createPublicPost } from '@pairwire/public-fetch'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { expect, inject, onTestFinished } from 'vitest'
import { createSandboxBilling, type SandboxBilling } from '../adapters/billing-sandbox.ts'
import { createAltchaCaptcha } from '../adapters/captcha-altcha.ts'
import type { Mail } from '../adapters/mail.ts'
import { createDevMail, type Mailbox } from '../adapters/mail-dev.ts'
import { createApi } from '../app.ts'
import { createLeases } from '../leases.ts'
import { MailSender } from '../mail-sender.ts'
import { createNoticeBoard } from '../notice-board.ts'
import { createDoctor } from '../operator/doctor/check.ts'
import { createMoneyNow } from '../operator/money-now.ts'
import { type DocsSite, drawDocs } from '../pages/docs/draw-docs.ts'
import { openApi } from '../pages/specs/openapi.ts'
import type { ApiParts } from '../parts.ts'
import { createWebhookCounts } from '../webhook-counts.ts'
import { emptyTestDatabase, openTestDatabase, TEST_SECRETS } from './test-database.ts'

/** The real app over real accounts in the embedded database, with what a test inspects. */
export type ApiUnderTest = Readonly<{
  app: FastifyInstance
  /** What the app is made of, which the operator's tool takes too. */
  parts: ApiParts
  accounts: Accounts
  mailbox: Mailbox
  /** The payment provider, unless the test brings another. */
  sandbox: SandboxBilling
  /** Control messages sent to the gateways. */
  sent: ControlMessage[]
  /** Lines of the log, as text. */
  logged: string[]
  /** `setBackMs` is how far the wall clock was set back, which does not affect the elapsed time. */
  clock: { now: number; setBackMs: number }
  /** Rereads the operator's notices, as the service does after the operator changes them. */
  refreshNotices(): Promise<void>
  source: { -readonly [Member in keyof SourceState]: SourceState[Member] }
  /** An email that no other test uses. */
  email: string
  /** A successful register call, except for changes in `over`; its mail has been sent. */
  register(over?: Record<string, unknown>): Promise<LightMyRequestResponse>
  /** Registers, opens the mail's link and returns the session's token. */
  signIn(): Promise<string>
  post(path: string, body?: object, token?: string): Promise<LightMyRequestResponse>
  /** A solved captcha, as the dashboard sends it. */
  captchaToken(): Promise<string>
  /** Waits until the mails queued so far have been tried. */
  mailsSettled(): Promise<void>
}>

/** For tests of pages: no notices, and a bug if a test does need accounts. Opens no database. */
export const NO_ACCOUNTS: Accounts = new Proxy({} as Accounts, {
  get: (_target, verb) => async () => {
    if (verb === 'listNotices') return []
    throw new Error(`accounts.${String(verb)} is not part of this test`)
  },
})

/** The base address of links in mails. */
const PUBLIC_URL = 'http://localhost:23000'
const STREAM_URL = 'ws://localhost:23000/'
const SUPPORT_EMAIL = 'support@pairwire.example'
const PAGES_ROOT = fileURLToPath(new URL('../../public', import.meta.url))
const DOCS_ROOT = fileURLToPath(new URL('../../../../docs/site', import.meta.url))

/** The docs have hundreds of routes, a third of what an app costs: tests of pages ask for them. */
const NO_DOCS: DocsSite = { pages: [], texts: {} as DocsSite['texts'] }

let drawn: DocsSite | undefined

/** The docs, drawn once for all tests of a process. */
export function theDocs(): DocsSite {
  drawn ??= drawDocs({
    publicUrl: PUBLIC_URL,
    streamUrl: STREAM_URL,
    supportEmail: SUPPORT_EMAIL,
    brand: PAIRWIRE,
    pagesRoot: PAGES_ROOT,
    docsRoot: DOCS_ROOT,
  })
  return drawn
}

/** Sleeps until it is woken: nothing here retries by itself, and a slow machine is waited for. */
const restUntilWoken = (_milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Secret of the sessions that the app under test signs. */
export const SESSION_SECRET = new Uint8Array(32).fill(7)

const { paths } = openApi({ publicUrl: PUBLIC_URL, brand: PAIRWIRE }) as {
  paths: Record<string, Record<string, { responses: object }>>
}

/** Guards openapi.json in every test: a call gives no answer that is not in it. */
function checkAnswers(app: FastifyInstance): void {
  const inject = app.inject.bind(app)
  const checked = async (given: InjectOptions | string) => {
    const { url, method = 'GET' } = typeof given === 'string' ? { url: given } : given
    const answer = await inject(given)
    const call = paths[String(url).split('?')[0]!]?.[method.toLowerCase()]
    if (call) expect(Object.keys(call.responses), `${method} ${url}`).toContain(String(answer.statusCode))
    return answer
  }
  app.inject = checked as typeof app.inject
}

/** Builds the app; `over` replaces parts. Limits on calls are wide unless a test narrows them. */
export async function createApiUnderTest({
  mail,
  ...over
}: Partial<ApiParts> & {
  /** Receives mails instead of the mailbox. */
  mail?: Mail
} = {}): Promise<ApiUnderTest> {
  const clock = { now: Date.now(), setBackMs: 0 }
  const elapsed = () => clock.now + clock.setBackMs
  const sent: ControlMessage[] = []
  const logged: string[] = []
  const say = (sentence: string, fields?: unknown) =>
    void logged.push(`${sentence} ${JSON.stringify(fields ?? {})}`)
  const log = { info: say, warn: say, error: say }
  const accounts = over.accounts ?? (await openTestAccounts(() => clock.now))
  const mailbox = createDevMail({ clock: () => clock.now, print: () => {} })
  const sandbox = createSandboxBilling({ secret: SESSION_SECRET, clock: () => clock.now, warn: say })
  const mailSender = over.accounts
    ? undefined
    : new MailSender({
        accounts,
        leases: createLeases(accounts),
        mail: mail ?? mailbox,
        publicUrl: PUBLIC_URL,
        clock: { now: () => clock.now, elapsed, wait: restUntilWoken },
        log,
      })
  mailSender?.start()
  onTestFinished(async () => mailSender?.close())
  const source: ApiUnderTest['source'] = {
    up: true,
    lagMs: 800,
    latestBlock: 398_214_771,
    lags: { bounds: [500, 1_000], counts: [90, 30, 3], sum: 60_000 },
    events: { pumpfun: { newPairs: 3, swaps: 120, buys: 70 } },
    eventsPerSecond: 51,
    totals: { blocks: 40 },
    refusals: { 'raydium truncated': 2 },
    solPrice: { usdPerSol: null, ageSeconds: null, spread: null, pools: [] },
  }

  const notices = createNoticeBoard({
    accounts,
    clock: { now: () => clock.now, after: () => () => {} },
    log,
  })
  await notices.refresh()

  const parts: ApiParts = {
    accounts,
    notices,
    elapsed,
    doctor: createDoctor({}, { whySkipped: 'Nothing is checked here.', secrets: [] }),
    bus: { sendControl: async (message) => void sent.push(message) },
    stream: createInProcessBus({ maxBytes: 1_000_000 }),
    posting: createPublicPost({ own: [PUBLIC_URL], isLocal: true }),
    archiver: {
      request: async (subject) => {
        throw new NoAnswerError(subject, 'nobody')
      },
    },
    mailbox,
    mailsSettled: async () => mailSender?.settled(),
    captcha: createAltchaCaptcha({
      secret: SESSION_SECRET,
      clock: () => clock.now,
      use: accounts.useCaptcha,
      mostTries: 3,
    }),
    billing: sandbox,
    sandbox,
    clock: () => clock.now,
    log,
    sessionSecret: SESSION_SECRET,
    publicUrl: PUBLIC_URL,
    noticesChanged: notices.refresh,
    adminAllow: undefined,
    adminUrl: undefined,
    alarmUrl: undefined,
    production: false,
    isLocal: true,
    metricsToken: undefined,
    simulated: true,
    streamUrl: STREAM_URL,
    statusUrl: '/status',
    supportEmail: SUPPORT_EMAIL,
    registration: 'open',
    brand: PAIRWIRE,
    links: {
      discord: 'https://discord.example/',
      github: 'https://github.example/',
      x: 'https://x.example/',
      reddit: 'https://reddit.example/',
    },
    thirdParties: {},
    sourceState: () => source,
    webhooks: createWebhookCounts(),
    moneyNow: createMoneyNow({ accounts, clock: () => clock.now }),
    metrics: [
      metricTable(
        [{ name: 'pairwire_source_up', help: '1 while blocks come in.', read: ({ up }) => Number(up) }],
        () => source,
      ),
    ],
    openStreams: async () => ({ open: [], missing: [] }),
    listConnections: async () => ({ rows: [], missing: [] }),
    listProcesses: async () => [],
    lookUpTokens: async () => ({}),
    archive: undefined,
    sourceKind: 'simulator',
    hasPlaces: true,
    health: () => ({ database: true, source: true }),
    diskFreeBytes: () => 5_000_000_000,
    ready: () => true,
    statusFile: undefined,
    logoFolder: undefined,
    trustProxy: [],
    authRatePerAddress: 10_000,
    webRoot,
    adminRoot,
    sdkRoot,
    designRoot: fileURLToPath(new URL('../../../../design', import.meta.url)),
    pagesRoot: PAGES_ROOT,
    docs: NO_DOCS,
    ...over,
  }
  const app = await createApi(parts)
  checkAnswers(app)

  const email = `mara-${randomUUID()}@example.com`
  const post: ApiUnderTest['post'] = (url, body, token) =>
    app.inject({
      method: 'POST',
      url,
      ...(body && { payload: body }),
      headers: token ? { authorization: `Bearer ${token}` } : {},
    })
  const captchaToken = async () => {
    const challenge = (await app.inject('/api/captcha')).json()
    const solution = await solveChallenge({ challenge, deriveKey })
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
  }
  const register = async (over: Record<string, unknown> = {}) => {
    const answer = await post('/api/register', {
      email,
      origin: 'friend',
      enable_marketing_emails: false,
      recaptcha_token: over.recaptcha_token ?? (await captchaToken()),
      ...over,
    })
    await mailSender?.settled()
    return answer
  }
  const signIn = async () => {
    await register()
    const email_token = new URL(mailbox.list()[0]!.link).searchParams.get('t')!
    return (await post('/api/authenticate', { email_token })).json().token
  }
  return {
    app,
    parts,
    accounts,
    mailbox,
    sandbox,
    sent,
    logged,
    clock,
    refreshNotices: notices.refresh,
    source,
    email,
    register,
    signIn,
    post,
    captchaToken,
    mailsSettled: parts.mailsSettled,
  }
}

let shared: Promise<ApiUnderTest> | undefined

/** One app with docs for all tests of a process that only read; each has a minute for itself, since requests per address are limited. */
export async function theApp(): Promise<FastifyInstance> {
  shared ??= createApiUnderTest({ accounts: NO_ACCOUNTS, docs: theDocs() })
  const { app, clock } = await shared
  clock.now += 60_000
  return app
}

/** The folder of this process. */
const folder = mkdtempSync(join(inject('runFolder'), 'worker-'))
const webRoot = createWebRoot()
const sdkRoot = createSdkRoot()
const adminRoot = createAdminRoot()

/** A folder like the built room. */
function createAdminRoot(): string {
  const root = join(folder, 'room')
  mkdirSync(join(root, 'assets'), { recursive: true })
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>Operator’s room</title>')
  writeFileSync(join(root, 'first.js'), '// first')
  writeFileSync(join(root, 'assets/index-abc123.js'), 'export {}')
  return root
}

/** A folder like the built web app. */
function createWebRoot(): string {
  const root = join(folder, 'web')
  mkdirSync(join(root, 'assets'), { recursive: true })
  writeFileSync(
    join(root, 'index.html'),
    '<!doctype html><meta property="og:image" content="/card.png" /><div id="root"></div>',
  )
  writeFileSync(join(root, 'theme.js'), '// theme')
  writeFileSync(join(root, 'assets/index-abc123.js'), 'export {}')
  writeFileSync(join(root, 'assets/index-abc123.js.br'), 'brotli bytes')
  writeFileSync(join(root, 'assets/frame-abc123.css'), 'p{}')
  writeFileSync(join(root, 'assets/instrument-sans-latin-wght-normal-abc123.woff2'), 'a face')
  return root
}

/** A folder like the built SDK. */
function createSdkRoot(): string {
  const root = join(folder, 'sdk')
  mkdirSync(root)
  const files = Object.entries({
    'pairwire-client.tgz': 'a package',
    'pairwire.js': 'export {}',
    'pairwire.py': 'pass',
  })
  for (const [name, text] of files) writeFileSync(join(root, name), text)
  const list = files.map(([name, text]) => ({
    ...{ name, bytes: text.length },
    sha256: createHash('sha256').update(text).digest('hex'),
  }))
  writeFileSync(join(root, 'index.json'), JSON.stringify({ version: '0.2.0', files: list }))
  return root
}

let opened: Promise<Database> | undefined
let emptied: { for: string | undefined; done: Promise<void> } | undefined

/**
 * Accounts over the one embedded database of this process, since each costs seconds of a core: the tests of a file share its
 * content, and each file finds it empty.
 */
export async function openTestAccounts(clock: () => number): Promise<Accounts> {
  opened ??= copyPgliteTemplate(join(folder, 'database')).then(openTestDatabase)
  const { db, barrier } = await opened
  const file = expect.getState().testPath
  if (emptied?.for !== file) emptied = { for: file, done: emptyTestDatabase(db) }
  await emptied?.done
  const accounts = createAccounts({ db, barrier, clock, secrets: TEST_SECRETS })
  await accounts.clearStatus()
  return accounts
}
