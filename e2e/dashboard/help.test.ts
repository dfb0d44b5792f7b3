import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { chromePath, expectClean, isFocused } from '../browser.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { goTo } from './go-to.ts'

/** The content of `/status.json`: 82 of 90 days measured, one with an outage, one with a delay. */
const STATUS = {
  state: 'well',
  minutes: [{ lagMedianMs: 812 }],
  days: daysOf(82, { 20: { lateSeconds: 720 }, 52: { downSeconds: 2_460 } }),
}

const strip = (page: Page) => page.getByRole('region', { name: 'System status' })
const keyboard = (page: Page) => page.getByRole('region', { name: 'Keyboard shortcuts' })

/** Leaves the page and returns to it, which requests the status again. */
async function comeAgain(page: Page): Promise<void> {
  await goTo(page, '/dashboard/guides')
  await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor()
  await goTo(page, '/dashboard/help')
  await keyboard(page).waitFor()
}

async function answerStatus(page: Page, status: unknown): Promise<void> {
  await page.route('**/status.json', (route) => route.fulfill({ json: status }))
}

describe.skipIf(!chromePath).concurrent('Help', () => {
  test('The 90-day strip shows the state of the streams (normal, delayed, down), the lag, and a link to System Status; the service’s own measurements fill it', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', {
      signedIn: false,
      config: { statusUrl: 'https://status.example/' },
      before: (_api, page) => answerStatus(page, STATUS),
    })
    await strip(page).getByText('Streams normal').waitFor()

    expect(await strip(page).innerText()).toContain('Median lag 0.8 s')
    expect(await strip(page).getByRole('img').getAttribute('aria-label')).toBe(
      'The last 90 days: 82 days measured, 80 normal, 1 delayed, 1 with an outage.',
    )
    expect(await strip(page).locator('rect').count()).toBe(90)
    const link = strip(page).getByRole('link', { name: 'Status page' })
    expect(await link.getAttribute('href')).toBe('https://status.example/')
    expect(await link.getAttribute('rel')).toContain('noopener')

    await strip(page).getByText('Show as table').click()
    expect(await strip(page).getByRole('row').count()).toBe(83)
    await expectClean(page)

    for (const [state, words] of [
      ['late', 'Streams delayed'],
      ['down', 'Streams down'],
    ] as const) {
      await answerStatus(page, { ...STATUS, state, minutes: [] })
      await comeAgain(page)
      await strip(page).getByText(words).waitFor()
      expect(await strip(page).innerText(), state).toContain('Lag not known')
    }
    await page.unroute('**/status.json')
    await comeAgain(page)
    await strip(page)
      .getByText(/^Streams (normal|delayed|down)$/)
      .waitFor()
  })

  test('The strip ends with today where the clock of this device is a day behind', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', {
      signedIn: false,
      before: async (_api, page) => {
        await page.addInitScript(() => {
          const now = Date.now
          Date.now = () => now() - 86_400_000
        })
        await page.route('**/status.json', (route) =>
          route.fulfill({ json: STATUS, headers: { date: new Date().toUTCString() } }),
        )
      },
    })
    await strip(page).getByText('Streams normal').waitFor()

    expect(await strip(page).getByRole('img').getAttribute('aria-label')).toMatch(/: 82 days measured, /)
  })

  test('Nothing moves when it arrives, on a wide screen or on a phone', async ({ expect, visit }) => {
    for (const width of [1440, 390]) {
      let answer = () => {}
      const { page } = await visit('/dashboard/help', {
        width,
        before: async (_api, page) => {
          const asked = new Promise<void>((resolve) => {
            answer = resolve
          })
          await page.route('**/status.json', async (route) => {
            await asked
            await route.fulfill({ json: STATUS })
          })
        },
      })
      await keyboard(page).waitFor()
      await page.evaluate('document.fonts.ready')
      const place = async () => Math.round((await keyboard(page).boundingBox())?.y ?? 0)
      const before = await place()
      answer()
      await strip(page).getByText('Streams normal').waitFor()

      expect(await place()).toBe(before)
    }
  })

  test('If the status call fails, answers 404 or 500, or answers something else, there is no strip and no gap', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/guides')
    const communities = page.getByRole('region', { name: 'Communities' })
    for (const [name, answer] of [
      ['away', undefined],
      ['404', { status: 404, json: {} }],
      ['500', { status: 500, body: 'no' }],
      ['something else', { json: { state: 'fine' } }],
      ['no program', { contentType: 'text/html', body: '<!doctype html>' }],
    ] as const) {
      await page.unroute('**/status.json')
      await page.route('**/status.json', (route) => (answer ? route.fulfill(answer) : route.abort()))
      await comeAgain(page)

      await expect
        .poll(
          async () => {
            const above = await communities.boundingBox()
            const below = await keyboard(page).boundingBox()
            return Math.round((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0))
          },
          { message: name },
        )
        .toBe(20)
      expect(await strip(page).count(), name).toBe(0)
    }
  })

  test('Signed in it shows the user; without the account the page is complete; a press copies the support address', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/help')
    await page.getByText('Signed in as mara@example.com').waitFor()
    expect(api.count('GET /api/account')).toBe(1)

    await page.route('**/assets/signed-in-as-*.js', (route) => route.abort())
    await page.goto(`${serviceUrl}/dashboard/help`)
    await keyboard(page).waitFor()
    expect(await page.getByRole('button', { name: 'Livechat' }).count()).toBe(1)
    expect(await page.getByText('Signed in as').count()).toBe(0)

    await page.getByRole('link', { name: 'support@example.com' }).waitFor()
    await page.getByRole('button', { name: 'Copy address' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('support@example.com')
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('address copied')
  })

  test('A support address that takes two lines breaks after its @, beside the chat and on a phone', async ({
    expect,
    visit,
  }) => {
    const supportEmail = 'support@pairwire.example'
    for (const width of [1024, 320]) {
      const { page } = await visit('/dashboard/help', { width, config: { supportEmail } })
      const link = page.getByRole('link', { name: supportEmail, exact: true })

      const linesOf = (part: string) =>
        link.evaluate((element, part) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
          const range = document.createRange()
          while (walker.nextNode()) {
            const at = walker.currentNode.nodeValue?.indexOf(part) ?? -1
            if (at < 0) continue
            range.setStart(walker.currentNode, at)
            range.setEnd(walker.currentNode, at + part.length)
          }
          return new Set([...range.getClientRects()].map(({ top }) => top)).size
        }, part)
      expect(await linesOf('pairwire.example'), `${width} px`).toBe(1)
    }
  })

  test('It lists the keyboard shortcuts and opens the command palette without a keyboard', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/help', { width: 390, height: 844 })
    const list = keyboard(page)
    await list.waitFor()
    expect(await list.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([
      'Everywhere',
      'In the request editor',
      'On the chart',
      'In the stream',
      'In the raw JSON',
    ])
    expect(await list.locator('dt').count()).toBe(21)
    const button = list.getByRole('button', { name: 'Command palette' })
    await button.click()
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    await palette.waitFor()
    await palette.getByRole('button', { name: 'Close' }).click()

    await expect.poll(() => palette.count()).toBe(0)
    expect(await isFocused(button)).toBe(true)
  })
})

type Trouble = Readonly<{ lateSeconds?: number; downSeconds?: number }>

/** The newest `count` days, newest last; `troubles` by how many days ago. */
function daysOf(count: number, troubles: Readonly<Record<number, Trouble>>) {
  return Array.from({ length: count }, (_, index) => {
    const ago = count - 1 - index
    return {
      day: new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
      ...{ wellSeconds: 80_000, lateSeconds: 0, downSeconds: 0 },
      ...troubles[ago],
    }
  })
}
