import { describe, expect } from 'vitest'
import { chromePath, isFocused } from '../browser.ts'
import { sessionToken, TRIAL_ACCOUNT } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'

const REFUSED = 'Invalid email. Please try again...'
const UNKNOWN = 'Sorry, an unknown error occoured. Please try again later.'
const loginRequired = { status: 401, body: { errorType: 'ERR_LOGIN_REQUIRED', errorMessage: 'No.' } }

describe.skipIf(!chromePath).concurrent('Login: sections 2, 4, 5 and 8', () => {
  test('Email is required (Please enter an email address); the input is an email-typed, required field', async ({
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/login', { signedIn: false })
    const input = page.getByLabel('Email')
    await page.getByRole('button', { name: 'Send login link' }).click()
    await page.getByText('Please enter an email address').waitFor()

    expect(await input.getAttribute('type')).toBe('email')
    expect(await input.getAttribute('required')).not.toBeNull()
    expect(await input.getAttribute('aria-invalid')).toBe('true')
    expect(await isFocused(input)).toBe(true)
    const described = await input.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).innerText()).toBe('Please enter an email address')
    expect(api.count('POST /api/login')).toBe(0)
  })

  test("Form, then a 'check your email' confirmation on success", async ({ visit }) => {
    const { page, api } = await visit('/dashboard/login', { signedIn: false })
    await page.getByLabel('Email').fill('mara@example.com')
    await page.getByLabel('Email').press('Enter')
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()

    expect(api.calls.find(({ name }) => name === 'POST /api/login')?.body).toEqual({
      email: 'mara@example.com',
    })
    expect(await page.locator('main').innerText()).toMatch(/check your email/i)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
  })

  test('A second press while it is busy sends nothing, and the button keeps its width', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/login', { signedIn: false })
    const release = api.hold('POST /api/login', { body: { ok: true } })
    await page.getByLabel('Email').fill('mara@example.com')
    const button = page.getByRole('button', { name: 'Send login link' })
    const before = await button.boundingBox()
    await button.click()
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
    await button.click({ force: true })

    expect((await button.boundingBox())?.width).toBe(before?.width)
    release()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    expect(api.count('POST /api/login')).toBe(1)
  })

  test("ERR_LOGIN_REQUIRED shows 'Invalid email. Please try again...' and does not lead to /logout", async ({
    visit,
  }) => {
    const { page } = await visit('/dashboard/login', {
      signedIn: false,
      before: (api) => api.answer('POST /api/login', loginRequired),
    })
    await page.getByLabel('Email').fill('nobody@example.com')
    await page.getByRole('button', { name: 'Send login link' }).click()
    await page.getByRole('alert').getByText(REFUSED).waitFor()

    expect(new URL(page.url()).pathname).toBe('/dashboard/login')
    expect(await page.getByLabel('Email').inputValue()).toBe('nobody@example.com')
  })

  test.for([
    ['no answer', 'away'],
    ['403', { status: 403, body: { errorType: 'X', errorMessage: 'Server words.' } }],
    ['404', { status: 404 }],
    ['409', { status: 409 }],
    ['429', { status: 429 }],
    ['500 with an errorType', { status: 500, body: { errorType: 'ERR_ODD', errorMessage: 'Server words.' } }],
  ] as const)('Anything else shows the unknown error: %s', async ([, answer], { visit }) => {
    const { page } = await visit('/dashboard/login', {
      signedIn: false,
      before: (api) => api.answer('POST /api/login', answer),
    })
    await page.getByLabel('Email').fill('mara@example.com')
    await page.getByRole('button', { name: 'Send login link' }).click()
    await page.getByRole('alert').getByText(UNKNOWN).waitFor()

    expect(await page.getByLabel('Email').inputValue()).toBe('mara@example.com')
  })

  test('With ?t= present, the token is exchanged and the user goes to /dashboard', async ({ visit }) => {
    const token = sessionToken()
    const requested: string[] = []
    const { page, api } = await visit('/dashboard/login?t=mailed-token', {
      signedIn: false,
      before: (api, page) => {
        api.answer('POST /api/authenticate', { body: { token } })
        page.on('request', (request) => requested.push(`${request.url()} ${request.headers().referer ?? ''}`))
      },
    })
    await page.getByText('Current plan').waitFor()

    expect(new URL(page.url()).pathname).toMatch(/^\/dashboard(\/account)?$/)
    expect(await page.evaluate("localStorage.getItem('token')")).toBe(token)
    expect(api.calls.find(({ name }) => name === 'POST /api/authenticate')?.body).toEqual({
      email_token: 'mailed-token',
    })
    expect(api.count('POST /api/authenticate')).toBe(1)
    // The mailed token travels in the page's own address and in the exchange, in no other request.
    expect(requested.filter((line) => line.includes('mailed-token'))).toHaveLength(1)
  })

  test('With ?t= present, an older session that the server refuses does not stand in the way', async ({
    visit,
  }) => {
    const token = sessionToken()
    const older = `${token}-older`
    const { page, api } = await visit('/dashboard/login?t=mailed-token', {
      token: older,
      before: (api) => {
        api.answer('POST /api/authenticate', { body: { token } })
        api.answer('GET /api/account', ({ headers }) =>
          headers.authorization === `Bearer ${token}` ? { body: TRIAL_ACCOUNT } : { status: 401 },
        )
      },
    })
    await page.getByText('Current plan').waitFor()

    expect(new URL(page.url()).pathname).toBe('/dashboard')
    expect(await page.evaluate("localStorage.getItem('token')")).toBe(token)
    expect(api.count('GET /api/account')).toBe(1)
  })

  test('The mailed token does not come back with Back', async ({ visit }) => {
    const { page } = await visit('/dashboard/help', { signedIn: false })
    await page.goto(`${serviceUrl}/dashboard/login?t=mailed-token`)
    await page.getByText('Current plan').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Help' }).waitFor()

    expect(page.url()).not.toContain('mailed-token')
  })

  test.for([
    ['a refused token', loginRequired, REFUSED],
    ['no answer', 'away', UNKNOWN],
    ['an answer without a token', { body: {} }, UNKNOWN],
  ] as const)(
    'A failed exchange shows the form with the error above it: %s',
    async ([, answer, words], { visit }) => {
      const { page } = await visit('/dashboard/login?t=spent', {
        signedIn: false,
        before: (api) => api.answer('POST /api/authenticate', answer),
      })
      const error = page.getByRole('alert').getByText(words)
      await error.waitFor()
      const remedy = 'This link was used or has expired. Send yourself a new one.'
      expect(await page.getByText(remedy).count()).toBe(words === REFUSED ? 1 : 0)

      const [above, below] = [await error.boundingBox(), await page.getByLabel('Email').boundingBox()]
      expect(above!.y).toBeLessThan(below!.y)
      expect(new URL(page.url()).pathname).toBe('/dashboard/login')
      expect(await page.evaluate("localStorage.getItem('token')")).toBeNull()
    },
  )

  test('A session token that cannot be read is kept and signs nobody in: the form says so on /dashboard', async ({
    visit,
  }) => {
    const { page } = await visit('/dashboard/login?t=mailed', {
      signedIn: false,
      before: (api) => api.answer('POST /api/authenticate', { body: { token: 'unreadable' } }),
    })
    await page.getByText(UNKNOWN, { exact: true }).waitFor()

    expect(await page.getByLabel('Email').count()).toBe(1)
    expect(new URL(page.url()).pathname).toBe('/dashboard')
    expect(await page.evaluate("localStorage.getItem('token')")).toBe('unreadable')
  })

  test('While the token is exchanged the form is not shown', async ({ visit }) => {
    let release = () => {}
    const { page } = await visit('/dashboard/login?t=mailed', {
      signedIn: false,
      before: (api) => {
        release = api.hold('POST /api/authenticate', { body: { token: sessionToken() } })
      },
    })
    await page.getByRole('heading', { name: 'Signing you in' }).waitFor()

    expect(await page.getByLabel('Email').count()).toBe(0)
    release()
    await page.getByText('Current plan').waitFor()
  })

  test('Somebody who is signed in already goes to /dashboard', async ({ visit }) => {
    const { page } = await visit('/dashboard/login')
    await page.getByText('Current plan').waitFor()

    expect(new URL(page.url()).pathname).toBe('/dashboard')
  })
})
