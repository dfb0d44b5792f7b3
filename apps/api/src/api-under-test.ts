import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Accounts, LoginToken } from '@pairwire/accounts'
import { type Account, AppError, type ControlMessage, type PlanId, planById } from '@pairwire/contract'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createAltchaCaptcha } from './adapters/captcha-altcha.ts'
import { createDevMail, type Mailbox } from './adapters/mail-dev.ts'
import { createApi } from './app.ts'
import type { ApiParts, SourceState } from './parts.ts'

/** The real app over accounts in memory, with what a test looks at. */
export type ApiUnderTest = Readonly<{
  app: FastifyInstance
  /** Control messages sent to the gateways. */
  sent: ControlMessage[]
  mailbox: Mailbox
  /** Lines of the log, as text. */
  logged: string[]
  accounts: Accounts
  clock: { now: number }
  source: { -readonly [Member in keyof SourceState]: SourceState[Member] }
  /** Registers and signs in; gives the session's token. */
  signIn(email?: string): Promise<string>
  register(over?: Record<string, unknown>): Promise<LightMyRequestResponse>
  /** A solved captcha, as the dashboard sends it. */
  captchaToken(): Promise<string>
}>

/** Secret of the sessions that the app under test signs. */
export const SESSION_SECRET = new Uint8Array(32).fill(7)

/** Builds the app; `over` replaces parts. Limits on calls are wide unless a test narrows them. */
export async function createApiUnderTest(over: Partial<ApiParts> = {}): Promise<ApiUnderTest> {
  const clock = { now: Date.now() }
  const sent: ControlMessage[] = []
  const logged: string[] = []
  const log = (sentence: string, fields?: unknown) =>
    void logged.push(`${sentence} ${JSON.stringify(fields ?? {})}`)
  const accounts = over.accounts ?? createMemoryAccounts(() => clock.now)
  const mailbox = createDevMail({ clock: () => clock.now, print: () => {} })
  const source: ApiUnderTest['source'] = {
    up: true,
    lagMs: 800,
    latestBlock: 398_214_771,
    events: { pumpfun: { newPairs: 3, swaps: 120 } },
    eventsPerSecond: 51,
  }

  const app = await createApi({
    accounts,
    bus: { sendControl: async (message) => void sent.push(message) },
    mail: mailbox,
    mailbox,
    captcha: createAltchaCaptcha({
      secret: SESSION_SECRET,
      clock: () => clock.now,
      use: accounts.useCaptcha,
    }),
    clock: () => clock.now,
    log: { info: log, warn: log, error: log },
    sessionSecret: SESSION_SECRET,
    publicUrl: 'http://localhost:23000',
    production: false,
    simulated: true,
    streamUrl: 'ws://localhost:23000/',
    statusUrl: '/status',
    supportEmail: 'support@pairwire.example',
    links: {
      discord: 'https://discord.example/',
      github: 'https://github.example/',
      x: 'https://x.example/',
      reddit: 'https://reddit.example/',
    },
    sourceState: () => source,
    gatewayStats: () => ({ connections: 2, totals: { notificationsSent: 1_234 } }),
    health: () => ({ database: true, source: true }),
    ready: () => true,
    trustProxy: [],
    authRatePerAddress: 1_000,
    webRoot: createWebRoot(),
    designRoot: fileURLToPath(new URL('../../../design', import.meta.url)),
    pagesRoot: fileURLToPath(new URL('../public', import.meta.url)),
    ...over,
  })

  const captchaToken = async () => {
    const challenge = (await app.inject('/api/captcha')).json()
    const solution = await solveChallenge({ challenge, deriveKey })
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
  }
  const register = async (over: Record<string, unknown> = {}) =>
    app.inject({
      method: 'POST',
      url: '/api/register',
      payload: {
        email: 'mara@example.com',
        origin: 'friend',
        enable_marketing_emails: false,
        recaptcha_token: await captchaToken(),
        ...over,
      },
    })
  const signIn = async (email = 'mara@example.com') => {
    await register({ email })
    const emailToken = new URL(mailbox.list()[0]!.link).searchParams.get('t')
    const answer = await app.inject({
      method: 'POST',
      url: '/api/authenticate',
      payload: { email_token: emailToken },
    })
    return answer.json().token
  }
  return { app, sent, mailbox, logged, accounts, clock, source, signIn, register, captchaToken }
}

/** A folder shaped like the built web app. */
function createWebRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'pairwire-web-'))
  mkdirSync(join(root, 'assets'))
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>Pairwire</title><div id="root"></div>')
  writeFileSync(join(root, 'theme.js'), '// theme')
  writeFileSync(join(root, 'assets/index-abc123.js'), 'export {}')
  writeFileSync(join(root, 'assets/index-abc123.js.br'), 'brotli bytes')
  return root
}

/** The rules of accounts as far as the HTTP side shows them, kept in memory. */
function createMemoryAccounts(clock: () => number): Accounts {
  type Person = {
    id: string
    email: string
    key: string
    plan: PlanId | undefined
    hadTrial: boolean
    paid: boolean
  }
  const people = new Map<string, Person>()
  const tokens = new Map<string, { accountId: string; expiresAt: number }>()
  const captchas = new Set<string>()
  const notices: { Details: string }[] = []
  let count = 0

  const byEmail = (email: string) =>
    [...people.values()].find((person) => person.email === email.toLowerCase())
  const insist = (accountId: string) => {
    const person = people.get(accountId)
    if (!person) throw new AppError('ERR_LOGIN_REQUIRED')
    return person
  }
  const tokenFor = (person: Person): LoginToken => {
    const token = `token-${++count}-${'x'.repeat(30)}`
    const expiresAt = clock() + 15 * 60_000
    tokens.set(token, { accountId: person.id, expiresAt })
    return { email: person.email, token, expiresAt: new Date(expiresAt) }
  }
  const asAccount = (person: Person): Account => ({
    user: { ID: person.id, Email: person.email, APIKey: person.key, CreatedAt: new Date(0).toISOString() },
    ...(person.plan && {
      activeSubscription: {
        planName: planById(person.plan)!.name,
        isFreeTrial: !person.paid,
        willCancel: '',
        renewalDate: '',
        connectionLimit: 1,
      },
    }),
    hasHadFreeTrial: person.hadTrial,
  })
  const add = (email: string): Person => {
    const id = `account-${++count}`
    const person = {
      id,
      email: email.toLowerCase(),
      key: `key-${count}`,
      plan: undefined,
      hadTrial: false,
      paid: false,
    }
    people.set(id, person)
    return person
  }
  const notHere = () => Promise.reject(new Error('not a call of the HTTP side'))

  return {
    async register({ email }) {
      if (email.endsWith('@blocked.example')) throw new AppError('BLOCKED_EMAIL_DOMAIN')
      if (byEmail(email)) throw new AppError('ERR_CONFLICT')
      return tokenFor(add(email))
    },
    async requestLogin(email) {
      const person = byEmail(email)
      if (!person) throw new AppError('ERR_LOGIN_REQUIRED')
      return tokenFor(person)
    },
    async exchangeLoginToken(token) {
      const known = tokens.get(token)
      tokens.delete(token)
      if (!known || known.expiresAt <= clock()) throw new AppError('ERR_LOGIN_REQUIRED')
      return { accountId: known.accountId }
    },
    getAccount: async (accountId) => asAccount(insist(accountId)),
    async resetKey(accountId) {
      const person = insist(accountId)
      person.key = `key-${++count}`
      return asAccount(person)
    },
    async startTrial(accountId, planId) {
      const person = insist(accountId)
      if (person.paid) throw new AppError('SUBSCRIPTION_EXISTS')
      if (person.hadTrial) throw new AppError('TRIAL_USED')
      person.plan = planId
      person.hadTrial = true
      return asAccount(person)
    },
    async deleteAccount(accountId) {
      if (insist(accountId).paid) throw new AppError('ACTIVE_SUBSCRIPTION')
      people.delete(accountId)
    },
    async grantPlan(email, planId) {
      const person = byEmail(email)
      if (!person) throw new AppError('ERR_NOT_FOUND')
      person.plan = planId ?? undefined
      person.paid = planId !== null
      return { accountId: person.id, account: asAccount(person) }
    },
    listStatus: async () => notices,
    addStatus: async (details) => void notices.unshift({ Details: details }),
    clearStatus: async () => void notices.splice(0),
    useCaptcha: async (signature) => !captchas.has(signature) && Boolean(captchas.add(signature)),
    sweep: async () => {},
    authorizeKey: notHere,
    authorizeAccount: notHere,
    recordDelivered: notHere,
    createAccount: notHere,
    findAccount: notHere,
  }
}
