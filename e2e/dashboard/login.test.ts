import { describe } from 'vitest'
import { chromePath, isFocused } from '../browser.ts'
import { doubleApi, sessionToken, TRIAL_ACCOUNT } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'

const REFUSED = 'Invalid email. Please try again...'
const UNKNOWN = 'Sorry, an unknown error occoured. Please try again later.'
const loginRequired = { status: 401, body: { errorType: 'ERR_LOGIN_REQUIRED', errorMessage: 'No.' } }

describe.skipIf(!chromePath).concurrent('Login: sections 2, 4, 5 and 8', () => {
  test("Email is required (Please enter an email address); the input is an email-typed, required field; with one comes a 'check your email' confirmation; a second press while it is busy sends nothing, and the button keeps its width", async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/login', { signedIn: false })
    const input = page.getByLabel('Email')
    const button = page.getByRole('button', { name: 'Send login link' })
    await button.click()
    await page.getByText('Please enter an email address').waitFor()
    expect(await input.getAttribute('type')).toBe('email')
    expect(await input.getAttribute('required')).not.toBeNull()
    expect(await input.getAttribute('aria-invalid')).toBe('true')
    expect(await isFocused(input)).toBe(true)
    const described = await input.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).innerText()).toBe('Please enter an email address')
    expect(api.count('POST /api/login')).toBe(0)

    const release = api.hold('POST /api/login', { body: { ok: true } })
    await input.fill('mara@example.com')
    const before = await button.boundingBox()
    await input.press('Enter')
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
    await button.click({ force: true })
    expect((await button.boundingBox())?.width).toBe(before?.width)

    release()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    expect(api.calls.filter(({ name }) => name === 'POST /api/login').map(({ body }) => body)).toEqual([
      { email: 'mara@example.com' },
    ])
    expect(await page.locator('main').innerText()).toMatch(/check your email/i)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
  })

  test('Resend, pressed by keyboard, leaves the focus on the heading while it counts down again', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/login', { signedIn: false, clock: true })
    await page.getByLabel('Email').fill('mara@example.com')
    await page.getByLabel('Email').press('Enter')
    const resend = page.getByRole('button', { name: /^Resend/ })
    await resend.waitFor()
    await resend.press('Enter')
    for (let second = 0; second < 30; second++) await page.clock.runFor(1_000)
    await page.getByText('Resend', { exact: true }).waitFor()
    expect(api.count('POST /api/login')).toBe(1)

    await resend.press('Enter')

    await page.getByText('Resend in 30 s').waitFor()
    expect(api.count('POST /api/login')).toBe(2)
    expect(await isFocused(page.getByRole('heading', { level: 1 }))).toBe(true)
  })

  test('The form that comes back for a different email, asked for by keyboard, has the focus on its heading', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/login', { signedIn: false })
    await page.getByLabel('Email').fill('mara@example.com')
    await page.getByLabel('Email').press('Enter')

    await page.getByRole('button', { name: 'Use a different email' }).press('Enter')

    await expect.poll(() => isFocused(page.getByRole('heading', { name: 'Sign in' }))).toBe(true)
  })

  test("ERR_LOGIN_REQUIRED shows 'Invalid email. Please try again...' and does not redirect to /logout; anything else shows the unknown error: no answer, 403, 404, 409, 429, 500 with an errorType", async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/login', { signedIn: false })
    const email = page.getByLabel('Email')
    await email.fill('nobody@example.com')
    for (const [answer, words] of [
      [loginRequired, REFUSED],
      ['away', UNKNOWN],
      [{ status: 403, body: { errorType: 'X', errorMessage: 'Server words.' } }, UNKNOWN],
      [{ status: 404 }, UNKNOWN],
      [{ status: 409 }, UNKNOWN],
      [{ status: 429 }, UNKNOWN],
      [{ status: 500, body: { errorType: 'ERR_ODD', errorMessage: 'Server words.' } }, UNKNOWN],
    ] as const) {
      const name = JSON.stringify(answer)
      const release = api.hold('POST /api/login', answer)
      await page.getByRole('button', { name: 'Send login link' }).click()
      // The words of the previous answer are gone meanwhile.
      await page.getByRole('alert').getByText(/./).waitFor({ state: 'detached' })
      release()
      await page.getByRole('alert').getByText(/./).waitFor()

      expect(await page.getByRole('alert').allInnerTexts(), name).toContain(words)
      expect(new URL(page.url()).pathname, name).toBe('/dashboard/login')
      expect(await email.inputValue(), name).toBe('nobody@example.com')
    }
  })

  test('With storage that is full or blocked a mailed link signs in all the same, until the page is left', async ({
    visit,
  }) => {
    for (const methods of [['setItem'], ['setItem', 'getItem', 'removeItem']]) {
      const { page } = await visit('/dashboard/login?t=mailed', {
        signedIn: false,
        before: async (_api, page) => {
          await page.addInitScript((methods) => {
            for (const method of methods) {
              Object.defineProperty(Storage.prototype, method, {
                value: () => {
                  throw new DOMException('No room.', 'QuotaExceededError')
                },
              })
            }
          }, methods)
        },
      })

      await page.getByText('Current plan').waitFor()
      await page.getByRole('banner').getByText('Sign Out').click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    }
  })

  test('With ?t= present the form is not shown while the token is exchanged; then the user goes to /dashboard, and the mailed token does not come back with Back', async ({
    expect,
    visit,
  }) => {
    const token = sessionToken()
    const requested: string[] = []
    const { page, api } = await visit('/dashboard/help', { signedIn: false })
    const release = api.hold('POST /api/authenticate', { body: { token } })
    page.on('request', (request) => requested.push(`${request.url()} ${request.headers().referer ?? ''}`))
    await page.goto(`${serviceUrl}/dashboard/login?t=mailed-token`)
    await page.getByRole('heading', { name: 'Signing you in' }).waitFor()
    expect(await page.getByLabel('Email').count()).toBe(0)

    release()
    await page.getByText('Current plan').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/dashboard(\/account)?$/)
    expect(await page.evaluate("localStorage.getItem('token')")).toBe(token)
    expect(api.calls.find(({ name }) => name === 'POST /api/authenticate')?.body).toEqual({
      email_token: 'mailed-token',
    })
    expect(api.count('POST /api/authenticate')).toBe(1)
    // The mailed token is only in the page's own address and in the exchange, in no other request.
    expect(requested.filter((line) => line.includes('mailed-token'))).toHaveLength(1)

    await page.goBack()
    await page.getByRole('heading', { name: 'Help' }).waitFor()
    expect(page.url()).not.toContain('mailed-token')
  })

  test('With ?t= present, an older session that the server refuses does no harm', async ({
    expect,
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

  test('A failed exchange shows the form with the error above it: a refused token, no answer, an answer without a token', async ({
    expect,
    open,
  }) => {
    const page = await open()
    const api = await doubleApi(page, serviceUrl)
    for (const [name, answer, words] of [
      ['a refused token', loginRequired, REFUSED],
      ['no answer', 'away', UNKNOWN],
      ['an answer without a token', { body: {} }, UNKNOWN],
    ] as const) {
      api.answer('POST /api/authenticate', answer)
      await page.goto(`${serviceUrl}/dashboard/login?t=spent`)
      const error = page.getByRole('alert').getByText(words)
      await error.waitFor()
      const remedy = 'This link was used or has expired. Send yourself a new one.'
      expect(await page.getByText(remedy).count(), name).toBe(words === REFUSED ? 1 : 0)

      const [above, below] = [await error.boundingBox(), await page.getByLabel('Email').boundingBox()]
      expect(above!.y, name).toBeLessThan(below!.y)
      expect(new URL(page.url()).pathname, name).toBe('/dashboard/login')
      expect(await page.evaluate("localStorage.getItem('token')"), name).toBeNull()
    }
  })

  test('An unreadable session token is kept and signs nobody in: the form says so on /dashboard', async ({
    expect,
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

  test('A user who is already signed in goes to /dashboard', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/login')
    await page.getByText('Current plan').waitFor()

    expect(new URL(page.url()).pathname).toBe('/dashboard')
  })
})
