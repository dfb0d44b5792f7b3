// `npm run states -- <folder> [name]`: pictures of every screen of the dashboard in every state, light and dark, at 1440,
// 390 and 320 px, to look at. The service is real, the API's answers are set. Reports the faults of each: accessibility, content
// policy, script errors, sideways scroll.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HOUR_MS } from '../packages/contract/src/time-units.ts'
import { findFaults, launchBrowser, openPage, type WatchedPage } from './browser.ts'
import {
  type ApiDouble,
  aWebhook,
  doubleApi,
  NEW_ACCOUNT,
  PAID_ACCOUNT,
  signIn,
  TRIAL_ACCOUNT,
} from './dashboard/api-double.ts'
import {
  historyAnswer,
  orderAnswer,
  ordersOfAllStates,
  sampleAnswer,
  trialAnswer,
} from './dashboard/history-answers.ts'
import { startService } from './service.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
] as const

type State = Readonly<{
  name: string
  path: string
  signedOut?: boolean
  account?: unknown
  /** Prepares the API's answers, and the page, before it is opened. */
  before?: (api: ApiDouble, page: WatchedPage) => void | Promise<void>
  /** Actions before the picture is taken. */
  act?: (page: WatchedPage, api: ApiDouble) => Promise<unknown>
}>

const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()

const openDialog = (name: string) => async (page: WatchedPage) => {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('dialog').waitFor()
}

const confirmDialog = (name: string) => async (page: WatchedPage) => {
  await openDialog(name)(page)
  await page.getByRole('dialog').getByRole('button', { name }).click()
}

const press = (name: string) => (page: WatchedPage) => page.getByRole('button', { name }).last().click()

const GRANTED_ACCOUNT = {
  ...PAID_ACCOUNT,
  paidSubscription: { planName: 'Basic', forbidManageSubscription: true },
}

const CANCELLED_ACCOUNT = {
  ...PAID_ACCOUNT,
  activeSubscription: { ...PAID_ACCOUNT.activeSubscription, willCancel: ago(-24 * 9) },
}

const USED_TRIAL_ACCOUNT = { ...NEW_ACCOUNT, hasHadFreeTrial: true }

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwfKQ9r8GKYqr='

const STATES: readonly State[] = [
  { name: 'login', path: '/dashboard/login', signedOut: true },
  { name: 'login-fault', path: '/dashboard/login', signedOut: true, act: press('Send login link') },
  {
    name: 'login-unknown',
    path: '/dashboard/login',
    signedOut: true,
    before: refuse('POST /api/login', 401),
    act: logIn,
  },
  {
    name: 'login-failed',
    path: '/dashboard/login',
    signedOut: true,
    before: refuse('POST /api/login', 500),
    act: logIn,
  },
  {
    name: 'login-busy',
    path: '/dashboard/login',
    signedOut: true,
    before: (api) => void api.hold('POST /api/login', {}),
    act: async (page) => {
      await logIn(page)
      await page.waitForTimeout(400)
    },
  },
  {
    name: 'login-sent',
    path: '/dashboard/login',
    signedOut: true,
    act: async (page) => {
      await logIn(page)
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    },
  },
  {
    name: 'login-exchanging',
    path: '/dashboard/login?t=mailed',
    signedOut: true,
    before: (api) => void api.hold('POST /api/authenticate', {}),
  },
  {
    name: 'login-spent',
    path: '/dashboard/login?t=spent',
    signedOut: true,
    before: refuse('POST /api/authenticate', 401),
    act: (page) => page.getByText('Invalid email. Please try again...').first().waitFor(),
  },
  { name: 'register', path: '/dashboard/register', signedOut: true },
  { name: 'register-email', path: '/dashboard/register', signedOut: true, act: press('Register') },
  {
    name: 'register-terms',
    path: '/dashboard/register',
    signedOut: true,
    act: async (page) => {
      await page.getByLabel('Email').first().fill('mara@example.com')
      await page.getByLabel('How did you find us?').selectOption('friend')
      await press('Register')(page)
    },
  },
  {
    name: 'register-conflict',
    path: '/dashboard/register',
    signedOut: true,
    before: refuse('POST /api/register', 409),
    act: async (page) => {
      await register(page)
      await page.getByText('Email already registered. Please try again...').first().waitFor()
    },
  },
  {
    name: 'register-captcha',
    path: '/dashboard/register',
    signedOut: true,
    before: refuse('GET /api/captcha', 500),
    act: async (page) => {
      await register(page)
      await page.getByText('Recaptcha not loaded').first().waitFor()
    },
  },
  { name: 'register-sent', path: '/dashboard/register', signedOut: true, act: register },

  {
    name: 'account-trial',
    path: '/dashboard/account',
    account: TRIAL_ACCOUNT,
    before: (api) => tellUsage(api),
  },
  { name: 'account-trial-no-usage', path: '/dashboard/account', account: TRIAL_ACCOUNT },
  {
    name: 'account-active',
    path: '/dashboard/account',
    account: PAID_ACCOUNT,
    before: (api) => tellUsage(api),
  },
  {
    name: 'account-faces',
    path: '/dashboard/account',
    account: PAID_ACCOUNT,
    before: (api) => tellUsage(api, { isOfAllFaces: true }),
  },
  {
    name: 'account-faces-table',
    path: '/dashboard/account',
    account: PAID_ACCOUNT,
    before: (api) => tellUsage(api, { isOfAllFaces: true }),
    act: press('Show as table'),
  },
  {
    name: 'account-cancelled',
    path: '/dashboard/account',
    account: CANCELLED_ACCOUNT,
    before: (api) => tellUsage(api),
  },
  {
    name: 'account-granted',
    path: '/dashboard/account',
    account: GRANTED_ACCOUNT,
    before: (api) => tellUsage(api),
  },
  { name: 'account-none', path: '/dashboard/account', account: NEW_ACCOUNT, before: tellNoUsage },
  { name: 'account-ended', path: '/dashboard/account', account: USED_TRIAL_ACCOUNT, before: tellNoUsage },
  {
    name: 'account-subscribed',
    path: '/dashboard/account?s=subscription',
    account: PAID_ACCOUNT,
    before: (api) => tellUsage(api),
  },
  {
    name: 'account-banners',
    path: '/dashboard/account',
    before: (api) => {
      tellUsage(api)
      api.answer('GET /api/systemstatus', {
        body: [{ Details: 'Swaps of one exchange are late; we are on it.' }],
      })
    },
    act: confirmDialog('Disconnect All'),
  },
  {
    name: 'account-loading',
    path: '/dashboard/account',
    before: (api) => void api.hold('GET /api/account', {}),
    act: (page) => page.waitForTimeout(600),
  },
  {
    name: 'account-away',
    path: '/dashboard/account',
    before: (api) => api.answer('GET /api/account', 'away'),
  },
  {
    name: 'account-manage-failed',
    path: '/dashboard/account',
    account: PAID_ACCOUNT,
    before: refuse('GET /api/subscription/manage', 500),
    act: press('Manage Plan'),
  },
  {
    name: 'account-webhooks',
    path: '/dashboard/account?webhook=',
    before: tellWebhooks,
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Manage/ })
        .nth(1)
        .click()
      await page.getByText('Its answer').first().click()
    },
  },
  {
    name: 'account-webhooks-form',
    path: '/dashboard/account?webhook={"method":"swapSubscribe","params":{"include":{"usdvalue":"x"}}}',
    act: async (page) => {
      await page.getByRole('button', { name: 'Create endpoint' }).click()
      await page.getByText('Enter the address').waitFor()
    },
  },
  {
    name: 'account-webhooks-secret',
    path: '/dashboard/account?webhook={"method":"newPairSubscribe"}',
    before: (api) =>
      api.answer('POST /v1/webhooks', { status: 201, body: { ...aWebhook(), secret: SECRET } }),
    act: async (page) => {
      await page.getByLabel('Address').fill('https://hooks.example.com/')
      await page.getByRole('button', { name: 'Create endpoint' }).click()
      await page.getByText(SECRET).waitFor()
    },
  },
  {
    name: 'account-webhooks-away',
    path: '/dashboard/account?webhook=',
    before: refuse('GET /v1/webhooks', 503),
  },
  { name: 'dialog-disconnect', path: '/dashboard/account', act: openDialog('Disconnect All') },
  { name: 'dialog-reset', path: '/dashboard/account', act: openDialog('Reset Key') },
  { name: 'dialog-delete', path: '/dashboard/account', act: openDialog('Delete Account') },
  { name: 'dialog-everywhere', path: '/dashboard/account', act: openDialog('Sign out everywhere') },
  {
    name: 'dialog-everywhere-failed',
    path: '/dashboard/account',
    before: refuse('POST /api/logoutall', 500),
    act: confirmDialog('Sign out everywhere'),
  },
  {
    name: 'dialog-busy',
    path: '/dashboard/account',
    before: (api) => void api.hold('DELETE /api/account/delete', {}),
    act: async (page) => {
      await confirmDialog('Delete Account')(page)
      await page.waitForTimeout(400)
    },
  },
  {
    name: 'dialog-failed',
    path: '/dashboard/account',
    before: (api) =>
      api.answer('DELETE /api/account/delete', {
        status: 400,
        body: {
          errorType: 'ACTIVE_SUBSCRIPTION',
          errorMessage: 'Your subscription is active. Cancel it first, then delete the account.',
        },
      }),
    act: confirmDialog('Delete Account'),
  },
  { name: 'account-deleted', path: '/dashboard/account', act: confirmDialog('Delete Account') },

  { name: 'upgrade-trial', path: '/dashboard/upgrade', account: NEW_ACCOUNT },
  { name: 'upgrade-used', path: '/dashboard/upgrade', account: USED_TRIAL_ACCOUNT },
  { name: 'upgrade-paid', path: '/dashboard/upgrade', account: PAID_ACCOUNT },
  { name: 'upgrade-cancelled', path: '/dashboard/upgrade', account: CANCELLED_ACCOUNT },
  { name: 'upgrade-granted', path: '/dashboard/upgrade', account: GRANTED_ACCOUNT },
  {
    name: 'upgrade-loading',
    path: '/dashboard/upgrade',
    before: (api) => void api.hold('GET /api/account', {}),
    act: (page) => page.waitForTimeout(600),
  },
  {
    name: 'upgrade-failed',
    path: '/dashboard/upgrade',
    account: NEW_ACCOUNT,
    before: refuse('POST /api/subscription/starttrial', 500),
    act: (page) => page.getByRole('button', { name: 'Start free trial' }).nth(1).click(),
  },
  { name: 'payment', path: '/dashboard/payment' },
  { name: 'historical', path: '/dashboard/historical' },
  { name: 'historical-week', path: '/dashboard/historical?d=week' },
  {
    name: 'historical-empty',
    path: '/dashboard/historical?d=day',
    before: (api) => api.answer('GET /api/history', { body: historyAnswer({ isEmpty: true }) }),
  },
  {
    name: 'historical-closed',
    path: '/dashboard/historical?d=hour',
    before: (api) =>
      api.answer('GET /api/history', {
        body: { ...historyAnswer(), reason: 'No prices are set.', offers: [], sample: null },
      }),
  },
  {
    name: 'orders-of-all-states',
    path: '/dashboard/historical/orders',
    before: (api) => {
      api.answer('GET /api/history/orders', { body: ordersOfAllStates() })
      api.answer('GET /api/history/orders/482913377', { body: orderAnswer() })
      api.answer('GET /api/history/orders/1', { body: sampleAnswer() })
    },
    act: (page) => page.getByText('Files by hour').last().click(),
  },
  { name: 'orders', path: '/dashboard/historical/orders' },
  { name: 'orders-signed-out', path: '/dashboard/historical/orders', signedOut: true },
  { name: 'guides', path: '/dashboard/guides' },
  { name: 'help', path: '/dashboard/help' },
  { name: 'help-signed-out', path: '/dashboard/help', signedOut: true },
  { name: 'console', path: '/dashboard/console' },
  {
    name: 'console-replay',
    path: '/dashboard/console',
    before: (api) => api.answer('GET /api/history/orders', { body: [orderAnswer()] }),
    act: openRequestAnd(async (page) => {
      await page.getByRole('button', { name: 'Replay an hour' }).click()
      await page.getByLabel('Hour (UTC)').waitFor()
    }),
  },
  {
    name: 'console-trial',
    path: '/dashboard/console',
    before: (api) => api.answer('POST /api/filter/try', { body: trialAnswer() }),
    act: openRequestAnd(async (page) => {
      await page.getByRole('button', { name: 'Try this filter' }).click()
      await page.getByText('By hour, and the newest matches').click()
    }),
  },
  { name: 'not-found', path: '/dashboard/nowhere', signedOut: true },
  { name: 'logout', path: '/logout', signedOut: true },
  {
    name: 'session-ended',
    path: '/dashboard/account',
    before: refuse('GET /api/account', 401),
    act: (page) => page.getByText('Your session ended.').waitFor(),
  },
  {
    name: 'chunk-error',
    path: '/dashboard/help',
    before: async (_, page) => {
      await page.route('**/assets/guides*', (route) => route.abort())
    },
    act: async (page) => {
      await page.goto(`${service.url}/dashboard/guides`)
      await page.getByText("The page's code could not be downloaded.").waitFor()
    },
  },
]

const [folderName, only] = process.argv.slice(2)
if (!folderName) throw new Error('Usage: npm run states -- <folder> [name]')
const folder = resolve(folderName)
mkdirSync(folder, { recursive: true })
const service = await startService()
const browser = await launchBrowser()
for (const state of STATES.filter(({ name }) => !only || name.startsWith(only))) {
  await Promise.all(SIZES.map((size) => picture(state, size)))
}
await browser.close()
await service.stop()

async function picture(state: State, { width, height }: (typeof SIZES)[number]): Promise<void> {
  const page = await openPage(browser, { width, height })
  if (!state.signedOut) await signIn(page, service.url)
  const api = await doubleApi(page, service.url, { account: state.account ?? TRIAL_ACCOUNT })
  api.answer('GET /frame/code-examples', 'from the service')
  for (const call of ['POST /api/disconnect', 'POST /api/resetkey', 'DELETE /api/account/delete']) {
    api.answer(call, {})
  }
  await state.before?.(api, page)
  await page.goto(service.url + state.path)
  await page.locator('main h1, main h2').first().waitFor()
  await state.act?.(page, api)
  await page.waitForTimeout(300)

  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.waitForTimeout(150)
    const path = join(folder, `${state.name}-${width}-${theme}.png`)
    await page.screenshot({ path, fullPage: true })
    const faults = await findFaults(page)
    const scrolled = Number(await page.evaluate('document.scrollingElement.scrollWidth'))
    if (scrolled > width) faults.push(`scrolls sideways: ${scrolled} px`)
    if (faults.length === 0) continue
    console.log(`${state.name}, ${width}, ${theme}: ${faults.join('\n  ')}`)
    process.exitCode = 1
  }
  await page.context().close()
}

/** On narrow screens the request is in a drawer. */
function openRequestAnd(act: (page: WatchedPage) => Promise<void>) {
  return async (page: WatchedPage) => {
    const opener = page.getByRole('button', { name: 'Request', exact: true })
    if (await opener.isVisible()) await opener.click()
    await act(page)
  }
}

function refuse(call: string, status: number) {
  return (api: ApiDouble) => api.answer(call, { status })
}

async function logIn(page: WatchedPage): Promise<void> {
  await page.getByLabel('Email').first().fill('mara@example.com')
  await press('Send login link')(page)
}

async function register(page: WatchedPage): Promise<void> {
  await page.getByLabel('Email').first().fill('mara@example.com')
  await page.getByLabel('How did you find us?').selectOption('friend')
  await page.getByRole('checkbox').nth(0).check()
  await page.getByRole('checkbox').nth(1).check()
  await press('Register')(page)
}

/** An endpoint in every state, one of them with dead letters. */
function tellWebhooks(api: ApiDouble) {
  const lastAttempt = { at: ago(0.01), status: 503, ms: 10_004, error: '503: busy' }
  api.answer('GET /v1/webhooks', {
    body: {
      limit: 4,
      webhooks: [
        aWebhook({ behindMs: 154_000 }),
        aWebhook({
          ...{
            id: 'wh_2',
            url: `https://hooks.example.com/${'a/very/long/path/'.repeat(5)}`,
            kind: 'newPair',
          },
          ...{ state: 'failing', lastAttempt, behindMs: 3_700_000 },
          counters: { delivered: 1, events: 1, failed: 9, deadLetters: 2 },
        }),
        aWebhook({ id: 'wh_3', state: 'paused', lastAttempt: null }),
        aWebhook({
          id: 'wh_4',
          state: 'stopped',
          lastAttempt: { ...lastAttempt, status: null, error: 'No answer within 10 s.' },
        }),
        aWebhook({ id: 'wh_5' }),
      ],
    },
  })
  const letter = {
    n: 7,
    at: ago(3),
    first: 'a',
    last: 'b',
    events: 25,
    status: 400,
    body: 'Bad Request'.repeat(40),
    queued: false,
  }
  api.answer('GET /v1/webhooks/wh_2/deadletters', {
    body: { deadLetters: [letter, { ...letter, n: 3, queued: true }] },
  })
}

function tellUsage(api: ApiDouble, { isOfAllFaces = false } = {}): void {
  const days = Array.from({ length: 30 }, (_, index) => ({
    day: ago(24 * (29 - index)).slice(0, 10),
    newPairs: 7_000 + ((index * 613) % 2_400),
    buys: 1_000_000 + ((index * 97_001) % 600_000),
    sells: 800_000 + ((index * 71_003) % 500_000),
    ...(isOfAllFaces && { http: (index * 131_003) % 900_000, webhooks: index > 8 ? 4_000 * index : 0 }),
  }))
  const peer = { address: '203.0.113.24', client: 'bot/1.2 (linux)', sentEvents: 48_213 }
  const open = {
    ...peer,
    id: '2b1f3c7e-5a39-4c35-9f0e-0c1d2e3f4a5b',
    openedAt: ago(2),
    lastSeenAt: ago(0),
    subscriptions: [{ id: 1, kind: 'swap' }],
    sentBytes: 8_400_000,
    queuedBytes: 0,
  }
  const closed = {
    ...peer,
    id: 'ended',
    openedAt: ago(9),
    closedAt: ago(4),
    ended: 'slowConsumer',
    sentence: 'It read too slowly.',
  }
  const spans = [
    { from: closed.openedAt, to: closed.closedAt },
    { from: open.openedAt, to: ago(0) },
  ]
  api.answer('GET /api/usage', { body: { days } })
  api.answer('GET /api/connections', { body: { at: ago(0), open: [open], closed: [closed], spans } })
}

/** A key that was never used. */
function tellNoUsage(api: ApiDouble): void {
  const days = Array.from({ length: 30 }, (_, index) => ({
    day: ago(24 * (29 - index)).slice(0, 10),
    newPairs: 0,
    buys: 0,
    sells: 0,
  }))
  api.answer('GET /api/usage', { body: { days } })
  api.answer('GET /api/connections', { body: { at: ago(0), open: [], closed: [], spans: [] } })
}
