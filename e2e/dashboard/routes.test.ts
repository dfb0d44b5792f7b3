import type { Locator } from 'playwright-core'
import { describe } from 'vitest'
import { chromePath, countLoads } from '../browser.ts'
import { STORY_MS } from '../story-time.ts'
import { PAID_ACCOUNT, sessionToken } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { goTo } from './go-to.ts'
import { signInAgain } from './sign-in-again.ts'

const ROUTES = [
  '/dashboard',
  '/dashboard/account',
  '/dashboard/console',
  '/dashboard/guides',
  '/dashboard/help',
  '/dashboard/login',
  '/dashboard/register',
  '/dashboard/upgrade',
  '/dashboard/payment',
  '/dashboard/historical',
  '/dashboard/historical/shop',
  '/dashboard/historical/orders',
]

describe.skipIf(!chromePath).concurrent('2. Screens and routes', () => {
  test('All routes are under /dashboard, inside a shell with a top bar and a left menu', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    await page.locator('main h1').waitFor()

    for (const path of ROUTES) {
      expect((await page.request.get(serviceUrl + path)).status()).toBe(200)
      await goTo(page, path)
      await page.locator('main h1').waitFor()
      const items = page.getByRole('navigation', { name: 'Main' }).getByRole('link')

      expect(await page.getByRole('banner').count()).toBe(1)
      expect(await items.allInnerTexts()).toEqual(['Account', 'Test Console', 'System Status', 'Help'])
    }
  })

  test('Any other path redirects to /404, which shows the asked path, and Back returns to the page before it: /nowhere, /dashboard/nowhere, /dashboard/historical/nowhere', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    for (const path of ['/nowhere', '/dashboard/nowhere', '/dashboard/historical/nowhere']) {
      const answer = await page.request.get(serviceUrl + path, { maxRedirects: 0 })
      expect(answer.headers().location, path).toBe('/404')
      await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
      await goTo(page, path)
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
      expect(new URL(page.url()).pathname, path).toBe('/404')
      expect(await page.locator('main bdi').innerText(), path).toBe(path)
      expect(await page.locator('main').getByRole('link').allInnerTexts()).toEqual(['Account', 'Docs'])
      await page.goBack()
    }
    await page.goto(`${serviceUrl}/dashboard/nowhere`)
    await page.waitForURL(`${serviceUrl}/404`)
    expect(await page.locator('main h1').innerText()).toBe('Page not found')
    expect(await page.locator('main bdi').innerText()).toBe('/dashboard/nowhere')
  })

  test('An icon for all browsers, rules for search engines and a card for shared links lie beside the pages', async ({
    expect,
    open,
  }) => {
    const { request } = await open()
    const read = async (path: string) => {
      const answer = await request.get(serviceUrl + path)
      return { type: answer.headers()['content-type'], bytes: await answer.body() }
    }

    expect([...(await read('/favicon.ico')).bytes.subarray(0, 6)]).toEqual([0, 0, 1, 0, 3, 0])
    expect(String((await read('/robots.txt')).bytes)).toContain('Disallow: /api/')
    expect((await read('/card.png')).type).toBe('image/png')
  })

  test('/dashboard, its account, console, upgrade and orders show the login form when no user is signed in', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard', { signedIn: false })
    for (const path of [
      '/dashboard',
      '/dashboard/account',
      '/dashboard/console',
      '/dashboard/upgrade',
      '/dashboard/historical/orders',
    ]) {
      await goTo(page, path)
      await expect
        .poll(() => page.getByRole('heading', { name: 'Sign in' }).count(), { message: path })
        .toBe(1)
      expect(await page.getByLabel('Email').getAttribute('type'), path).toBe('email')
      expect(new URL(page.url()).pathname, path).toBe(path)
      await goTo(page, '/dashboard/help')
      await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
    }
  })

  test('Help has a Livechat button, a support email link, and links to Discord, Github, X and Reddit; when signed out, the top bar has Sign In and Register buttons', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', { signedIn: false })
    await page.getByRole('link', { name: 'support@example.com' }).waitFor()
    const main = page.locator('main')

    expect(await main.getByRole('button', { name: 'Livechat' }).count()).toBe(1)
    expect(await main.getByRole('link', { name: 'support@example.com' }).getAttribute('href')).toBe(
      'mailto:support@example.com',
    )
    for (const [name, href] of [
      ['Discord', 'https://discord.example/'],
      ['Github', 'https://github.example/'],
      ['X', 'https://x.example/'],
      ['Reddit', 'https://reddit.example/'],
    ] as const) {
      const link = main.getByRole('link', { name, exact: true })
      expect(await link.getAttribute('href')).toBe(href)
      expect(await link.getAttribute('rel')).toContain('noopener')
    }

    const bar = page.getByRole('banner')

    expect(await bar.getByText('Docs').count()).toBe(0)
    await bar.getByRole('button', { name: 'Register', exact: true }).click()
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    expect(await page.getByRole('button', { name: 'Register', exact: true }).count()).toBe(1)
    await bar.getByRole('button', { name: 'Sign In', exact: true }).press(' ')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('When signed in, the top bar links to Docs (/docs) and Sign Out; System Status is an external public metrics dashboard', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', { config: { statusUrl: 'https://status.example/' } })
    // There is one such link, even on the page with the most of them.
    const item = page.getByRole('link', { name: 'System Status' })

    await expect.poll(() => item.getAttribute('href')).toBe('https://status.example/')
    expect(await item.getAttribute('target')).toBe('_blank')
    expect(await item.getAttribute('rel')).toContain('noopener')

    const bar = page.getByRole('banner')
    expect(await bar.getByRole('link', { name: 'Docs' }).getAttribute('href')).toBe('/docs')
    expect(await bar.getByText('Sign Out').count()).toBe(1)
    expect(await bar.getByText('Sign In').count()).toBe(0)
    expect(await bar.getByRole('link', { name: 'Pairwire' }).getAttribute('href')).toBe('/dashboard')
  })

  test('A dismissible info banner shows the first system status item’s Details text, as typed, without markup, when the status list is not empty', async ({
    expect,
    visit,
  }) => {
    const late = '<b>Swaps</b> are late. <img src=x onerror=alert(1)>'
    const { page, api } = await visit('/dashboard/help', {
      before: (api) =>
        api.answer('GET /api/systemstatus', { body: [{ Details: late }, { Details: 'Older news.' }] }),
    })
    await page.getByText(late).waitFor()
    expect(page.faults).toEqual([])

    expect(api.count('GET /api/systemstatus')).toBe(1)
    expect(await page.getByText('Older news.').count()).toBe(0)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    expect(await page.getByText(late).count()).toBe(0)

    // The same notice stays dismissed in this browser session; another one appears.
    await page.reload()
    await page.getByRole('heading', { name: 'Help' }).waitFor()
    expect(await page.getByText(late).count()).toBe(0)
    api.answer('GET /api/systemstatus', { body: [{ Details: 'Swaps are back. Data is simulated.' }] })
    await page.reload()
    await page.getByText('Swaps are back.').waitFor()
    const link = page.getByRole('link', { name: 'Data is simulated.' })
    expect(await link.getAttribute('href')).toBe('/docs/self-hosting#live')
  })

  test('With an empty status list, or none at all, there is no banner', async ({ expect, visit }) => {
    const { page, api } = await visit('/dashboard/help', { clock: true })
    const dismiss = page.getByRole('button', { name: 'Dismiss' })
    await page.getByRole('heading', { name: 'Help' }).waitFor()
    expect(await dismiss.count()).toBe(0)

    for (const answer of [
      { body: [] },
      'away',
      { status: 500, body: 'no' },
      { body: { items: 1 } },
    ] as const) {
      // The page polls every minute. A visible banner disappears, which shows that the answer was read.
      api.answer('GET /api/systemstatus', { body: [{ Details: 'Swaps are late.' }] })
      await page.clock.fastForward(60_000)
      await page.getByText('Swaps are late.').waitFor()
      api.answer('GET /api/systemstatus', answer)
      await page.clock.fastForward(60_000)
      await expect.poll(() => dismiss.count(), { message: JSON.stringify(answer) }).toBe(0)
    }
  })

  test('An expired token counts as signed out and loads no account', async ({ expect, visit }) => {
    const { page, api } = await visit('/dashboard', { token: sessionToken('expired') })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()

    expect(api.count('GET /api/account')).toBe(0)
  })

  test('On start, a valid token loads the account, with the token as bearer; /dashboard and /dashboard/account show the same page', async ({
    expect,
    visit,
  }) => {
    const token = sessionToken()
    const { page, api } = await visit('/dashboard', { token })
    await page.getByText('Current plan').waitFor()
    // The panel comes last, in a chunk of its own.
    await page.getByText('Webhook docs').waitFor()

    expect(api.calls.find(({ name }) => name === 'GET /api/account')?.headers.authorization).toBe(
      `Bearer ${token}`,
    )
    const first = await page.locator('main').innerText()
    await page.goto(`${serviceUrl}/dashboard/account`)
    await page.getByText('Current plan').waitFor()
    await page.getByText('Webhook docs').waitFor()
    expect(await page.locator('main').innerText()).toBe(first)
  })

  test('A device whose clock is far ahead stays signed in: the server’s clock says when a token expires', async ({
    visit,
  }) => {
    const { page } = await visit('/dashboard', {
      clock: true,
      before: async (api, page) => {
        await page.clock.setSystemTime(Date.now() + 40 * 86_400_000)
        // With its date.
        api.answer('GET /api/config', 'from the service')
      },
    })
    await page.getByText('Current plan').waitFor()
    await page.getByRole('link', { name: 'Sign Out' }).first().waitFor()
  })

  test('A token that expires while the page is open is not sent with a call, which ends at the logout page, as does a session found to have expired', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard', { account: PAID_ACCOUNT })
    await pressWithExpiredToken(page.getByRole('button', { name: 'Manage Plan' }))
    await page.getByText('Your session ended. Sign in again.').waitFor()

    expect(new URL(page.url()).pathname).toBe('/logout')
    expect(api.count('GET /api/subscription/manage')).toBe(0)

    await signInAgain(page)
    await goTo(page, '/dashboard')
    await pressWithExpiredToken(page.getByRole('button', { name: 'Disconnect All' }))
    await page.getByText('Your session ended. Sign in again.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/logout')
  })

  test("Guides shows placeholder text only, Payment the static message 'Follow Payment Screen Instructions...'", async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/guides', { signedIn: false })
    await page.getByRole('heading', { name: 'Guides' }).waitFor()

    expect(await page.locator('main').innerText()).toMatch(/^Guides\s+Guides will appear on this page\./)
    expect(await page.locator('main').getByRole('button').count()).toBe(0)
    await expect
      .poll(() => api.calls.map(({ name }) => name).sort())
      .toEqual(['GET /api/config', 'GET /api/systemstatus'])

    await goTo(page, '/dashboard/payment')
    await expect.poll(() => page.locator('main h1').innerText()).toBe('Follow Payment Screen Instructions...')
  })
})

describe.skipIf(!chromePath).concurrent('4. Sign out', () => {
  test('Sign out ends the session at the server with its token, removes that, and reloads the page, once; also if the server is away, does not answer, or answers 500 or 401', {
    timeout: STORY_MS,
  }, async ({ expect, visit }) => {
    const { page, api } = await visit('/dashboard')
    for (const answer of [{ body: {} }, 'away', 'silent', { status: 500 }, { status: 401 }] as const) {
      const name = JSON.stringify(answer)
      api.answer('POST /api/logout', answer)
      const token = await signInAgain(page)
      await goTo(page, '/dashboard')
      await page.getByText('Current plan').waitFor()
      const loads = countLoads(page)
      const before = api.calls.length
      await page.getByRole('banner').getByText('Sign Out').click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()

      expect(loads(), name).toBe(1)
      expect(await page.evaluate("localStorage.getItem('token')"), name).toBeNull()
      await page.getByRole('banner').getByText('Sign In').waitFor()
      expect(await page.getByText('Your session ended.').count(), name).toBe(0)
      const calls = api.calls.slice(before).filter((call) => call.name === 'POST /api/logout')
      expect(calls[0]?.headers.authorization, name).toBe(`Bearer ${token}`)
      expect(calls, name).toHaveLength(1)
    }
  })

  test('An invalid or expired token on an authenticated call sends the user to the logout page', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard', {
      before: (api) =>
        api.answer('GET /api/account', {
          status: 401,
          body: { errorType: 'ERR_LOGIN_REQUIRED', errorMessage: 'Sign in again.' },
        }),
    })
    await page.getByText('Your session ended. Sign in again.').waitFor()

    expect(new URL(page.url()).pathname).toBe('/logout')
    expect(await page.evaluate("localStorage.getItem('token')")).toBeNull()
    expect(api.count('GET /api/account')).toBe(1)
  })
})

/** In one go: a page that draws in between finds the expired token by itself, and the button is gone. */
async function pressWithExpiredToken(button: Locator): Promise<void> {
  await button.waitFor()
  await button.evaluate((element, token) => {
    localStorage.setItem('token', token)
    if (element instanceof HTMLElement) element.click()
  }, sessionToken('expired'))
}
