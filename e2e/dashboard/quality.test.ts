import assert from 'node:assert/strict'
import { describe } from 'vitest'
import {
  chromePath,
  expectClean,
  expectCleanInBothThemes,
  isFocused,
  setLetters,
  type WatchedPage,
  widthAtDoubleLetters,
} from '../browser.ts'
import { STORY_MS } from '../story-time.ts'
import { NEW_ACCOUNT, PAID_ACCOUNT, TRIAL_ACCOUNT } from './api-double.ts'
import { serviceUrl, test, type Visit } from './dashboard-test.ts'
import { goTo } from './go-to.ts'
import { holdCode } from './held-code.ts'
import { historyAnswer, ordersOfAllStates, sampleAnswer } from './history-answers.ts'

/** A screen: its address, the heading that shows that it has rendered, and its content once complete. */
type Screen = readonly [path: string, heading: string, ready?: string]

/** Every screen, grouped by the person who sees it. */
const SCREENS: readonly [person: string, options: Visit, screens: readonly Screen[]][] = [
  [
    'somebody signed out',
    { signedIn: false },
    [
      ['/dashboard/login', 'Sign in'],
      ['/dashboard/register', 'Register'],
      ['/404', 'Page not found'],
      ['/logout', 'You are signed out'],
    ],
  ],
  [
    'somebody on trial',
    { account: TRIAL_ACCOUNT },
    [
      ['/dashboard/account', 'Account', 'Current plan'],
      ['/dashboard/console', 'Test Console', 'Events received'],
    ],
  ],
  [
    'somebody who buys history',
    {
      before: (api) => {
        api.answer('GET /api/history/orders', { body: ordersOfAllStates() })
        api.answer('GET /api/history/orders/1', { body: sampleAnswer() })
      },
    },
    [
      ['/dashboard/historical?d=week', 'Historical data', '1 week, 60 USD'],
      ['/dashboard/historical/orders', 'Historical data', 'Refunded'],
    ],
  ],
  [
    'somebody before the first hour is archived',
    { before: (api) => api.answer('GET /api/history', { body: historyAnswer({ isEmpty: true }) }) },
    [['/dashboard/historical?d=day', 'Historical data', 'Ordering is not open yet.']],
  ],
  [
    'somebody who subscribed',
    { account: PAID_ACCOUNT },
    [
      ['/dashboard/account?s=subscription', 'Account', 'Current plan'],
      ['/dashboard/upgrade?paid', 'Choose a plan', 'All plans'],
      ['/dashboard/payment', 'Follow Payment Screen Instructions...'],
    ],
  ],
  [
    'somebody without a plan',
    { account: NEW_ACCOUNT },
    [
      ['/dashboard/upgrade', 'Choose a plan', 'All plans'],
      ['/dashboard/help', 'Help', 'Signed in as'],
      ['/dashboard/guides', 'Guides'],
    ],
  ],
]

/** Scrolls down to the button and leaves for the help: where the page was left, and what a test of the way back asks. */
async function leaveForHelp(page: WatchedPage, lowest: string) {
  const top = () => page.evaluate<number>('Math.round(window.scrollY)')
  const help = page.getByRole('heading', { name: 'Help', level: 1 })
  await page.getByRole('button', { name: lowest }).scrollIntoViewIfNeeded()
  const left = await top()
  assert.ok(left > 200, `scrolled to ${left} only`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find a command' }).fill('help')
  await page.keyboard.press('Enter')
  await help.waitFor()
  return { left, help, top }
}

const scrollWidth = (page: WatchedPage) => page.evaluate('document.scrollingElement.scrollWidth')

/**
 * Spaces lines, paragraphs, words and letters as in WCAG 1.4.12.
 *
 * @see https://www.w3.org/TR/WCAG22/#text-spacing
 */
const spaceWider = (page: WatchedPage) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-block-end: 2em !important }',
    )
    document.adoptedStyleSheets = [sheet]
  })

/**
 * Texts that are cut off, or lie beyond the page. Text that a strip can scroll to is not lost, if keys can scroll it; text for
 * screen readers only is not seen anyway.
 */
const cutTexts = (page: WatchedPage) =>
  page.evaluate(() => {
    const isCut = (element: Element) => {
      if (!element.checkVisibility()) return false
      // A vertical scroller counts as scrolling sideways too, whether or not there is anything to scroll to.
      let edge = innerWidth
      for (let around: Element | null = element; around; around = around.parentElement) {
        const { overflowX, clipPath } = getComputedStyle(around)
        if (clipPath !== 'none') return false
        if (overflowX !== 'auto' && overflowX !== 'scroll') continue
        const moved = around.scrollWidth - around.clientWidth - around.scrollLeft
        const hasKeys = around.matches('[tabindex="0"]') || around.querySelector('a, button, input, textarea')
        edge = around.getBoundingClientRect().right + (hasKeys ? moved : 0)
        break
      }
      const { overflowX } = getComputedStyle(element)
      const hides = overflowX === 'hidden' || overflowX === 'clip'
      const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element
      if (hides && (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 2)) return true
      const isText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim(),
      )
      return isText && element.getBoundingClientRect().right > edge + 1
    }
    // The editor's text scrolls with its text area.
    return [...document.querySelectorAll('#root :not(svg, svg *, .unseen, .editor-text *)')]
      .filter((element) => element.textContent?.trim() && isCut(element))
      .map((element) => `${element.className}: ${element.textContent?.slice(0, 60)}`)
  })

describe.skipIf(!chromePath).concurrent('Quality of the pages', () => {
  test.for(SCREENS)(
    'What %s meets has no accessibility finding in either theme, keeps the policy, does not scroll sideways at 320 px, nor with letters twice as large, and cuts no text then, nor one that is spaced wider',
    { timeout: STORY_MS },
    async ([, options, screens], { expect, visit }) => {
      const { page } = await visit(screens[0]![0], {
        ...options,
        before: async (api, page) => {
          await options.before?.(api, page)
          api.answer('GET /api/systemstatus', { body: [{ Details: 'Swaps are late.' }] })
        },
      })
      for (const [path, heading, ready] of screens) {
        if (path !== screens[0]![0]) await goTo(page, path)
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
        if (ready) await page.getByText(ready).first().waitFor()
        await expectCleanInBothThemes(page).catch((fault) => expect.fail(`${path}: ${fault.message}`))

        await page.setViewportSize({ width: 320, height: 640 })
        expect(await scrollWidth(page), path).toBeLessThanOrEqual(320)
        expect(await widthAtDoubleLetters(page), `${path}, letters of 200 %`).toBeLessThanOrEqual(320)
        // What is measured itself, such as a chart, takes its new width a frame later.
        const expectWhole = (message: string) => expect.poll(() => cutTexts(page), { message }).toEqual([])
        await setLetters(page, '200%')
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 640 })
          await expectWhole(`${path} at ${width} px with letters of 200 %`)
        }
        await setLetters(page, '')
        await spaceWider(page)
        for (const width of [320, 1440]) {
          await page.setViewportSize({ width, height: 640 })
          await expectWhole(`${path} at ${width} px, spaced wider`)
        }
        await page.setViewportSize({ width: 1440, height: 900 })
        await page.evaluate('document.adoptedStyleSheets = []')
      }
    },
  )

  test('The skip link is the first Tab stop and moves the focus to main; after each change of route the focus is on the new h1 and the title has changed', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help')
    await page.getByRole('heading', { name: 'Help' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await isFocused(page.getByRole('link', { name: 'Skip to content' }))).toBe(true)
    await page.keyboard.press('Enter')
    expect(await isFocused(page.locator('main'))).toBe(true)

    for (const [item, heading] of [
      ['Account', 'Account'],
      ['Test Console', 'Test Console'],
      ['Help', 'Help'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: item }).click()
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()

      await expect.poll(() => page.title(), { message: item }).toBe(`${heading} · Pairwire`)
      await expect.poll(() => isFocused(page.locator('main h1')), { message: item }).toBe(true)
    }
  })

  test.for([
    ['/dashboard/login', 'Sign in', false],
    ['/dashboard/help', 'Help', true],
  ] as const)(
    '%s waits for its code alone: it is drawn with the clock standing still',
    async ([path, title, signedIn], { visit }) => {
      const { page } = await visit(path, {
        signedIn,
        clock: true,
        before: async (_api, page) => {
          await page.clock.pauseAt(Date.now() + 1_000)
        },
      })
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    },
  )

  test('A dialog opens on the press, with the clock stopped; once its code has loaded it handles the next key', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', { clock: true })
    const opener = page.getByRole('button', { name: 'Reset Key' })
    const dialog = page.getByRole('dialog', { name: 'Reset Key' })
    await opener.waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    await opener.click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    const isOpen = await opener.evaluate(async (button) => {
      if (button instanceof HTMLElement) button.click()
      await null
      return document.querySelector('dialog:modal') !== null
    })
    expect(isOpen).toBe(true)
  })

  test('Back and Forward restore the scroll position, even while the page still grows', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', { height: 600 })
    const { left, help, top } = await leaveForHelp(page, 'Delete Account')
    expect(await top()).toBe(0)

    await page.goBack()
    await expect.poll(top).toBe(left)
    await page.goForward()
    await help.waitFor()
    await page.goBack()
    await expect.poll(top).toBe(left)
  })

  test('Back restores the scroll position of a page that was left before an event told that it had scrolled', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', {
      height: 600,
      before: async (_api, page) => {
        await page.addInitScript(() => {
          const hold = (event: Event) => 'isScrollHeld' in window && event.stopImmediatePropagation()
          window.addEventListener('scroll', hold, { capture: true })
        })
      },
    })
    const { left, help, top } = await leaveForHelp(page, 'Delete Account')
    await page.evaluate('window.isScrollHeld = true')
    await page.goBack()
    await expect.poll(top).toBe(left)
    await page.goForward()
    await help.waitFor()
    await page.goBack()
    await expect.poll(top).toBe(left)
  })

  test('Back restores the scroll position when what the page shows comes seconds later, unless somebody has pressed meanwhile', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/historical?d=week', { height: 600, clock: true })
    const { left, help, top } = await leaveForHelp(page, 'Continue to payment')
    const returnLate = async (meanwhile: () => Promise<void>) => {
      // What was read is forgotten.
      await page.clock.fastForward('10:00')
      const release = api.hold('GET /api/history', { body: historyAnswer() })
      await page.goBack()
      await page.getByRole('heading', { name: 'Historical data', level: 1 }).waitFor()
      await page.clock.runFor(5_000)
      await meanwhile()
      release()
      await page.getByRole('button', { name: 'Continue to payment' }).waitFor()
    }

    await returnLate(async () => {})
    await expect.poll(top).toBe(left)
    const heading = page.getByRole('heading', { name: 'Historical data', level: 1 })
    // By a pointer, and as a screen reader does.
    for (const press of [() => heading.click(), () => heading.dispatchEvent('click')]) {
      await page.evaluate(`window.scrollTo(0, ${left})`)
      await page.goForward()
      await help.waitFor()
      await returnLate(press)
      expect(await top()).toBeLessThan(left)
    }
  })

  test('At 390 px the menu opens as a sheet, traps the focus, closes on Escape and returns the focus; a page chosen from it closes it and takes the focus, however late its code arrives', async ({
    expect,
    visit,
  }) => {
    let release = () => {}
    const { page } = await visit('/dashboard/help', {
      ...{ width: 390, height: 844 },
      before: async (_api, page) => {
        release = await holdCode(page, 'account')
      },
    })
    const button = page.getByRole('button', { name: 'Menu', exact: true })
    await button.click()
    const sheet = page.getByRole('dialog', { name: 'Menu' })
    await sheet.waitFor()
    expect(await sheet.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      'Account',
      'Test Console',
      'System Status',
      'Help',
      'Docs',
      'Sign Out',
    ])
    await expectClean(page)
    for (let press = 0; press < 12; press++) {
      await page.keyboard.press('Tab')
      // Between the last stop and the first one the browser may hold the focus itself.
      expect(await page.locator('body > *:not(dialog) :focus, dialog :focus').count()).toBeLessThanOrEqual(1)
      expect(await page.locator('main :focus').count()).toBe(0)
    }
    await page.keyboard.press('Escape')

    await expect.poll(() => isFocused(button)).toBe(true)
    expect(await sheet.count()).toBe(0)

    await button.click()
    await sheet.getByRole('link', { name: 'Account' }).click()
    await page.locator('main > [aria-busy="true"]').waitFor()
    release()
    await page.getByText('Current plan').waitFor()
    await expect.poll(() => sheet.count()).toBe(0)
    await expect.poll(() => isFocused(page.locator('main h1'))).toBe(true)
  })

  test('The chosen theme applies from the first paint after a reload, and System follows the device', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', { theme: 'light' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await page.getByRole('button', { name: 'Colour theme' }).click()
    await page.getByRole('radio', { name: 'Dark' }).click()
    const dark = await ground()
    expect(dark).not.toBe(light)

    await page.reload({ waitUntil: 'commit' })
    const first = await page.waitForFunction(() => {
      const colour = document.body && getComputedStyle(document.body).backgroundColor
      // Until the sheet has loaded nothing is painted.
      return colour !== 'rgba(0, 0, 0, 0)' && colour
    })
    expect(await first.jsonValue()).toBe(dark)
    expect(await page.evaluate("localStorage.getItem('theme')")).toBe('dark')
    await page.getByRole('button', { name: 'Colour theme' }).click()
    await page.getByRole('radio', { name: 'System' }).click()
    expect(await ground()).toBe(light)
  })

  test('Every answer carries a policy without inline script and the other security headers', async ({
    expect,
    open,
  }) => {
    const { request } = await open()
    const answer = await request.get(`${serviceUrl}/dashboard/help`)
    const headers = answer.headers()

    expect(headers['content-security-policy']).toMatch(/script-src 'self'(;| https)/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe-/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=/)
  })
})
