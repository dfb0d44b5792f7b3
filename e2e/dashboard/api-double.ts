import type { CDPSession, Page } from 'playwright-core'
import { historyAnswer } from './history-answers.ts'

/** A call that a page made to the API. */
type Call = Readonly<{
  /** Method and path, `POST /api/login`. */
  name: string
  body: unknown
  headers: Readonly<Record<string, string>>
}>

/** A status (200) with a body, or a document in its place, and the service's time if its clock matters. */
type Answered = Readonly<{ status?: number; body?: unknown; html?: string; date?: string }>

/** The double's answer, none at all, none until the page times out, or what the service itself says. */
type Answer = Answered | 'away' | 'silent' | 'from the service'

type Answerer = Answer | ((call: Call) => Answer | Promise<Answer>)

/** The API of one page, with answers set by the test. */
export type ApiDouble = Readonly<{
  /** Every call so far, in order. */
  calls: readonly Call[]
  /** Answers `name` like this from now on, `*` every call. */
  answer(name: string, answerer: Answerer): void
  /** Holds the answers to `name`; the returned function releases them. */
  hold(name: string, answer: Answer): () => void
  count(name: string): number
}>

/** Of an account that the operator has suspended. */
export const SUSPENSION = { since: '2026-11-03T09:00:00Z', message: 'You resell the stream.' }

/** An account in the form of `GET /api/account`: on the free trial of Pro. */
export const TRIAL_ACCOUNT = {
  user: {
    ID: 'user-1',
    Email: 'mara@example.com',
    APIKey: 'pw_5f0c2a9e71d84b36a5e0f1c2d3b4a596',
    CreatedAt: '2026-03-14T09:00:00Z',
  },
  activeSubscription: {
    planName: 'Pro',
    isFreeTrial: true,
    willCancel: '',
    renewalDate: '2030-12-12T12:00:00Z',
    connectionLimit: 1,
  },
  hasHadFreeTrial: true,
}

/** The same account before any plan. */
export const NEW_ACCOUNT = { user: TRIAL_ACCOUNT.user, hasHadFreeTrial: false }

/** The same account with a paid plan that renews. */
export const PAID_ACCOUNT = {
  user: TRIAL_ACCOUNT.user,
  activeSubscription: { ...TRIAL_ACCOUNT.activeSubscription, planName: 'Basic', isFreeTrial: false },
  paidSubscription: { planName: 'Basic', forbidManageSubscription: false },
  hasHadFreeTrial: true,
}

/** An endpoint in the form of `GET /v1/webhooks`: level with the stream. */
export const aWebhook = (changes: object = {}) => ({
  id: 'wh_4Kq8',
  url: 'https://hooks.example.com/pairwire',
  kind: 'swap',
  params: { include: { usdValue: 10_000 } },
  maxEvents: 25,
  maxWaitMs: 250,
  state: 'on',
  createdAt: '2026-11-20T09:00:00Z',
  counters: { delivered: 48, events: 1_204, failed: 0, deadLetters: 0 },
  lastAttempt: { at: new Date(Date.now() - 12_000).toISOString(), status: 200, ms: 34, error: null },
  behindMs: 0,
  ...changes,
})

const CONFIG = {
  simulated: false,
  production: false,
  captcha: { provider: 'altcha' },
  statusUrl: '/status',
  supportEmail: 'support@example.com',
  links: {
    discord: 'https://discord.example/',
    github: 'https://github.example/',
    x: 'https://x.example/',
    reddit: 'https://reddit.example/',
  },
}

/** Answers every call of `page` to the API of `origin` instead of the service. Calls without an answer here get 404. */
export async function doubleApi(
  page: Page,
  origin: string,
  options: { account?: unknown; config?: object } = {},
): Promise<ApiDouble> {
  const calls: Call[] = []
  const answers = new Map<string, Answerer>([
    ['GET /frame/code-examples', { html: '<!doctype html><title>Code examples</title>' }],
    // Must be real to be solved.
    ['GET /api/captcha', 'from the service'],
    ['GET /api/config', { body: { ...CONFIG, ...options.config } }],
    ['GET /api/systemstatus', { body: [] }],
    ['GET /api/account', { body: options.account ?? TRIAL_ACCOUNT }],
    ['GET /api/history', { body: historyAnswer() }],
    ['GET /api/history/orders', { body: [] }],
    ['GET /v1/webhooks', { body: { webhooks: [], limit: 10 } }],
    ['POST /api/login', { body: { ok: true } }],
    ['POST /api/register', { body: { ok: true } }],
    ['POST /api/logout', { body: {} }],
    ['POST /api/authenticate', { body: { token: sessionToken() } }],
  ])

  const session = await page.context().newCDPSession(page)
  session.on('Fetch.requestPaused', async ({ requestId, request }) => {
    const name = `${request.method} ${new URL(request.url).pathname}`
    const headers = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])
    const body = request.postData ? JSON.parse(request.postData) : null
    const call: Call = { name, body, headers: Object.fromEntries(headers) }
    calls.push(call)
    const answerer = answers.get('*') ??
      answers.get(name) ?? {
        status: 404,
        body: { errorType: 'ERR_NOT_FOUND', errorMessage: 'There is no such call.' },
      }
    const answer = typeof answerer === 'function' ? await answerer(call) : answerer
    // It may have timed out, left or been closed.
    await give(session, requestId, answer).catch(() => {})
  })
  // Not by `page.route`, which stops every request of the page and switches its cache off: half of a visit.
  await session.send('Fetch.enable', {
    patterns: ['/api/*', '/v1/*', '/frame/code-examples*'].map((path) => ({ urlPattern: origin + path })),
  })

  return {
    calls,
    answer: (name, answerer) => void answers.set(name, answerer),
    hold: (name, answer) => {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      answers.set(name, async () => {
        await released
        return answer
      })
      return release
    },
    count: (name) => calls.filter((call) => call.name === name).length,
  }
}

/** A token that is valid for an hour, or expired an hour ago; no service would accept its signature. */
export function sessionToken(validity: 'valid' | 'expired' = 'valid'): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const hour = validity === 'valid' ? 3_600 : -3_600
  return `${part({ alg: 'HS256' })}.${part({ sub: 'user-1', exp: Math.floor(Date.now() / 1_000) + hour })}.x`
}

/**
 * Signs somebody in at `url` before the first document of `page` runs, and never again. The browser would open another page
 * to restore a storage, which takes a quarter of a visit.
 */
export async function signIn(page: Page, url: string, token = sessionToken()): Promise<void> {
  await page.addInitScript(
    ([origin, token]) => {
      if (location.origin !== origin || sessionStorage.getItem('test.signedIn')) return
      sessionStorage.setItem('test.signedIn', 'yes')
      localStorage.setItem('token', token!)
    },
    [url, token],
  )
}

async function give(session: CDPSession, requestId: string, answer: Answer): Promise<void> {
  if (answer === 'silent') return
  if (answer === 'away') {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionRefused' })
  } else if (answer === 'from the service') await session.send('Fetch.continueRequest', { requestId })
  else {
    const { status = 200, body = { ok: true }, html, date } = answer
    const headers = { 'content-type': html ? 'text/html' : 'application/json', ...(date ? { date } : {}) }
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: status,
      responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
      body: Buffer.from(html ?? JSON.stringify(body)).toString('base64'),
    })
  }
}
