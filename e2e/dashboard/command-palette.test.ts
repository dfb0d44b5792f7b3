import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { chromePath, expectClean, expectCleanInBothThemes, isFocused } from '../browser.ts'
import { TRIAL_ACCOUNT } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { holdCode } from './held-code.ts'

const EXAMPLE_LABELS = [
  'New pairs',
  'All swaps',
  'Swaps by token',
  'Swaps by wallet',
  'Whale swaps over 10,000 USD',
]

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' })
const field = (page: Page) => palette(page).getByRole('combobox', { name: 'Find a command' })
const options = (page: Page) => palette(page).getByRole('option')
const chosen = (page: Page) => palette(page).locator('[aria-selected="true"] .palette-label').innerText()

async function open(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
}

async function choose(page: Page, typed: string, label: string): Promise<void> {
  await open(page)
  await field(page).fill(typed)
  assert.equal(await chosen(page), label)
  await page.keyboard.press('Enter')
}

describe.skipIf(!chromePath).concurrent('Command palette', () => {
  test('Ctrl+K opens it with the pages, the five examples, the key, the theme and Sign Out; its code is fetched then and not before', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    await page.waitForLoadState('networkidle')
    const scripts = () =>
      page.evaluate(
        "performance.getEntriesByType('resource').filter(({ name }) => name.includes('dashboard-palette')).length",
      )
    expect(await scripts()).toBe(0)
    await open(page)
    expect(await scripts()).toBeGreaterThan(0)

    expect(await isFocused(field(page))).toBe(true)
    await options(page).getByText('Copy API key').waitFor()
    expect(await options(page).locator('.palette-label').allInnerTexts()).toEqual([
      ...[
        'Account',
        'Test Console',
        'Webhooks',
        'Upgrade',
        'Historical data',
        'Orders',
        'Guides',
        'Help',
        'Docs',
      ],
      'System Status',
      ...EXAMPLE_LABELS,
      'Copy API key',
      ...['System', 'Light', 'Dark'],
      'Sign Out',
    ])
    expect(await palette(page).getByRole('group').count()).toBe(5)
  })

  test('While its code is loading its field stands alone and takes what is typed, nothing else does; Escape and a press beside it close it, and the focus returns', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/register', { signedIn: false })
    const arrive = await holdCode(page, 'dashboard-palette')
    const email = page.getByLabel('Email', { exact: true })
    await email.fill('mara@')
    for (const way of ['Escape', 'press beside it']) {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('lost')
      if (way === 'press beside it') await page.mouse.click(20, 700)
      else await page.keyboard.press(way)

      await expect.poll(() => palette(page).count(), { message: way }).toBe(0)
      expect(await isFocused(email), way).toBe(true)
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('ord')
    await expectCleanInBothThemes(page)
    arrive()
    await options(page).first().waitFor()
    await page.keyboard.type('ers')

    expect(await field(page).inputValue()).toBe('orders')
    expect(await chosen(page)).toBe('Orders')
    await page.keyboard.press('Escape')
    await expect.poll(() => palette(page).count()).toBe(0)
    expect(await isFocused(email)).toBe(true)
    expect(await email.inputValue()).toBe('mara@')
    await open(page)
    expect(await field(page).inputValue()).toBe('')
  })

  test('Signed out it offers Sign In and Register, and no key', async ({ expect, visit }) => {
    const { page, api } = await visit('/dashboard/help', { signedIn: false })
    await open(page)
    await field(page).fill('key')
    expect(await options(page).getByText('Copy API key').count()).toBe(0)
    await field(page).fill('')
    expect((await options(page).locator('.palette-label').allInnerTexts()).slice(-2)).toEqual([
      'Sign In',
      'Register',
    ])
    expect(api.count('GET /api/account')).toBe(0)
    await field(page).fill('register')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Register' }).waitFor()
  })

  test('Until the account has come there is no key to copy, and it is not read a second time; Copy API key puts exactly the key on the clipboard, says so, and closes', async ({
    expect,
    visit,
  }) => {
    let release = () => {}
    const { page, api } = await visit('/dashboard/help', {
      before: (api) => {
        release = api.hold('GET /api/account', { body: TRIAL_ACCOUNT })
      },
    })
    await open(page)
    expect(await options(page).getByText('Copy API key').count()).toBe(0)
    release()

    await options(page).getByText('Copy API key').waitFor()
    expect(api.count('GET /api/account')).toBe(1)
    // It shows for a moment only, which a slow machine may miss: the page itself records it.
    await palette(page).evaluate((dialog) => {
      const seen = new Set<string | null>()
      Object.assign(window, { seen })
      new MutationObserver(() => {
        for (const part of dialog.querySelectorAll('[role="status"], [aria-selected="true"] .palette-note'))
          seen.add(`${part.className}: ${part.textContent}`)
      }).observe(dialog, { subtree: true, childList: true, characterData: true })
    })
    await options(page).getByText('Copy API key').click()
    await expect.poll(() => palette(page).count()).toBe(0)

    expect(await page.evaluate('[...seen]')).toEqual(
      expect.arrayContaining(['palette-note: Copied', 'unseen: Copied']),
    )
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(TRIAL_ACCOUNT.user.APIKey)
  })

  test('A key that the browser does not copy is said to be “Not copied”, without a check mark', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', {
      before: async (_, page) => {
        await page.addInitScript(
          "Object.defineProperty(navigator.clipboard, 'writeText', { value: () => Promise.reject() })",
        )
      },
    })
    await open(page)
    const option = options(page).filter({ hasText: 'Copy API key' })
    const icon = await option.locator('svg').innerHTML()
    await palette(page).evaluate((dialog) => {
      const seen = new Set<string>()
      Object.assign(window, { seen })
      new MutationObserver(() => {
        const chosen = dialog.querySelector('[aria-selected="true"]')
        seen.add(
          `${chosen?.querySelector('.palette-note')?.textContent}: ${chosen?.querySelector('svg')?.innerHTML}`,
        )
      }).observe(dialog, { subtree: true, childList: true, characterData: true })
    })
    await option.click()
    await expect.poll(() => palette(page).count()).toBe(0)

    expect(await page.evaluate('[...seen].filter((each) => each.startsWith("Not copied"))')).toEqual([
      `Not copied: ${icon}`,
    ])
  })

  test('Typing filters, and says so without a match, when Enter does nothing; arrows choose and go round; Enter opens the page and gives its heading the focus', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    await open(page)
    await field(page).fill('zebra <b>')
    await palette(page).getByText('No command matches “zebra <b>”.').waitFor()
    expect(await field(page).getAttribute('aria-expanded')).toBe('false')
    expect(await field(page).getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('Enter')
    expect(await field(page).inputValue()).toBe('zebra <b>')
    await expectClean(page)

    await field(page).fill('')
    expect(await chosen(page)).toBe('Account')
    await page.keyboard.press('ArrowUp')
    expect(await chosen(page)).toBe('Sign Out')
    await page.keyboard.press('ArrowDown')
    expect(await chosen(page)).toBe('Account')

    await field(page).fill('HIST data')
    expect(await options(page).locator('.palette-label').allInnerTexts()).toEqual([
      'Historical data',
      'Orders',
    ])
    expect(await palette(page).getByRole('status').innerText()).toBe('2 commands')
    await page.keyboard.press('ArrowDown')
    const active = await field(page).getAttribute('aria-activedescendant')
    expect(await page.locator(`[id="${active}"]`).innerText()).toBe('Orders')
    await page.keyboard.press('Enter')

    await page.getByText('No orders yet.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/dashboard/historical/orders')
    await expect.poll(() => isFocused(page.locator('main h1'))).toBe(true)
    expect(await palette(page).count()).toBe(0)
  })

  test('It closes on Escape, Control+k and a press beside it, and the focus returns to where it was', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/register', { signedIn: false })
    const email = page.getByLabel('Email', { exact: true })
    await email.fill('mara@')
    for (const way of ['Escape', 'Control+k', 'press beside it']) {
      await open(page)
      await page.keyboard.type('half a word')
      if (way === 'press beside it') await page.mouse.click(20, 700)
      else await page.keyboard.press(way)

      await expect.poll(() => palette(page).count(), { message: way }).toBe(0)
      expect(await isFocused(email), way).toBe(true)
      expect(await email.inputValue(), way).toBe('mara@')
      expect(new URL(page.url()).pathname, way).toBe('/dashboard/register')
    }
  })

  test('An example opens the console with the editor filled and starts nothing, also on the console itself', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    const sockets: string[] = []
    page.on('websocket', (socket) => sockets.push(socket.url()))
    await choose(page, 'whale', 'Whale swaps over 10,000 USD')
    await page.getByRole('heading', { name: 'Test Console', level: 1 }).waitFor()
    const editor = page.getByRole('textbox', { name: 'Subscription request' })
    await expect
      .poll(async () => JSON.parse(await editor.inputValue()))
      .toEqual({
        id: 1,
        method: 'swapSubscribe',
        params: { include: { usdValue: 10_000 } },
      })
    await expect.poll(() => page.url()).toBe(`${serviceUrl}/dashboard/console`)

    await choose(page, 'new pairs', 'New pairs')
    await expect.poll(async () => JSON.parse(await editor.inputValue()).method).toBe('newPairSubscribe')
    await page.getByRole('button', { name: /^Start/ }).waitFor()
    expect(sockets).toEqual([])
  })

  test('Reopened at the very moment it closes, it opens; it has no accessibility finding in either theme, fits a phone, and does not scroll sideways', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    await open(page)
    await field(page).fill('zebra')
    // Before the browser reports the dialog as closed, which takes a separate task.
    await field(page).evaluate(async (input) => {
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
      await null
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, cancelable: true }))
    })

    await expect.poll(() => field(page).inputValue()).toBe('')
    expect(await isFocused(field(page))).toBe(true)
    await expectCleanInBothThemes(page)

    await page.setViewportSize({ width: 320, height: 568 })
    const box = await palette(page).boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(320)
    expect((box?.y ?? 0) + (box?.height ?? 999)).toBeLessThanOrEqual(568)
    expect(await palette(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })

  test('It changes the theme, which is saved, and names the current one; Sign Out signs out', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', { theme: 'light' })
    await choose(page, 'dark', 'Dark')
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    expect(await page.evaluate("localStorage.getItem('theme')")).toBe('dark')
    await open(page)
    await palette(page).getByRole('option', { name: 'Dark Current' }).waitFor()
    await page.keyboard.press('Escape')
    await choose(page, 'theme system', 'System')
    expect(await page.evaluate("localStorage.getItem('theme')")).toBeNull()

    await choose(page, 'sign out', 'Sign Out')
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(await page.evaluate("localStorage.getItem('token')")).toBeNull()
  })

  test('System Status opens outside the app, Docs in its place', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/help')
    const opened = page.context().waitForEvent('page')
    await choose(page, 'status', 'System Status')
    await (await opened).waitForURL(`${serviceUrl}/status`)
    expect(await page.locator('main h1').innerText()).toBe('Help')

    await choose(page, 'docs', 'Docs')
    await page.waitForURL(`${serviceUrl}/docs`)
  })

  test('It stays away while a dialog waits for an answer', async ({ expect, visit }) => {
    const { page, api } = await visit('/dashboard/account')
    await page.getByRole('button', { name: 'Reset Key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reset Key' })
    const release = api.hold('POST /api/resetkey', { body: { ok: true } })
    await dialog.getByRole('button', { name: 'Reset Key' }).click()
    await page.keyboard.press('Control+k')
    release()
    await page.getByText('Success, key reset successfully.').waitFor()

    expect(await palette(page).count()).toBe(0)
  })

  test('If its code does not load, it says so, nothing else changes, and it can be tried again', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    await page.locator('main h1').waitFor()
    await page.route('**/assets/dashboard-palette-*.js', (route) => route.abort('connectionrefused'))
    await page.keyboard.press('Control+k')
    await expect
      .poll(() => page.getByRole('alert').allInnerTexts())
      .toContain('The command palette did not load.')
    expect(await page.locator('main h1').innerText()).toBe('Help')
    const words = page.locator('.palette-failed')
    expect(await words.innerText()).toContain('The command palette did not load.')
    await expectClean(page)
    await words.getByRole('button', { name: 'Dismiss' }).click()
    expect(await words.count()).toBe(0)
    expect(await isFocused(page.locator('main h1'))).toBe(true)

    await page.keyboard.press('Control+k')
    await words.waitFor()
    await page.unroute('**/assets/dashboard-palette-*.js')
    await words.getByRole('button', { name: 'Try again' }).click()
    await palette(page).waitFor()
    expect(await words.count()).toBe(0)
  })
})
