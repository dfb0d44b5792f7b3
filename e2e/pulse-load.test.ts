import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { inCi } from '../packages/basics/src/testing/in-ci.ts'
import { chromePath, heapOf, launchBrowser, openPage } from './browser.ts'
import { signInNew } from './people.ts'
import { startService } from './service.ts'

/**
 * Seconds of each run. From a minute on, for a quiet machine, times are checked too: `PAIRWIRE_PULSE_SECONDS=600`. It passes
 * if no task takes more than 50 ms, and the heap at the end is at most 5 MB above that at the start, and 2 MB above the middle.
 */
const SECONDS = Number(process.env.PAIRWIRE_PULSE_SECONDS ?? inCi(6, 2))
const IS_TIMED = SECONDS >= 60
const SWAPS_PER_SECOND = 2_000

/** Seconds of one trace: a longer one does not fit into a text. */
const PART_S = 20
const MEGABYTE = 1_048_576

const DEVICES = [
  { device: 'desk', width: 1440, height: 900, slow: 1 },
  // The processor of the budgets' phone is four times slower.
  { device: 'phone', width: 390, height: 844, slow: 4 },
]

type TraceEvent = { name: string; ph: string; pid: number; tid: number; ts: number; tdur?: number }

/** Processor time of the page's longest task in the next `seconds`, in milliseconds; 0 where times are not checked. */
async function longestTask(browser: Browser, page: Page, seconds: number): Promise<number> {
  if (!IS_TIMED) return page.waitForTimeout(seconds * 1_000).then(() => 0)
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'blink.user_timing'] })
  await page.evaluate(() => void performance.mark('pulse-from'))
  await page.waitForTimeout(seconds * 1_000)
  await page.evaluate(() => void performance.mark('pulse-to'))
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] }
  const [from, to] = ['pulse-from', 'pulse-to'].map((mark) => traceEvents.find(({ name }) => name === mark)!)
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid, ts }) =>
      ph === 'X' &&
      name.endsWith('RunTask') &&
      pid === from!.pid &&
      tid === from!.tid &&
      ts > from!.ts &&
      ts < to!.ts,
  )
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1_000))
}

describe.skipIf(!chromePath)('Pulse under load', { timeout: (SECONDS * 4 + 240) * 1_000 }, () => {
  test('keeps up with 2,000 swaps a second on a desk and on a phone, in bounded memory', async () => {
    // With the optimised code that people's browsers have.
    const browser = await launchBrowser({ optimises: true })
    const service = await startService({ SOLANA_SOURCE: `simulator?swaps=${SWAPS_PER_SECOND}` })
    try {
      for (const { device, width, height, slow } of DEVICES) {
        const page = await openPage(browser, { width, height })
        const devtools = await page.context().newCDPSession(page)
        await devtools.send('Performance.enable')
        await devtools.send('Emulation.setCPUThrottlingRate', { rate: IS_TIMED ? slow : 1 })
        await signInNew(page, service, 'pro')
        await page.goto(`${service.url}/docs/pulse`)
        await page.getByRole('button', { name: 'Start', exact: true }).click()
        await page.getByRole('list', { name: 'Nearly graduated' }).getByRole('listitem').first().waitFor()
        const countOf = async () =>
          Number((await page.locator('.pulse-count').innerText()).replaceAll(/\D/g, ''))

        const begun = await countOf()
        const heap = [await heapOf(devtools)]
        let longest = 0
        for (const half of [0, 1]) {
          for (let left = SECONDS / 2; left > 0; left -= PART_S)
            longest = Math.max(longest, await longestTask(browser, page, Math.min(left, PART_S)))
          heap[half + 1] = await heapOf(devtools)
        }
        const counted = (await countOf()) - begun

        const [start, middle, end] = heap.map((bytes) => bytes / MEGABYTE) as [number, number, number]
        if (IS_TIMED) console.log(device, { longest, start, middle, end, perSecond: counted / SECONDS })
        expect(await page.locator('.pulse-row').count(), device).toBeLessThanOrEqual(90)
        expect(counted, device).toBeGreaterThan(0)
        expect(end - start, device).toBeLessThan(5)
        if (IS_TIMED) {
          expect(await page.locator('.pulse-notes').innerText(), device).toBe('')
          expect(longest, device).toBeLessThanOrEqual(50)
          expect(end - middle, device).toBeLessThan(2)
        }
        await page.close()
      }
    } finally {
      await browser.close()
      await service.kill()
    }
  })
})
