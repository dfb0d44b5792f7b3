import { randomBytes } from 'node:crypto'
import { describe, expect, inject } from 'vitest'
import WebSocket from 'ws'
import { codeOf, STEP_MS } from '../packages/accounts/src/testing/authenticator.ts'
import {
  chromePath,
  expectCleanInBothThemes,
  isFocused,
  type WatchedPage,
  widthAtDoubleLetters,
} from './browser.ts'
import { test as base, type OpenOptions } from './browser-test.ts'
import { call, signIn } from './buyers.ts'
import { askAsOperator, makeAccount } from './operator.ts'
import { freshEmail, newestLink } from './people.ts'
import { STORY_MS } from './story-time.ts'

const serviceUrl = inject('serviceUrl')
const service = { dataFolder: inject('dataFolder') }

type Operator = { email: string; secret: string; link: string }
type SignedIn = { page: WatchedPage; operator: Operator }

/** An operator, made on the machine. */
async function makeOperator(role: 'operator' | 'viewer' = 'operator'): Promise<Operator> {
  const email = `op.${randomBytes(5).toString('hex')}@example.com`
  const [made] = await askAsOperator(service, 'operator add', { email, viewer: role === 'viewer' })
  return made as unknown as Operator
}

/** The code that an operator's app shows, or showed a step before. */
const codeNow = ({ secret }: Operator, stepsAgo = 0) =>
  codeOf(secret, Math.floor(Date.now() / STEP_MS) - stepsAgo)

/** Signs in with the code before the present one, which is left for what needs a fresh one. */
async function enterCode(page: WatchedPage, operator: Operator): Promise<void> {
  const enter = async () => {
    await page.getByLabel('Code from your authenticator app').fill(codeNow(operator, 1))
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const menu = page.getByRole('navigation', { name: 'Main' })
  const refusal = page.getByText('The link or the code is not right.')
  await enter()
  await menu.or(refusal).waitFor()
  // A step has ended between here and the server, so the code is two steps old.
  if (await refusal.isVisible()) await enter()
  await menu.waitFor()
}

/** A test with `room(path, options)`: a page of the room, signed in by a printed link. */
const test = base.extend<{
  room: (path: string, options?: OpenOptions & { role?: 'operator' | 'viewer' }) => Promise<SignedIn>
}>({
  room: async ({ open }, use) => {
    await use(async (path, { role, ...look } = {}) => {
      const operator = await makeOperator(role)
      const page = await open(look)
      await page.goto(operator.link)
      await enterCode(page, operator)
      if (path !== '') await page.goto(`${serviceUrl}/admin${path}`)
      return { page, operator }
    })
  },
})

describe.skipIf(!chromePath)('The operator’s room', { timeout: STORY_MS }, () => {
  test('is entered with a mailed link and a code; the link’s token leaves the address; a wrong code is refused in words, and signing out leads back', async ({
    open,
  }) => {
    const operator = await makeOperator()
    const page = await open()
    await page.goto(`${serviceUrl}/admin`)
    await page.getByLabel('Email').fill(operator.email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('a link is on its way').waitFor()
    await expect.poll(() => newestLink(serviceUrl, operator.email).catch(() => '')).toContain('?t=')
    await expectCleanInBothThemes(page)

    await page.goto(await newestLink(serviceUrl, operator.email))
    expect(page.url()).toBe(`${serviceUrl}/admin/sign-in`)
    await page.getByLabel('Code from your authenticator app').fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The link or the code is not right.').waitFor()
    await expectCleanInBothThemes(page)
    await enterCode(page, operator)

    await page.getByRole('link', { name: operator.email }).click()
    await page.getByRole('heading', { name: 'Your sessions', level: 1 }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await expectCleanInBothThemes(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    await page.goto(`${serviceUrl}/admin/me`)
    await page.getByLabel('Email').waitFor()
  })

  test('shows people with the figures that were put in, and one of them with every verb as a form', async ({
    room,
  }) => {
    const email = freshEmail()
    const { user } = await makeAccount(service, email, 'pro')
    const socket = new WebSocket(inject('streamUrl'), { headers: { 'X-API-KEY': user.APIKey } })
    await new Promise((resolve) => socket.once('open', resolve))
    const { page, operator } = await room('/people')

    await page.getByRole('searchbox').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(user.APIKey)
    const found = page.waitForResponse((answer) => answer.request().postData()?.includes('search') ?? false)
    await page.keyboard.press('Enter')
    await found
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(page.url()).toBe(`${serviceUrl}/admin/people`)
    // A connection is counted a moment after it opened, and the same search is not asked twice.
    const row = async () => {
      const text = await page.getByRole('row').nth(1).innerText()
      if (!text.includes('1 of 1')) await page.reload()
      return text
    }
    await expect.poll(row).toMatch(/granted\s+Pro\s+1 of 1/)
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: email, level: 1 }).waitFor()
    await page.getByText(`${user.APIKey.slice(0, 4)}…${user.APIKey.slice(-2)}`).waitFor()
    expect(await page.content()).not.toContain(user.APIKey)
    const connection = page.getByRole('region', { name: 'Open connections' })
    await connection.getByRole('button', { name: 'Close the connection' }).waitFor()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await connection.getByRole('button', { name: 'Close the connection' }).click()
    expect(await closed).toBe(4009)

    await submit(page, 'Note', { Note: 'Pays by invoice.' })
    await page.getByRole('cell', { name: 'Pays by invoice.' }).waitFor()
    await page.getByRole('cell', { name: operator.email }).first().waitFor()
    await submit(page, 'Trial', { Days: '400' })
    await page.getByRole('alert').filter({ hasText: 'days' }).waitFor()
    expect(await page.getByLabel('Days').inputValue()).toBe('400')
    const trial = page.locator('details', { hasText: /^Trial/ })
    expect(await trial.getByLabel('Plan').locator('option').first().innerText()).toBe('Choose')
  })

  test('asks for a code before what is grave and then goes on with what was typed; a wrong code is refused, and Escape leaves all as it was', async ({
    room,
  }) => {
    const { user } = await makeAccount(service, freshEmail(), 'basic')
    const { page, operator } = await room(`/people/${user.ID}`)
    // The code of the sign-in would do for five minutes.
    let isFresh = false
    await page.route('**/account/suspend', (route) =>
      isFresh
        ? route.continue()
        : route.fulfill({ status: 403, json: { errorType: 'CODE_REQUIRED', errorMessage: 'Enter a code.' } }),
    )
    await submit(page, 'Suspend', { Reason: 'Resells the stream.' })
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    const prompt = page.getByRole('dialog', { name: 'Enter a code' })
    await prompt.waitFor()
    await expectCleanInBothThemes(page)
    await page.keyboard.press('Escape')
    await page.getByText('Nothing was done: it needs a code.').waitFor()
    expect(await page.locator('details[open]').getByLabel('Reason').inputValue()).toBe('Resells the stream.')

    await page.locator('details[open] form').getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await prompt.getByLabel('Code').fill('000000')
    await prompt.getByRole('button', { name: 'Go on' }).click()
    await prompt.getByText('The code is not right.').waitFor()
    isFresh = true
    await prompt.getByLabel('Code').fill(codeNow(operator))
    await prompt.getByRole('button', { name: 'Go on' }).click()

    await page.getByRole('definition').filter({ hasText: 'suspended' }).waitFor()
    await page.getByRole('cell', { name: 'Resells the stream.' }).waitFor()
    await page.locator('summary', { hasText: /^Unsuspend$/ }).waitFor()
    expect(await page.locator('summary', { hasText: /^Suspend$/ }).count()).toBe(0)
    await page.goto(`${serviceUrl}/admin/acts`)
    await page
      .getByRole('row', { name: /account suspend.*Resells/ })
      .first()
      .waitFor()
  })

  test('does not ask again about what is grave while it is being done', async ({ room }) => {
    const { user } = await makeAccount(service, freshEmail())
    const { page } = await room(`/people/${user.ID}`)
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/connections/close', async (route) => {
      await isAnswered
      await route.continue()
    })
    const close = page.locator('details', { hasText: /^Connections close/ })
    await submit(page, 'Connections close', {})
    const sent = page.waitForRequest('**/connections/close')
    await page.getByRole('dialog').getByRole('button', { name: 'Connections close' }).click()
    await sent
    await close.locator('form').evaluate((form: HTMLFormElement) => form.requestSubmit())

    answer()
    await close.getByText(/Done at/).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('keeps what was typed when the session ends, and shows it again once somebody has signed in beside it; each time the heading takes the focus', async ({
    room,
  }) => {
    const { user } = await makeAccount(service, freshEmail(), 'basic')
    const { page } = await room(`/people/${user.ID}`)
    await page.locator('summary', { hasText: /^Note$/ }).click()
    await page.locator('details[open]').getByLabel('Note').fill('Pays by invoice, and')
    await page.getByRole('link', { name: 'Money' }).focus()
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    await page.getByLabel('Email').waitFor()
    expect(await page.locator('details[open]').isVisible()).toBe(false)
    expect(await isFocused(page.getByRole('heading', { name: 'Sign in' }))).toBe(true)

    // As after a sign-in in another tab.
    await page.context().addCookies(cookies)
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await page.getByLabel('Email').waitFor({ state: 'detached' })

    await expect.poll(() => isFocused(page.getByRole('heading', { name: user.Email }))).toBe(true)
    expect(await page.locator('details[open]').getByLabel('Note').inputValue()).toBe('Pays by invoice, and')
    await page.locator('details[open] form').getByRole('button', { name: 'Note' }).click()
    await page.getByRole('cell', { name: 'Pays by invoice, and' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    expect(await page.content()).not.toContain('Pays by invoice')
  })

  test('shows the sign-in for whatever press finds that the session has ended, and leaves on Sign out all the same', async ({
    room,
  }) => {
    const { page } = await room('/people')
    const cookies = await page.context().cookies()
    const [signIn, save] = ['Send the link', 'Save as CSV'].map((name) => page.getByRole('button', { name }))
    await page.locator('summary', { hasText: /^Account create$/ }).click()
    await page.locator('details[open]').getByLabel('Emails').fill('buyer@example.com')

    await page.context().clearCookies()
    await save!.click()
    await signIn!.waitFor()
    await page.context().addCookies(cookies)
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await save!.waitFor()
    expect(await page.locator('details[open]').getByLabel('Emails').inputValue()).toBe('buyer@example.com')

    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${serviceUrl}/admin`)
    await signIn!.waitFor()
    expect(await page.locator('details').count()).toBe(0)
  })

  test('shows notices, money, connections, processes and acts; each page is clean in both themes, wide and narrow, and lies within 320 px, and within 390 px with letters twice as large', async ({
    room,
  }) => {
    const { user } = await makeAccount(service, freshEmail(), 'pro')
    await askAsOperator(service, 'account trial', { who: user.Email, days: 3, plan: 'basic' })
    const payer = (await makeAccount(service, freshEmail())).user
    const token = await signIn(serviceUrl, payer.Email)
    const { url } = await call(serviceUrl, 'POST', '/api/subscription/checkout', token, { plan_id: 2 })
    await fetch(new URL(url, serviceUrl), { method: 'POST', body: new URLSearchParams({ outcome: 'pay' }) })
    const socket = new WebSocket(inject('streamUrl'), { headers: { 'X-API-KEY': user.APIKey } })
    await new Promise((resolve) => socket.once('open', resolve))
    const { page } = await room('/notices')
    // Planned for later: other tests share the service.
    await submit(page, 'Status add', {
      Details: 'Swaps of one venue are late.',
      'From (UTC)': '2099-01-01T12:30',
    })
    const notice = page.getByRole('row', { name: /Swaps of one venue are late. 2099-01-01 12:30:00/ })
    await notice.waitFor()

    const shown: readonly (readonly [path: string, heading: string, ...texts: (string | RegExp)[]])[] = [
      ['', 'Overview', 'Alarms', /USD\s[\d,]+\.00/],
      ['people?sort=joined', 'People', user.Email],
      [`people/${user.ID}`, user.Email, '127.0.0.1'],
      ['connections', 'Connections', user.Email],
      ['stream', 'Stream', 'Leases', payer.Email],
      ['doctor', 'Doctor', 'Last checks'],
      ['money', 'Money', /USD\s79\.00/, payer.Email],
      ['acts', 'Acts', 'account create'],
      ['notices', 'Notices', 'Swaps of one venue are late.'],
    ]
    for (const [path, heading, ...texts] of shown) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(`${serviceUrl}/admin/${path}`)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      for (const text of texts) await page.getByText(text).first().waitFor()
      await expectCleanInBothThemes(page).catch((fault) => expect.fail(`${path}: ${fault.message}`))
      await page.setViewportSize({ width: 390, height: 844 })
      await expectCleanInBothThemes(page).catch((fault) => expect.fail(`${path} at 390: ${fault.message}`))
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await page.evaluate('document.scrollingElement.scrollWidth'), path).toBeLessThanOrEqual(320)
      await page.setViewportSize({ width: 390, height: 844 })
      const form = page.locator('.room-verb > summary').first()
      if (await form.isVisible()) await form.click()
      expect(await widthAtDoubleLetters(page), `${path}, letters of 200 %`).toBeLessThanOrEqual(390)
    }
    await page.goto(`${serviceUrl}/admin/people/${payer.ID}`)
    await page
      .getByRole('region', { name: 'Payments' })
      .getByText(/USD\s79\.00/)
      .waitFor()
    await askAsOperator(service, 'account suspend', { who: payer.ID, reason: 'Resells the stream.' })
    await page.reload()
    await page.getByText('Billing for Basic goes on until it is cancelled.').waitFor()
    await page.goto(`${serviceUrl}/admin/notices`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await notice.getByRole('button', { name: /^Clear notice/ }).click()
    await expect.poll(() => notice.getByRole('button').count()).toBe(0)
    socket.terminate()
    await page.goto(`${serviceUrl}/admin/doctor`)
    await page.getByRole('button', { name: 'Run the checks' }).click()
    await page.getByRole('row', { name: /^version ok/ }).waitFor()
    await page.reload()
    await page.getByRole('row', { name: /^\d{4}-\d\d-\d\d [\d:]+ version ok/ }).waitFor()
    await submit(page, 'Alarms test', {})
    await page.getByText(/Done at [\d: -]+ UTC\. mails: \d+/).waitFor()
    await expectCleanInBothThemes(page)
  })

  test('has the focus on its heading when what was pressed by keyboard goes: a row’s button, or a form', async ({
    room,
  }) => {
    const { user } = await makeAccount(service, freshEmail(), 'basic')
    const { page } = await room('/notices')
    const hasHeading = () => isFocused(page.getByRole('heading', { level: 1 }))
    // Planned for later: other tests share the service.
    await submit(page, 'Status add', { Details: 'Blocks are late.', 'From (UTC)': '2099-02-01T12:30' })
    const clear = page.getByRole('row', { name: /Blocks are late/ }).getByRole('button')
    await clear.press('Enter')
    await clear.waitFor({ state: 'detached' })
    expect(await hasHeading(), 'a row’s button').toBe(true)

    await page.goto(`${serviceUrl}/admin/people/${user.ID}`)
    await submit(page, 'Suspend', { Reason: 'Resells the stream.' })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('summary', { hasText: /^Unsuspend$/ }).waitFor()
    await expect.poll(hasHeading, { message: 'a form' }).toBe(true)
  })

  test('names a part that does not answer and shows the rest; when the server goes away it keeps its figures and says since when', async ({
    room,
  }) => {
    const { page } = await room('')
    await page.getByRole('heading', { name: 'Gateways' }).waitFor()
    await page.route('**/overview/show', (route) => route.abort())
    await page.getByText(/These are the figures of \d{4}-\d\d-\d\d [\d:]+ UTC\./).waitFor()
    expect(await page.getByRole('heading', { name: 'Gateways' }).isVisible()).toBe(true)

    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/order/list', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${serviceUrl}/admin/money`)
    await page.getByText('Orders of history: no answer yet.').waitFor()
    await page.getByRole('table').first().waitFor()
    release()
    await page.getByText('Orders of history: no answer yet.').waitFor({ state: 'detached' })
  })

  test('shows the money of the month that runs first, however many months are asked for', async ({
    room,
  }) => {
    const { page } = await room('/money?months=60')

    const months = page.getByRole('region', { name: 'Monthly recurring revenue' }).getByRole('row')

    await months.nth(60).waitFor()
    const [now] = await askAsOperator(service, 'money show', { months: 1 })
    const { month } = now as unknown as { month: string }
    expect(await months.nth(1).textContent()).toContain(month)
  })

  test('lets a viewer see all, without a form, a button that changes something, or an export', async ({
    room,
  }) => {
    const { user } = await makeAccount(service, freshEmail(), 'basic')
    const { page } = await room('/people?sort=joined', { role: 'viewer' })
    await page.getByRole('link', { name: user.Email }).click()
    await page.getByRole('heading', { name: user.Email, level: 1 }).waitFor()
    await page.getByText('Key hint').waitFor()
    expect(await page.locator('main details, main button').count()).toBe(0)
    await page.goto(`${serviceUrl}/admin/acts`)
    await page.getByRole('row').nth(1).waitFor()
    expect(await page.getByRole('button', { name: 'Save as CSV' }).count()).toBe(0)
  })

  test('keeps filters and the order in the address, saves a list as CSV, and says that refreshing is no use of the session', async ({
    room,
  }) => {
    const { user } = await makeAccount(service, freshEmail())
    const { page } = await room('/people')
    await page.getByLabel('State').selectOption('none')
    await page.getByRole('link', { name: 'Joined (UTC)' }).click()
    await expect.poll(() => page.url()).toBe(`${serviceUrl}/admin/people?state=none&sort=joined`)
    await page.getByRole('link', { name: user.Email }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: user.Email }).waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('account-list.csv')

    const calls: (string | null)[] = []
    await page.goto(`${serviceUrl}/admin/connections`)
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor()
    page.on('request', (request) => {
      if (request.url().endsWith('connections/list'))
        calls.push(request.headers()['pairwire-refresh'] ?? null)
    })
    await expect.poll(() => calls.length, { timeout: 15_000 }).toBeGreaterThan(1)
    expect(calls.at(-1)).toBe('1')
  })
})

/** Opens a form, fills it and sends it. */
async function submit(page: WatchedPage, title: string, fields: Record<string, string>): Promise<void> {
  const verb = page.locator('details', {
    has: page.locator('summary', { hasText: new RegExp(`^${title}$`) }),
  })
  await verb.locator('summary').click()
  for (const [label, text] of Object.entries(fields)) await verb.getByLabel(label).fill(text)
  await verb.getByRole('button', { name: title }).click()
}
