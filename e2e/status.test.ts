import { describe, expect, inject } from 'vitest'
import {
  chromePath,
  expectClean,
  expectCleanInBothThemes,
  isFocused,
  widthAtDoubleLetters,
} from './browser.ts'
import { test } from './browser-test.ts'
import { sessionToken } from './dashboard/api-double.ts'
import { STORY_MS } from './story-time.ts'

const url = inject('serviceUrl')

describe.skipIf(!chromePath)('System Status', { timeout: STORY_MS }, () => {
  test('is readable signed out, refreshes every 10 s, stops when hidden, and keeps its tables open', async ({
    open,
  }) => {
    const page = await open({ theme: 'dark' })
    // Ten seconds pass when the test says so.
    await page.addInitScript(() => {
      const beats: (() => void)[] = []
      const repeat = window.setInterval
      const passTenSeconds = () => {
        for (const run of beats) run()
      }
      const instead = (run: () => void, ms: number) => (ms === 10_000 ? beats.push(run) : repeat(run, ms))
      Object.assign(window, { setInterval: instead, passTenSeconds })
    })
    const passTenSeconds = () => page.evaluate('passTenSeconds()')
    let reads = 0
    await page.route('**/status', async (route) => {
      if (route.request().resourceType() === 'fetch') reads++
      await route.continue()
    })
    // Nothing is measured in the service's first ten seconds, and an empty chart has no table.
    const measured = async () => (await fetch(`${url}/status.json`)).json()
    await expect.poll(async () => (await measured()).days.length).toBeGreaterThan(0)
    await page.goto(`${url}/status`)
    await page.locator('.state-word', { hasText: /^(All streams normal|Delayed)$/ }).waitFor()
    await page.getByText('Show as table').last().click()
    const block = () => page.locator('.state-block .figure').innerText()
    const before = await block()
    const served = async () => (await measured()).latestBlock.toLocaleString('en-US')
    await expect.poll(served).not.toBe(before)

    await passTenSeconds()
    await expect.poll(block).not.toBe(before)
    expect(reads).toBe(1)
    expect(await page.locator('details[open]').count()).toBe(1)

    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    })
    await passTenSeconds()
    expect(reads).toBe(1)
    await expectClean(page)
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await widthAtDoubleLetters(page)).toBe(320)
  })

  test('offers Sign In and Register to visitors, and the dashboard to signed-in users', async ({ open }) => {
    const page = await open()
    await page.goto(`${url}/status`)
    const bar = page.getByRole('banner')
    expect(await bar.getByRole('link').allInnerTexts()).toEqual([
      ...['', 'Docs', 'System Status', 'Sign In', 'Register'],
    ])

    await page.evaluate((token) => localStorage.setItem('token', token), sessionToken())
    await page.reload()
    expect(await bar.getByRole('link').allInnerTexts()).toEqual([
      ...['', 'Dashboard', 'Docs', 'System Status', 'Sign Out'],
    ])

    await page.evaluate((token) => localStorage.setItem('token', token), sessionToken('expired'))
    await page.reload()
    await bar.getByRole('link', { name: 'Register' }).waitFor()
  })

  test('keeps the theme chosen in its top bar, for the dashboard too', async ({ open }) => {
    const page = await open({ theme: 'light', width: 390, height: 844 })
    await page.goto(`${url}/status`)
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    const button = page.getByRole('button', { name: 'Colour theme' })
    await button.click()
    await page.getByRole('radio', { name: 'Dark' }).click()
    expect(await ground()).not.toBe(light)
    expect(await isFocused(button)).toBe(true)
    expect(await page.getByRole('radio').count()).toBe(0)

    await page.reload()
    expect(await ground()).not.toBe(light)
    await page.goto(`${url}/dashboard/help`)
    await page.getByRole('heading', { name: 'Help' }).waitFor()
    expect(await ground()).not.toBe(light)
    await page.goto(`${url}/status`)
    await button.press('Enter')
    await page.getByRole('radio', { name: 'Dark' }).press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await ground()).toBe(light)
    await page.keyboard.press('Escape')
    expect(await isFocused(button)).toBe(true)
    expect(await page.evaluate("localStorage.getItem('theme')")).toBeNull()
  })

  test.for([1440, 390, 320])(
    'has no accessibility finding in either theme and does not scroll sideways at %i px',
    async (width, { open }) => {
      const page = await open({ width, height: 844 })
      await page.goto(`${url}/status`)

      await page.getByRole('button', { name: 'Colour theme' }).click()
      await expectCleanInBothThemes(page)
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(width)
    },
  )

  test('serves its numbers to programs, and counts what the metrics count', async () => {
    const status = await (await fetch(`${url}/status.json`)).json()
    const metrics = await (await fetch(`${url}/metrics`)).text()

    expect(status).toMatchObject({
      simulated: true,
      latestBlock: expect.any(Number),
      lagMs: expect.any(Number),
    })
    for (const name of [
      'pairwire_events_total{',
      'pairwire_event_lag_seconds_bucket{',
      'pairwire_gateway_connections ',
      'pairwire_source_decoder_faults_total ',
    ]) {
      expect(metrics).toContain(name)
    }
  })
})
