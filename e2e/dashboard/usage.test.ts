import { describe } from 'vitest'
import { chromePath, expectClean } from '../browser.ts'
import type { ApiDouble } from './api-double.ts'
import { test } from './dashboard-test.ts'
import { signInAgain } from './sign-in-again.ts'

const NOW = Date.now()
const before = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()
const PEER = { address: '203.0.113.24', client: 'bot/1.2 (linux)', sentEvents: 1_234 }

const OPEN = {
  ...PEER,
  id: '2b1f3c7e-5a39-4c35-9f0e-0c1d2e3f4a5b',
  openedAt: before(2),
  lastSeenAt: before(0),
  subscriptions: [{ id: 1, kind: 'swap' }],
  sentBytes: 8_400_000,
  queuedBytes: 0,
}

const CLOSED = {
  ...PEER,
  id: 'ended',
  openedAt: before(9),
  closedAt: before(4),
  ended: 'slowConsumer',
  sentence: 'It read too slowly.',
}

/** 30 days of events, the last of them today. */
const DAYS = Array.from({ length: 30 }, (_, index) => ({
  day: new Date(NOW - (29 - index) * 86_400_000).toISOString().slice(0, 10),
  newPairs: 8_214,
  buys: 1_330_000,
  sells: 1_072_000,
}))

function tellUsage(api: ApiDouble, { days = DAYS, open = [OPEN], closed = [CLOSED] } = {}): void {
  const spans = [...closed.map((one) => ({ from: one.openedAt, to: one.closedAt }))]
  if (open.length > 0) spans.push({ from: before(2), to: before(0) })
  api.answer('GET /api/usage', { body: { days } })
  api.answer('GET /api/connections', { body: { at: before(0), open, closed, spans } })
}

describe.skipIf(!chromePath).concurrent('Account page: usage and connections', () => {
  test('With the usage call missing the page has no gap and no error, and the plan spans the row; neither a 401 nor an invalid answer disturbs the page; a key that was never used links to the Test Console', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    const plan = page.getByRole('region', { name: 'Plan', exact: true })
    await plan.getByText('Free Trial').waitFor()

    const key = page.getByRole('region').filter({ hasText: 'API key' }).first()
    expect((await plan.boundingBox())?.width).toBe((await key.boundingBox())?.width)
    expect(await page.getByText(/usage|connections/i).count()).toBe(0)
    expect(api.count('GET /api/connections')).toBe(0)
    expect(page.url()).toMatch(/\/dashboard\/account$/)

    for (const answer of [{ status: 401 }, { body: {} }, 'away' as const]) {
      const before = api.count('GET /api/usage')
      api.answer('GET /api/usage', answer)
      await signInAgain(page)
      await page.getByText('Free Trial').waitFor()
      await expect
        .poll(() => api.count('GET /api/usage'), { message: JSON.stringify(answer) })
        .toBeGreaterThan(before)
      expect(page.url(), JSON.stringify(answer)).toMatch(/\/dashboard\/account$/)
    }

    const days = DAYS.map(({ day }) => ({ day, newPairs: 0, buys: 0, sells: 0 }))
    tellUsage(api, { days, open: [], closed: [] })
    await signInAgain(page)
    const usage = page.getByRole('region', { name: 'Usage' })
    await usage.getByText('No events yet. Start a stream in the Test Console.').waitFor()
    expect(await usage.getByRole('link').getAttribute('href')).toBe('/dashboard/console')
  })

  test('Usage that could not be read while the service restarted is there ten seconds later', async ({
    expect,
    visit,
  }) => {
    for (const away of ['away', { status: 502 }] as const) {
      const { page, api } = await visit('/dashboard/account', {
        clock: true,
        before: (api) => api.answer('GET /api/usage', away),
      })
      await page.getByText('Free Trial').waitFor()
      await expect.poll(() => api.count('GET /api/usage')).toBe(1)
      tellUsage(api)

      await page.clock.fastForward(10_000)

      await page.getByRole('region', { name: 'Usage' }).getByText('8,214').waitFor()
    }
  })

  test('Events today, buys, sells and new pairs, 30 days as bars or as a table, and the last 24 hours', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', { before: (api) => tellUsage(api) })
    const usage = page.getByRole('region', { name: 'Usage' })
    await usage.getByText('2.41 M').waitFor()

    expect(await usage.locator('dd').allInnerTexts()).toEqual(['2.41 M', '1.33 M', '1.07 M', '8,214'])
    const days = '39,900,000 buys, 32,160,000 sells and 246,420 new pairs'
    await usage.getByRole('img', { name: new RegExp(`^The last 30 days: ${days}; most on `) }).waitFor()
    await usage
      .getByRole('img', {
        name: 'Connected for 7h 00m of the last 24 hours in 2 stretches; 1 open now.',
        exact: true,
      })
      .waitFor()
    await usage.getByText('1 open now').waitFor()

    const height = (await usage.boundingBox())?.height
    await usage.getByRole('button', { name: 'Show as table' }).click()
    expect(await usage.locator('tbody').first().getByRole('row').count()).toBe(30)
    expect((await usage.boundingBox())?.height).toBe(height)
    await expectClean(page)
  })

  test('Where events went over more than one face, their sums and a row of bars, and columns in the table, at 390 px and in both themes; where all went over one, nothing of it', async ({
    expect,
    visit,
  }) => {
    const days = DAYS.map((day, at) => ({ ...day, http: 30_000, ...(at > 20 && { webhooks: 200_000 }) }))
    const { page, api } = await visit('/dashboard/account', {
      width: 390,
      before: (api) => tellUsage(api, { days }),
    })
    const usage = page.getByRole('region', { name: 'Usage' })
    const drawn = usage.getByRole('img', { name: /by how they were sent/ })
    await drawn.waitFor()

    expect(await drawn.getAttribute('aria-label')).toBe(
      'Events of the last 30 days by how they were sent: Websocket 69,606,420, HTTP 900,000, Webhooks 1,800,000.',
    )
    await usage.getByText('Websocket 69.60 M').waitFor()
    await usage.getByText('Webhooks 1.80 M').waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectClean(page)
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390)
    const height = (await usage.boundingBox())?.height
    await usage.getByRole('button', { name: 'Show as table' }).click()
    expect(await usage.locator('thead').nth(1).innerText()).toMatch(/Websocket\s+HTTP\s+Webhooks/)
    expect(await usage.locator('tbody').nth(1).getByRole('row').first().innerText()).toMatch(
      /2,180,214\s+30,000\s+200,000/,
    )
    expect((await usage.boundingBox())?.height).toBe(height)
    await expectClean(page)

    tellUsage(api, { days: DAYS.map((day) => ({ ...day, http: 0, webhooks: 0 })) })
    await signInAgain(page)
    await usage.getByText('2.41 M').waitFor()
    await usage.getByRole('img').first().waitFor()
    expect(await drawn.count()).toBe(0)
  })

  test('Values of twelve digits keep their first ones, in the figures and in the table, on a phone of 320 px', async ({
    expect,
    visit,
  }) => {
    const days = DAYS.map(({ day }) => ({
      day,
      newPairs: 987_654_321_098,
      buys: 123_456_789_012,
      sells: 234_567_890_123,
    }))
    const { page } = await visit('/dashboard/account', {
      width: 320,
      before: (api) => tellUsage(api, { days, open: [{ ...OPEN, client: `${'long-'.repeat(12)}name` }] }),
    })
    const usage = page.getByRole('region', { name: 'Usage' })
    await usage.getByRole('button', { name: 'Show as table' }).click()

    expect(await usage.locator('dd').allInnerTexts()).toEqual([
      '1,345.67 B',
      '123.45 B',
      '234.56 B',
      '987.65 B',
    ])
    const table = usage.getByRole('region', { name: 'Events by day and connected times' })
    expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(320)
    const client = page.locator('.connection-client').first()
    expect(await client.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })

  test('The wire is live while a client is connected; closing it sends its id, and it disappears', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', { before: (double) => tellUsage(double) })
    const panel = page.getByRole('region', { name: 'Connections' })
    await panel.getByText('bot/1.2').first().waitFor()
    await expect.poll(() => page.locator('.wire-live').count()).toBe(1)
    expect(await panel.innerText()).toMatch(/Open 2h 00m · swaps · 1,234 events, 8\.4 MB sent · 0 B queued/)
    expect(await panel.innerText()).toContain('It read too slowly.')

    api.answer('POST /api/connections/close', () => {
      tellUsage(api, { open: [] })
      return { body: { ok: true } }
    })
    await panel.getByRole('button', { name: 'Close the connection from 203.0.113.24' }).click()
    await panel.getByText('0 open now').waitFor()

    expect(api.calls.find(({ name }) => name === 'POST /api/connections/close')?.body).toEqual({
      id: OPEN.id,
    })
    await expect.poll(() => page.locator('.wire-live').count()).toBe(0)
    await expect.poll(() => panel.evaluate((element) => element === document.activeElement)).toBe(true)
  })
})
