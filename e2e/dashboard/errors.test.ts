import { describe, type ExpectStatic } from 'vitest'
import { chromePath, countLoads, isFocused, type WatchedPage } from '../browser.ts'
import { TRIAL_ACCOUNT } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { goTo } from './go-to.ts'
import { holdCode } from './held-code.ts'
import { signInAgain } from './sign-in-again.ts'

const UNEXPECTED = 'There was an unexpected error. Please try again.'
const NOT_DOWNLOADED = "The page's code could not be downloaded."
const menuItem = (page: WatchedPage, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

/** Address of the help page's script, whatever its hash. */
const HELP_CODE = /\/assets\/help-[^/]+\.js$/

describe.skipIf(!chromePath).concurrent('8. Error catalogue: HTTP mapping', () => {
  test('An account that is not answered, is answered 403, 404, 409, 429, 500 or 503, or is no JSON, null, a list or without a user is reported as missing, breaks nothing, stays signed in, and can be tried again', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    for (const answer of [
      'away' as const,
      ...[403, 404, 409, 429, 500, 503].map((status) => ({
        status,
        body: { errorType: 'ODD', errorMessage: 'Server words.' },
      })),
      ...['<html>', null, [], { hasHadFreeTrial: true }].map((body) => ({ body })),
    ]) {
      const name = JSON.stringify(answer)
      await page.getByText('Current plan').waitFor()
      api.answer('GET /api/account', answer)
      await signInAgain(page)
      await expect.poll(() => page.getByText(UNEXPECTED).count(), { message: name }).toBe(1)
      expect(new URL(page.url()).pathname, name).toBe('/dashboard/account')
      expect(await page.getByRole('banner').getByText('Sign Out').count(), name).toBe(1)
      expect(page.faults, name).toEqual([])

      api.answer('GET /api/account', { body: TRIAL_ACCOUNT })
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => page.getByText('Current plan').count(), { message: name }).toBe(1)
    }
  })

  test('Try again, pressed by keyboard, leaves the focus on the heading of the page when its panel goes', async ({
    expect,
    visit,
  }) => {
    for (const [path, name] of [
      ['/dashboard/account', 'GET /api/account'],
      ['/dashboard/account', 'GET /api/usage'],
      ['/dashboard/historical', 'GET /api/history'],
      ['/dashboard/historical/orders', 'GET /api/history/orders'],
    ] as const) {
      const { page, api } = await visit(path, {
        before: (api) => api.answer(name, { status: 503, body: { errorType: 'ERR_UNAVAILABLE' } }),
      })
      const button = page.getByRole('button', { name: 'Try again' })
      await button.waitFor()
      api.answer(name, { status: 404 })
      await button.press('Enter')
      await expect.poll(() => api.count(name), { message: name }).toBe(2)

      const heading = page.getByRole('heading', { level: 1 })
      await expect.poll(() => isFocused(heading), { message: name }).toBe(true)
    }
  })

  test('A call without an answer times out after 10 s, and one answered 401 redirects to /logout', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Disconnect All' })
    api.answer('POST /api/disconnect', 'silent')
    await page.locator('main').getByRole('button', { name: 'Disconnect All' }).first().click()
    const begun = Date.now()
    await confirm.click()
    await page.getByText('Failed to disconnect connections. Please try again.').waitFor({ timeout: 40_000 })
    expect(Date.now() - begun).toBeGreaterThan(9_500)

    api.answer('POST /api/disconnect', { status: 401 })
    await confirm.click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/logout')
  })

  test('With the API away every page works: shell, heading, no script error, and typed input stays', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/register', {
      signedIn: false,
      before: (api) => api.answer('*', 'away'),
    })
    await page.getByLabel('Email', { exact: true }).fill('mara@example.com')
    await page.getByLabel('How did you find us?').selectOption('other')
    await page.getByRole('checkbox', { name: /terms/ }).check()
    await page.getByRole('checkbox', { name: /disclaimer/ }).check()
    await page.locator('main').getByRole('button', { name: 'Register' }).click()
    await page.getByText('Recaptcha not loaded').waitFor()
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('mara@example.com')

    await page.goto(`${serviceUrl}/dashboard/login`)
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    for (const [path, heading] of [
      ['/dashboard/help', 'Help'],
      ['/dashboard/guides', 'Guides'],
      ['/dashboard/historical', 'Historical data'],
    ] as const) {
      await goTo(page, path)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    }
    expect(page.faults).toEqual([])
  })

  test('With a slow API the shell shows at once, and the account when it arrives', async ({
    expect,
    visit,
  }) => {
    let release = () => {}
    const { page } = await visit('/dashboard/account', {
      before: (api) => {
        release = api.hold('GET /api/account', { body: TRIAL_ACCOUNT })
      },
    })
    await page.getByRole('heading', { name: 'Account' }).waitFor()
    expect(await page.getByRole('banner').getByText('Sign Out').count()).toBe(1)

    release()
    await page.getByText('Current plan').waitFor()
  })
})

describe.skipIf(!chromePath).concurrent('8. Script chunks', () => {
  test('Script chunk load failure raises a chunk-load error (missing): panel with Reload, after one automatic reload; code that loaded but did not run raises another (other)', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/guides', {
      before: async (_api, page) => {
        await page.route(HELP_CODE, (route) => route.fulfill({ status: 404, body: '' }))
      },
    })
    // A link that is pressed before the page is drawn is followed by the browser, which loads a document.
    await page.getByRole('heading', { name: 'Guides' }).waitFor()
    const loads = countLoads(page)
    await menuItem(page, 'Help').click()
    await page.getByText(NOT_DOWNLOADED).waitFor()

    expect(loads()).toBe(1)
    expect(await page.locator('main').innerText()).toMatch(/missing/)
    expect(await page.getByRole('banner').count()).toBe(1)
    await page.unroute(HELP_CODE)
    await page.route(HELP_CODE, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken")' }),
    )
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByText("The page's code did not run.").waitFor()
    expect(await page.locator('main').innerText()).toMatch(/other/)
    // The code is available again: Reload shows the page.
    await page.unroute(HELP_CODE)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Help' }).waitFor()
  })

  test('Without a connection the shell says so, Account, Help and Sign Out open, another page has Try again, and everything works once the connection is back', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/guides', { cold: true })
    await page.getByRole('heading', { name: 'Guides' }).waitFor()
    await codeAhead(page, expect)
    await page.context().setOffline(true)
    await page.getByRole('status').getByText('The server cannot be reached.').waitFor()
    const loads = countLoads(page)
    await menuItem(page, 'Help').click()
    await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
    await menuItem(page, 'Account').click()
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await menuItem(page, 'Test Console').click()
    await page.getByText(NOT_DOWNLOADED).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('main').getByText('The server cannot be reached.').waitFor()
    expect(loads()).toBe(0)
    await page.goBack()
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    await page.goForward()
    await page.getByText(NOT_DOWNLOADED).waitFor()

    await page.context().setOffline(false)
    await expect
      .poll(() => page.getByRole('status').getByText('The server cannot be reached.').count())
      .toBe(0)
    await page.getByRole('button', { name: /^(Try again|Reload)$/ }).click()
    await page.getByRole('heading', { name: 'Test Console', level: 1 }).waitFor()
    // The page may have been reloaded.
    await codeAhead(page, expect)
    await page.context().setOffline(true)
    await page.getByRole('banner').getByText('Sign Out').click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  })

  test('A page whose code is slow is marked in the menu at once, and its placeholder replaces the previous page', async ({
    expect,
    visit,
  }) => {
    let release = () => {}
    const { page } = await visit('/dashboard/guides', {
      before: async (_api, page) => {
        release = await holdCode(page, 'help')
      },
    })
    await page.getByRole('heading', { name: 'Guides' }).waitFor()
    await menuItem(page, 'Help').click()
    await page.locator('main > [aria-busy="true"]').waitFor()
    expect(await menuItem(page, 'Help').getAttribute('aria-current')).toBe('page')
    expect(await page.getByRole('heading', { name: 'Guides' }).isVisible()).toBe(false)

    release()
    const heading = page.getByRole('heading', { name: 'Help', level: 1 })
    await heading.waitFor()
    expect(await isFocused(heading)).toBe(true)
    expect(await page.title()).toBe('Help · Pairwire')
  })

  test('Time-out after 120 seconds raises a chunk-load error (timeout)', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/guides', {
      clock: true,
      before: async (_api, page) => {
        await holdCode(page, 'help')
      },
    })
    await page.getByRole('heading', { name: 'Guides' }).waitFor()
    // The one automatic reload is used up, so that the clock need not be moved twice.
    await page.evaluate(
      `sessionStorage.setItem('chunk.reloaded', document.querySelector('script[type=module]').src)`,
    )
    await menuItem(page, 'Help').click()
    await page.waitForURL('**/dashboard/help')
    // The address changes before the page is drawn and its timeout begins.
    await page.locator('main > [aria-busy="true"]').waitFor()
    await page.clock.fastForward(121_000)
    await page.getByText(NOT_DOWNLOADED).waitFor()

    expect(await page.locator('main').innerText()).toMatch(/timeout/)
  })
})

/** Waits for the code that an idle page prefetches: the small pages, and their dependencies, which may come later. */
async function codeAhead(page: WatchedPage, expect: ExpectStatic): Promise<void> {
  const loaded = 'performance.getEntriesByType("resource").map(({ name }) => name)'
  const linked = `[...document.querySelectorAll('link[rel="modulepreload"], link[rel="stylesheet"]')].map(({ href }) => href)`
  const isSmall = (name: string) => /\/assets\/(account|help|logout)-[\w-]{8}\.js$/.test(name)
  await expect
    .poll(async () => {
      const names = await page.evaluate<string[]>(loaded)
      const missing = (await page.evaluate<string[]>(linked)).filter((href) => !names.includes(href))
      return { small: names.filter(isSmall).length, missing }
    })
    .toEqual({ small: 3, missing: [] })
}
