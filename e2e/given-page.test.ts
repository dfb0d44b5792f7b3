import type { Page } from 'playwright-core'
import { describe, expect, inject } from 'vitest'
import { chromePath } from './browser.ts'
import { test } from './browser-test.ts'

const url = `${inject('serviceUrl')}/healthz`

describe.skipIf(!chromePath)('A page that tests are given one after the other', () => {
  let given: Page | undefined

  test('can be left with anything set, stored, routed and offline', async ({ open }) => {
    const page = await open()
    given = page
    for (const address of [url.replace('localhost', '127.0.0.1'), url]) {
      await page.goto(address)
      await page.evaluate(async () => {
        localStorage.setItem('left', 'yes')
        sessionStorage.setItem('left', 'yes')
        await caches.open('left')
      })
    }
    await page.context().addCookies([{ name: 'left', value: 'yes', url }])
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.setBypassCSP', { enabled: true })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'no-preference', forcedColors: 'active' })
    await page.setViewportSize({ width: 700, height: 300 })
    await page.addInitScript('window.left = "yes"')
    await page.route('**/healthz', (route) => route.fulfill({ body: 'left' }))
    await page.context().setOffline(true)
  })

  test('comes with nothing of the test before', async ({ open }) => {
    const page = await open()
    expect(page).toBe(given)

    await page.goto(url)
    const found = await page.evaluate(async () => ({
      stored: [localStorage.length, sessionStorage.length, document.cookie, (await caches.keys()).length],
      size: [innerWidth, innerHeight],
      media: [
        '(prefers-color-scheme: light)',
        '(prefers-reduced-motion: reduce)',
        '(forced-colors: none)',
      ].map((query) => matchMedia(query).matches),
      left: (window as { left?: string }).left,
      isRouted: document.body.innerText === 'left',
    }))
    const isBlocked = await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.left = "yes"'
      document.head.append(script)
      return !('left' in window)
    })

    expect({ ...found, isBlocked }).toEqual({
      stored: [0, 0, '', 0],
      size: [1440, 900],
      media: [true, true, true],
      left: undefined,
      isRouted: false,
      isBlocked: true,
    })
  })
})
