import { describe } from 'vitest'
import { chromePath, isFocused, type WatchedPage } from '../browser.ts'
import { test } from './dashboard-test.ts'

const registerButton = (page: WatchedPage) => page.locator('main').getByRole('button', { name: 'Register' })

/** Fills in all required fields. */
async function fill(page: WatchedPage): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill('mara@example.com')
  await page.getByLabel('How did you find us?').selectOption('friend')
  await page.getByRole('checkbox', { name: /terms/ }).check()
  await page.getByRole('checkbox', { name: /disclaimer/ }).check()
}

/** The words of each refusal, the answer that causes it, and the control that gets the focus. */
const REFUSALS = [
  [
    'Blocked email domain. Please register with a different email address.',
    { status: 400, body: { errorType: 'BLOCKED_EMAIL_DOMAIN', errorMessage: 'x' } },
    'email',
  ],
  [
    'Email already registered. Please try again...',
    { status: 409, body: { errorType: 'ANY', errorMessage: 'x' } },
    'email',
  ],
  [
    'Please use a shorter email.',
    { status: 400, body: { errorType: 'ERR_VALIDATION', errorMessage: 'Please use a shorter email.' } },
    undefined,
  ],
  ['There was an unexpected error. Please try again.', 'away', undefined],
  ['Sorry, an unknown error occoured. Please try again later.', { status: 500 }, undefined],
] as const

const focusedName = (page: WatchedPage) => page.evaluate('document.activeElement.name')

describe.skipIf(!chromePath).concurrent('Register: sections 4, 5 and 8', () => {
  test('Closed: the page says whom to ask instead of showing the form, and neither top bar, menu nor login form lead to it', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/register', {
      signedIn: false,
      config: { registration: 'closed' },
    })
    await page
      .getByText('Registration is closed. Ask for an invitation at support@example.com.', { exact: true })
      .waitFor()
    expect(await page.locator('form').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Register' }).count()).toBe(0)

    await page.locator('main').getByRole('link', { name: 'Sign In' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByText('Register', { exact: true }).count()).toBe(0)
  })

  test("Checked in this order: email, origin, terms, disclaimer; one at a time, values kept, focus on the failing control; then a captcha must be loaded ('Recaptcha not loaded')", async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/register', {
      signedIn: false,
      before: (api) => api.answer('GET /api/captcha', { status: 500 }),
    })
    const words = [
      'Please enter an email address',
      'Please select how you found us',
      'Please agree to our terms and privacy policy',
      'Please agree to our disclaimer',
    ]
    const steps = [
      ['email', () => page.getByLabel('Email', { exact: true }).fill('mara@example.com')],
      ['origin', () => page.getByLabel('How did you find us?').selectOption('reddit_post')],
      ['terms', () => page.getByRole('checkbox', { name: /terms/ }).check()],
      ['disclaimer', () => page.getByRole('checkbox', { name: /disclaimer/ }).check()],
    ] as const

    for (const [index, [name, mend]] of steps.entries()) {
      await registerButton(page).click()
      await page.getByText(words[index]!).waitFor()
      for (const other of words) {
        expect(await page.getByText(other).count()).toBe(other === words[index] ? 1 : 0)
      }
      expect(await focusedName(page)).toBe(name)
      await mend()
    }
    await registerButton(page).click()
    await page.getByText('Recaptcha not loaded', { exact: true }).waitFor()
    expect(api.count('POST /api/register')).toBe(0)
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('mara@example.com')
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  })

  test('Try again, pressed by keyboard while the captcha does not load, leaves the focus on the heading', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/register', {
      signedIn: false,
      before: (api) => api.answer('GET /api/captcha', { status: 500 }),
    })
    await fill(page)
    await registerButton(page).click()
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    const load = api.hold('GET /api/captcha', { status: 500 })

    await again.press('Enter')

    await again.waitFor({ state: 'detached' })
    expect(await isFocused(page.getByRole('heading', { level: 1 }))).toBe(true)
    load()
    await again.waitFor()
  })

  test('No captcha request is made before the form is focused; the email typed once is carried to the next form', async ({
    expect,
    visit,
  }) => {
    const requested: string[] = []
    const { page } = await visit('/dashboard/register', {
      signedIn: false,
      before: (_api, page) => void page.on('request', (request) => requested.push(request.url())),
    })
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(requested.filter((url) => /captcha|altcha|pbkdf2/i.test(url))).toEqual([])

    await page.getByLabel('Email', { exact: true }).focus()
    await expect.poll(() => requested.some((url) => url.endsWith('/api/captcha'))).toBe(true)

    await page.getByLabel('Email', { exact: true }).fill('mara@example.com')
    await page.locator('main').getByRole('link', { name: 'Sign In' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('mara@example.com')
  })

  test("A refusal keeps the input and shows its message: BLOCKED_EMAIL_DOMAIN, ERR_CONFLICT, validation messages as they are, no answer, anything else; then comes the same 'check your email' confirmation; the marketing checkbox is optional", async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/register', { signedIn: false })
    const sent = () => api.calls.filter(({ name }) => name === 'POST /api/register').map(({ body }) => body)
    await fill(page)
    for (const [words, answer, focused] of REFUSALS) {
      api.answer('POST /api/register', answer)
      await registerButton(page).click()
      await page.getByText(words, { exact: true }).waitFor()

      if (focused) await expect.poll(() => focusedName(page), { message: words }).toBe(focused)
      expect(await page.getByLabel('Email', { exact: true }).inputValue(), words).toBe('mara@example.com')
      expect(await page.getByLabel('How did you find us?').inputValue(), words).toBe('friend')
    }

    api.answer('POST /api/register', { body: { ok: true } })
    await registerButton(page).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    expect(sent().at(-1)).toEqual({
      email: 'mara@example.com',
      recaptcha_token: expect.stringMatching(/.{20,}/),
      enable_marketing_emails: false,
      origin: 'friend',
    })
    await page.getByRole('button', { name: 'Use a different email' }).click()
    await page.getByRole('checkbox', { name: /marketing emails/ }).check()
    await registerButton(page).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    expect(sent().at(-1)).toMatchObject({ enable_marketing_emails: true })
    expect(sent()).toHaveLength(REFUSALS.length + 2)
  })

  test('The confirmation names the address that got the link, whatever was typed while the form was sent', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/register', { signedIn: false })
    const release = api.hold('POST /api/register', { body: { ok: true } })
    await fill(page)
    await registerButton(page).click()
    await expect.poll(() => api.count('POST /api/register')).toBe(1)
    await page.getByLabel('Email', { exact: true }).fill('other@example.com')
    release()

    await page.getByText('We sent a login link to mara@example.com.').waitFor()
  })

  test('The form also works for a signed-in user, with the origins reddit_post, reddit_ads, google_search, friend, other; a link inside a checkbox label opens and does not tick the box', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/register')
    const options = page.getByLabel('How did you find us?').locator('option:not([disabled])')
    await options.first().waitFor({ state: 'attached' })
    expect(new URL(page.url()).pathname).toBe('/dashboard/register')
    expect(await options.evaluateAll((all) => all.map((option) => option.getAttribute('value')))).toEqual([
      'reddit_post',
      'reddit_ads',
      'google_search',
      'friend',
      'other',
    ])

    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'disclaimer' }).click()
    await (await opened).close()
    expect(await page.getByRole('checkbox', { name: /disclaimer/ }).isChecked()).toBe(false)
  })
})
