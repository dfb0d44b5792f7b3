import { describe } from 'vitest'
import { chromePath, isFocused, type WatchedPage } from '../browser.ts'
import { NEW_ACCOUNT, PAID_ACCOUNT, SUSPENSION, TRIAL_ACCOUNT } from './api-double.ts'
import { test } from './dashboard-test.ts'
import { signInAgain } from './sign-in-again.ts'

describe.skipIf(!chromePath).concurrent('Upgrade: sections 4, 6 and 9', () => {
  test('Three plans with their names, prices and limits, the line for all plans, and the contact', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/upgrade', { account: NEW_ACCOUNT })
    const card = (name: string) => page.getByRole('region', { name, exact: true })
    await card('Pro').waitFor()

    expect(await card('NewPairs Only').innerText()).toMatch(/\$29\s*\/month/)
    expect(await card('NewPairs Only').innerText()).toMatch(/unlimited NewPair events/i)
    expect(await card('NewPairs Only').innerText()).toMatch(/1,000 swap events/i)
    expect(await card('NewPairs Only').innerText()).toMatch(/1 account in the swap filter/i)
    expect(await card('Basic').innerText()).toMatch(/\$79\s*\/month/)
    expect(await card('Basic').innerText()).toMatch(/unlimited filtered swaps/i)
    expect(await card('Basic').innerText()).toMatch(/at least one filter required/i)
    expect(await card('Basic').innerText()).toMatch(/10 accounts in the swap filter/i)
    expect(await card('Pro').innerText()).toMatch(/\$199\s*\/month/)
    expect(await card('Pro').innerText()).toMatch(/unlimited swaps/i)
    expect(await card('Pro').innerText()).toMatch(/1K accounts in the swap filter/i)
    expect(await card('Pro').innerText()).toMatch(/no filter requirement/i)
    const all = await page.locator('main').innerText()
    expect(all).toMatch(/1 connection[\s\S]*commercial use[\s\S]*live chat/i)
    expect(await page.getByRole('link', { name: 'Contact us' }).getAttribute('href')).toBe(
      'mailto:support@example.com',
    )
  })

  test("If the user has never had a trial, choosing a plan starts it, reloads the account, shows 'Success, free trial started.' and goes to the account page; on failure: 'Failed to start free trial. Please try again later.'", async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/upgrade', { account: NEW_ACCOUNT })
    api.answer('POST /api/subscription/starttrial', { status: 500 })
    const card = page.getByRole('region', { name: 'Pro', exact: true })
    await card.getByRole('button').click()
    await card.getByText('Failed to start free trial. Please try again later.').waitFor()
    expect(await card.getByRole('button').isEnabled()).toBe(true)

    const button = page.getByRole('region', { name: 'Basic', exact: true }).getByRole('button')
    const release = api.hold('POST /api/subscription/starttrial', { body: TRIAL_ACCOUNT })
    await button.click()
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
    await button.click({ force: true })
    expect(await card.getByRole('button').isDisabled()).toBe(true)
    api.answer('GET /api/account', { body: TRIAL_ACCOUNT })
    release()
    await page.getByText('Success, free trial started.').first().waitFor()
    await page.getByText('Free Trial', { exact: true }).waitFor()

    expect(new URL(page.url()).pathname).toBe('/dashboard/account')
    expect(api.calls.filter(({ name }) => name.endsWith('starttrial')).map(({ body }) => body)).toEqual([
      { plan_id: 3 },
      { plan_id: 2 },
    ])
    const names = api.calls.map(({ name }) => name)
    expect(names[names.lastIndexOf('POST /api/subscription/starttrial') + 1]).toBe('GET /api/account')
  })

  test('A trial that was started in another tab is seen once this tab is refused one: the plans are for sale', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/upgrade', {
      account: NEW_ACCOUNT,
      config: { payment: { provider: 'sandbox' } },
    })
    const card = page.getByRole('region', { name: 'Basic', exact: true })
    const start = card.getByRole('button', { name: 'Start free trial of Basic' })
    await start.waitFor()
    api.answer('POST /api/subscription/starttrial', { status: 409 })
    api.answer('GET /api/account', { body: TRIAL_ACCOUNT })

    await start.click()

    await card.getByRole('button', { name: 'Choose Basic' }).waitFor()
    expect(await card.innerText()).toContain('Failed to start free trial. Please try again later.')
    expect(await page.locator('main').innerText()).not.toContain('The checkout did not open.')
  })

  test('A person who went to another page meanwhile stays there: a trial has started, and the page of the payment provider does not open', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/upgrade', { account: NEW_ACCOUNT })
    const start = api.hold('POST /api/subscription/starttrial', { body: TRIAL_ACCOUNT })
    await page.getByRole('region', { name: 'Pro', exact: true }).getByRole('button').click()
    await page.getByRole('link', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
    api.answer('GET /api/account', { body: PAID_ACCOUNT })
    start()
    await page.getByText('Success, free trial started.').first().waitFor()
    expect(new URL(page.url()).pathname).toBe('/dashboard/help')

    await page.getByRole('link', { name: 'Account' }).click()
    const open = api.hold('GET /api/subscription/manage', { body: { url: '/docs' } })
    await page.getByRole('button', { name: 'Manage Plan' }).click()
    await page.getByRole('link', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
    const answered = page.waitForResponse('**/api/subscription/manage')
    open()
    await answered
    await page.getByText('Email support').waitFor()
    expect(new URL(page.url()).pathname).toBe('/dashboard/help')
  })

  test('A trial that was started is not offered again where the account cannot be read after it', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/upgrade', { account: NEW_ACCOUNT })
    const button = page.getByRole('region', { name: 'Pro', exact: true }).getByRole('button')
    await button.waitFor()
    api.answer('POST /api/subscription/starttrial', { body: TRIAL_ACCOUNT })
    api.answer('GET /api/account', 'away')
    await button.click()
    await page.getByText('Success, free trial started.').first().waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()

    expect(new URL(page.url()).pathname).toBe('/dashboard/account')
    expect(await page.getByText('Start free trial').count()).toBe(0)
  })

  test('If the user already has a paid subscription, a notice asks them to cancel first; one who has cancelled is shown the end of the plan, and not asked to cancel it', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/upgrade', { account: PAID_ACCOUNT })
    await page.getByText(/already have a paid subscription.*Cancel it/).waitFor()

    expect(await page.locator('main').getByRole('button').allInnerTexts()).toEqual(['Manage Plan'])
    expect(
      await page.getByRole('region', { name: 'Basic', exact: true }).getByText('Current plan').count(),
    ).toBe(1)

    const activeSubscription = { ...PAID_ACCOUNT.activeSubscription, willCancel: '2030-12-20T12:00:00Z' }
    api.answer('GET /api/account', { body: { ...PAID_ACCOUNT, activeSubscription } })
    await signInAgain(page)
    await page
      .getByText(
        'You cancelled Basic. You keep it until 20 Dec 2030, and can choose another plan after that. To keep it, use Manage Plan.',
      )
      .waitFor()
    expect(await page.getByText(/Cancel it before/).count()).toBe(0)
  })

  test('A person whose plan was granted until a day is not told to have cancelled it, nor to use a button that is not there', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/upgrade', {
      account: {
        ...PAID_ACCOUNT,
        activeSubscription: { ...PAID_ACCOUNT.activeSubscription, willCancel: '2030-12-20T12:00:00Z' },
        paidSubscription: { planName: 'Basic', forbidManageSubscription: true },
      },
    })
    const notice = page.locator('main .notice')
    await notice.getByRole('link', { name: 'support@example.com' }).waitFor()

    expect(await notice.innerText()).not.toMatch(/You cancelled|Manage Plan/)
  })

  test('A suspended account is told so and can choose no plan; one that was suspended after the page opened gets no window of Paddle', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/upgrade', {
      account: TRIAL_ACCOUNT,
      config: { payment: PADDLE },
      before: (_api, page) => doublePaddle(page),
    })
    const choose = page.getByRole('button', { name: 'Choose Basic' })
    await choose.waitFor()
    api.answer('GET /api/account', { body: { ...TRIAL_ACCOUNT, suspension: SUSPENSION } })

    await choose.click()
    await page.getByText(/suspended since 3 Nov 2026\./).waitFor()

    expect(await page.getByRole('button', { name: /^Choose/ }).count()).toBe(0)
    expect(await page.evaluate('globalThis.paddleCalls')).toBeUndefined()
  })

  test('A person who bought a plan in another window gets no window of Paddle for a second one and is told to cancel first; the focus of the button that goes is on the heading', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/upgrade', {
      account: TRIAL_ACCOUNT,
      config: { payment: PADDLE },
      before: (_api, page) => doublePaddle(page),
    })
    const choose = page.getByRole('button', { name: 'Choose Pro' })
    await choose.waitFor()
    api.answer('GET /api/account', { body: PAID_ACCOUNT })

    await choose.press('Enter')
    await page.getByText(/already have a paid subscription.*Cancel it/).waitFor()

    expect(await page.evaluate('globalThis.paddleCalls')).toBeUndefined()
    expect(await isFocused(page.getByRole('heading', { level: 1 }))).toBe(true)
  })

  test('A person who goes to another page while Paddle loads gets no window of it there', async ({
    expect,
    visit,
  }) => {
    let load = () => {}
    const held = new Promise<void>((resolve) => {
      load = resolve
    })
    const { page } = await visit('/dashboard/upgrade', {
      account: TRIAL_ACCOUNT,
      config: { payment: PADDLE },
      before: (_api, page) => doublePaddle(page, held),
    })
    const asked = page.waitForRequest('https://cdn.paddle.com/**')
    await page.getByRole('button', { name: 'Choose Basic' }).click()
    await asked
    await page.getByRole('link', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
    load()
    await expect.poll(() => page.evaluate('globalThis.paddleCalls')).toContain('Initialize')

    // What waits for the script goes on in the same turn.
    expect(await page.evaluate('globalThis.paddleCalls')).not.toContain('open')
  })

  test('The three filter pictures hold exactly 1, 10 and 1,000 filled dots, a trial that has not begun no filled day; in forced colours the pictures of all three plans differ', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/upgrade', { account: NEW_ACCOUNT })
    await page.getByRole('region', { name: 'Pro', exact: true }).waitFor()
    const filled = await page
      .locator('.dot-field-filled')
      .evaluateAll((all) => all.map((one) => (one.getAttribute('d') ?? '').split('M').length - 1))
    expect(filled).toEqual([1, 10, 1_000])
    await page.getByText('Try Pro first: everything is open for 5 days.').waitFor()
    expect(await page.locator('.period-block').count()).toBe(5)
    expect(await page.locator('.period-gone').count()).toBe(0)

    await page.emulateMedia({ forcedColors: 'active' })
    const pictures = await Promise.all(
      (await page.locator('.flow').all()).map(async (flow) => (await flow.screenshot()).toString('base64')),
    )
    expect(new Set(pictures).size).toBe(3)
  })
})

const PADDLE = {
  ...{ provider: 'paddle', environment: 'sandbox', clientToken: 'test_1' },
  prices: { 1: 'pri_1', 2: 'pri_2', 3: 'pri_3' },
}

/** Gives a page a double of Paddle's script, once `held` is settled. */
async function doublePaddle(page: WatchedPage, held?: Promise<void>): Promise<void> {
  await page.route('https://cdn.paddle.com/**', async (route) => {
    await held
    await route.fulfill({ contentType: 'text/javascript', body: PADDLE_DOUBLE })
  })
  // The service sells in its sandbox, so its policy would block the script.
  const session = await page.context().newCDPSession(page)
  await session.send('Page.enable')
  await session.send('Page.setBypassCSP', { enabled: true })
}

/** Paddle's script, as far as a page calls it: it only notes the calls. */
const PADDLE_DOUBLE = `
  const note = (name) => () => void (globalThis.paddleCalls ??= []).push(name)
  globalThis.Paddle = {
    Environment: { set: note('set') },
    Initialize: note('Initialize'),
    Checkout: { open: note('open') },
  }`
