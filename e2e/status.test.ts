import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { chromePath, expectClean, launchBrowser, openPage } from './browser.ts'

const url = inject('serviceUrl')

describe.skipIf(!chromePath)('System Status', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  it('is readable signed out, refreshes every 10 s, stops when hidden, and keeps its tables open', async () => {
    const page = await openPage(browser, { theme: 'dark' })
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
    // Nothing is measured in the service's first ten seconds, and there is no table of nothing.
    const days = async () => (await (await fetch(`${url}/status.json`)).json()).days.length
    await expect.poll(days, { timeout: 20_000 }).toBeGreaterThan(0)
    await page.goto(`${url}/status`)
    await page.locator('.state-word', { hasText: /^(All streams normal|Delayed)$/ }).waitFor()
    await page.getByText('Show as table').last().click()
    const block = () => page.locator('.state-block .figure').innerText()
    const before = await block()

    await passTenSeconds()
    await expect.poll(block, { timeout: 10_000 }).not.toBe(before)
    expect(reads).toBe(1)
    expect(await page.locator('details[open]').count()).toBe(1)

    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    })
    await passTenSeconds()
    expect(reads).toBe(1)
    await expectClean(page)
  })

  it('tells its numbers to programs, and counts what the metrics count', async () => {
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
