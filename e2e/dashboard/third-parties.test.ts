import type { Route } from 'playwright-core'
import { describe } from 'vitest'
import { chromePath, type WatchedPage } from '../browser.ts'
import { sessionToken } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { goTo } from './go-to.ts'

const CRISP = '5f0c2a9e-71d8-4b36-a5e0-f1c2d3b4a596'
const OTHERS = /crisp|clarity|bing|sentry|google|gstatic|errors\.example/

/** Doubles of the third parties' scripts; each records that it was fetched. */
async function doubleThirdParties(page: WatchedPage): Promise<string[]> {
  const fetched: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(serviceUrl)) fetched.push(request.url())
  })
  const script = (body: string) => ({ contentType: 'text/javascript', body })
  await page.route(OTHERS, (route) => {
    const url = route.request().url()
    if (url.includes('crisp')) {
      return route.fulfill(
        script(
          'window.chat = [...window.$crisp]; window.$crisp = { push: (command) => window.chat.push(command) }',
        ),
      )
    }
    if (url.includes('recaptcha')) {
      return route.fulfill(
        script(
          "window.grecaptcha = { ready: (done) => done(), execute: async (key, { action }) => key + ':' + action }",
        ),
      )
    }
    return route.fulfill(script(''))
  })
  // The service has none of them configured, so its policy would block them: the API's own tests cover the policy.
  const session = await page.context().newCDPSession(page)
  await session.send('Page.enable')
  await session.send('Page.setBypassCSP', { enabled: true })
  return fetched
}

describe.skipIf(!chromePath).concurrent('7. Third parties', () => {
  test('Nothing is requested from any third party while it is off, and the policy allows none', async ({
    expect,
    visit,
  }) => {
    const fetched: string[] = []
    const { page } = await visit('/dashboard/register', {
      signedIn: false,
      before: (_api, page) => {
        page.on('request', (request) => {
          if (!request.url().startsWith(serviceUrl)) fetched.push(request.url())
        })
      },
    })
    await page.getByLabel('Email', { exact: true }).click()
    for (const [path, heading] of [
      ['/dashboard/help', 'Help'],
      ['/dashboard/login', 'Sign in'],
      ['/logout', 'You are signed out'],
    ] as const) {
      await goTo(page, path)
      await page.getByRole('heading', { name: heading, level: 1 }).click()
    }
    const policy = (await page.request.get(`${serviceUrl}/dashboard`)).headers()['content-security-policy']

    expect(fetched).toEqual([])
    expect(policy).not.toMatch(OTHERS)
    expect(page.faults).toEqual([])
  })

  test('Livechat fetches the chat when it is pressed and not before; a chat that does not load says so and can be pressed again; Sign Out resets it', async ({
    expect,
    visit,
  }) => {
    let fetched: string[] = []
    const { page } = await visit('/dashboard/help', {
      config: { thirdParties: { crispWebsiteId: CRISP } },
      before: async (_api, page) => {
        fetched = await doubleThirdParties(page)
      },
    })
    const button = page.getByRole('button', { name: 'Livechat' })
    await button.waitFor()
    await page.waitForLoadState('networkidle')
    expect(fetched).toEqual([])

    const refuse = (route: Route) => route.abort()
    await page.route(OTHERS, refuse)
    await button.click()
    await page.getByText('The chat did not load.').waitFor()
    await expect.poll(() => button.getAttribute('aria-busy')).toBeNull()
    await page.unroute(OTHERS, refuse)
    await button.click()
    await expect.poll(() => page.evaluate('window.chat')).toContainEqual(['do', 'chat:open'])
    expect(fetched).toEqual(['https://client.crisp.chat/l.js', 'https://client.crisp.chat/l.js'])
    expect(await page.evaluate('window.CRISP_WEBSITE_ID')).toBe(CRISP)

    await page.evaluate("document.cookie = 'crisp-client%2Fsession%2Fx=1; path=/'")
    await page.getByRole('banner').getByText('Sign Out').click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(await page.evaluate('document.cookie')).not.toContain('crisp')
  })

  test('Analytics begins with the first press, and the page’s text is masked', async ({ expect, visit }) => {
    let fetched: string[] = []
    const { page } = await visit('/dashboard/guides', {
      config: { thirdParties: { clarityProjectId: 'abc123' } },
      before: async (_api, page) => {
        fetched = await doubleThirdParties(page)
      },
    })
    await page.getByRole('heading', { name: 'Guides' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(fetched).toEqual([])

    await expect
      .poll(async () => {
        await page.locator('main h1').click()
        return fetched
      })
      .toEqual(['https://www.clarity.ms/tag/abc123'])
    expect(await page.locator('main').getAttribute('data-clarity-mask')).toBe('true')
  })

  test('An error-reporting service (production only) gets uncaught errors', async ({ expect, visit }) => {
    const reports: string[] = []
    const open = (production: boolean) =>
      visit('/dashboard/guides', {
        config: { production, thirdParties: { sentryDsn: 'https://key@errors.example/42' } },
        before: async (_api, page) => {
          await doubleThirdParties(page)
          page.on('request', (request) => {
            if (request.url().startsWith('https://errors.example/')) reports.push(request.postData() ?? '')
          })
        },
      })
    const fail = (page: WatchedPage) => page.evaluate("setTimeout(() => { throw new Error('told') })")

    const { page: quiet } = await open(false)
    await quiet.getByRole('heading', { name: 'Guides' }).waitFor()
    await quiet.waitForLoadState('networkidle')
    await fail(quiet)
    const { page } = await open(true)
    await expect
      .poll(async () => {
        await fail(page)
        return reports.length
      })
      .toBeGreaterThan(0)

    expect(quiet.faults).toHaveLength(1)
    expect(reports[0]).toContain('"value":"told"')
    expect(reports.join()).not.toContain(sessionToken().slice(0, 20))
  })

  test("A captcha runs invisibly: 'Recaptcha not loaded' if its script is missing, else the provider’s token is sent", async ({
    expect,
    visit,
  }) => {
    let fetched: string[] = []
    const { page, api } = await visit('/dashboard/register', {
      signedIn: false,
      config: { captcha: { provider: 'recaptcha', siteKey: 'site-key' } },
      before: async (_api, page) => {
        fetched = await doubleThirdParties(page)
      },
    })
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(fetched).toEqual([])

    const refuse = (route: Route) => route.abort()
    await page.route(OTHERS, refuse)
    await page.getByLabel('Email', { exact: true }).fill('mara@example.com')
    await page.getByLabel('How did you find us?').selectOption('other')
    await page.getByRole('checkbox', { name: /terms/ }).check()
    await page.getByRole('checkbox', { name: /disclaimer/ }).check()
    await page.locator('main').getByRole('button', { name: 'Register' }).click()
    await page.getByText('Recaptcha not loaded').waitFor()
    await page.unroute(OTHERS, refuse)
    fetched.length = 0
    await page.locator('main').getByRole('button', { name: 'Register' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()

    expect(fetched).toEqual([
      expect.stringMatching(/^https:\/\/www\.google\.com\/recaptcha\/api\.js\?render=site-key/),
    ])
    expect(api.calls.find(({ name }) => name === 'POST /api/register')?.body).toMatchObject({
      recaptcha_token: 'site-key:register',
    })
  })
})
