import { describe } from 'vitest'
import { chromePath, expectCleanInBothThemes, isFocused, type WatchedPage } from '../browser.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { goTo } from './go-to.ts'
import { historyAnswer, orderAnswer, sampleAnswer } from './history-answers.ts'
import { signInAgain } from './sign-in-again.ts'
import { tabTo } from './tab-to.ts'

const AWAY = { errorType: 'ERR_UNAVAILABLE', errorMessage: 'The archive is away.' }
const choice = (page: WatchedPage, name: string) => page.getByRole('radio', { name, exact: true })

describe.skipIf(!chromePath).concurrent('2. Historical', () => {
  test('/dashboard/historical and /dashboard/historical/shop show the shop: four duration choices (1 hour 5 USD, 1 day 10 USD, 1 week 60 USD, 1 month 200 USD), whose filled squares number 1, 24, 168 and 720', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/historical', { signedIn: false })
    for (const path of ['/dashboard/historical', '/dashboard/historical/shop']) {
      await goTo(page, '/dashboard/help')
      await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
      await goTo(page, path)
      await page.getByRole('heading', { name: 'Historical data' }).waitFor()

      expect(await page.getByRole('radio').count(), path).toBe(4)
      for (const name of ['1 hour 5 USD', '1 day 10 USD', '1 week 60 USD', '1 month 200 USD']) {
        expect(await choice(page, name).isChecked(), `${name} at ${path}`).toBe(false)
      }
      expect(await page.getByRole('link', { name: 'Shop' }).getAttribute('aria-current'), path).toBe('page')
    }
    const filled = await page
      .locator('.hour-field')
      .evaluateAll((all) =>
        all.map((one) =>
          [...one.querySelectorAll('.hour-field-filled')].reduce(
            (sum, path) => sum + (path.getAttribute('d') ?? '').split('z').length - 1,
            0,
          ),
        ),
      )
    expect(filled).toEqual([1, 24, 168, 720])
  })

  test('The hour under the pointer is described, and a picture of 720 hours needs few elements: a phone draws them at once', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/historical', { signedIn: false })
    await page.getByRole('button', { name: /table/i }).waitFor()
    const month = page.locator('.hour-field').last()
    const { width, height } = (await month.boundingBox())!

    await month.hover({ position: { x: width - 3, y: height - 3 } })
    await expect.poll(() => month.locator('title').textContent()).toMatch(/^20 Nov 2026 18:00 UTC: /)
    await month.hover({ position: { x: width - 3, y: height - 3 - height / 24 } })
    await expect.poll(() => month.locator('title').textContent()).toMatch(/^20 Nov 2026 17:00 UTC: /)
    expect(await page.locator('.hour-field *').count()).toBeLessThan(40)
  })

  test('Arrow keys change the choice, which is kept in the address without moving the focus and shows its exact window in UTC; the button pressed while signed out shows the login form and keeps the choice', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/historical', { signedIn: false })
    await choice(page, '1 day 10 USD').check()
    expect(new URL(page.url()).search).toBe('?d=day')
    expect(await isFocused(choice(page, '1 day 10 USD'))).toBe(true)
    await page.getByText('The archive has gaps in 19 Nov 2026 23:00.').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Every new pair and swap from 13 Nov 2026 19:00 to 20 Nov 2026 19:00 UTC.').waitFor()

    expect(await choice(page, '1 week 60 USD').isChecked()).toBe(true)
    expect(new URL(page.url()).search).toBe('?d=week')
    expect(await page.getByText('1 week, 60 USD').count()).toBe(1)
    await page.getByText('Incomplete hours (UTC): 19 Nov 2026 23:00.').waitFor()

    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).search).toBe('?d=week')
    expect(api.count('POST /api/history/orders')).toBe(0)
  })

  test('A shop that did not answer can be tried again; if nothing can be sold it says so with the reason, and has no button to pay; hours are also a table', async ({
    expect,
    visit,
  }) => {
    const offers = historyAnswer().offers.map((offer) => ({
      ...offer,
      available: false,
      reason: 'No prices are set.',
    }))
    const { page, api } = await visit('/dashboard/historical?d=week', {
      signedIn: false,
      before: (api) => api.answer('GET /api/history', { status: 500 }),
    })
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    api.answer('GET /api/history', { body: { ...historyAnswer(), reason: 'No prices are set.', offers } })
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Ordering is not open yet.').waitFor()

    expect(await page.getByText('No prices are set.').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Continue to payment' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show as table' }).click()
    const rows = page.getByRole('region', { name: 'Hours on sale' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(721)
  })

  test('The end of the window is typed figure by figure, also past one that is refused', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/historical')
    const field = page.getByLabel('Ends (date and hour, UTC)')
    await field.focus()
    const errorMessage = 'This hour lies in the future.'
    api.answer('GET /api/history', { status: 400, body: { errorType: 'ERR_VALIDATION', errorMessage } })

    await page.keyboard.type('1')
    await page.getByText(errorMessage).waitFor()
    await page.keyboard.type('0')

    expect(await isFocused(field)).toBe(true)
    expect(await field.inputValue()).toContain('-10')
    await page.getByRole('button', { name: 'Show the newest hours' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  test('A shop that did not answer for a chosen end is tried again with the same end', async ({
    expect,
    visit,
  }) => {
    const to = '2026-11-20T10:00:00Z'
    const { page, api } = await visit(`/dashboard/historical?to=${to}`, {
      before: (api) => api.answer('GET /api/history', { status: 500 }),
    })
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    api.answer('GET /api/history', { body: historyAnswer() })

    await page.getByRole('button', { name: 'Try again' }).click()

    await page.getByRole('button', { name: 'Show as table' }).waitFor()
    expect(new URL(page.url()).searchParams.get('to')).toBe(to)
  })

  test('The button, reached by keyboard, orders the window shown and leads to the sandbox', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/historical?d=week', {
      before: (api) =>
        api.answer('POST /api/history/orders', {
          body: {
            order: orderAnswer({ status: 'awaiting_payment' }),
            checkout: { provider: 'sandbox', url: '/dashboard/help?paid' },
          },
        }),
    })
    await tabTo(choice(page, '1 week 60 USD'))
    await tabTo(page.getByLabel('Ends (date and hour, UTC)'))
    await tabTo(page.getByRole('button', { name: 'Continue to payment' }))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/dashboard/help?paid')

    expect(api.calls.find(({ name }) => name === 'POST /api/history/orders')?.body).toEqual({
      offer: 'week',
      to: '2026-11-20T19:00:00Z',
    })
  })

  test('A person who leaves the shop while its checkout is made stays on the other page', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/historical?d=week')
    const order = orderAnswer({ status: 'awaiting_payment' })
    const checkout = { provider: 'sandbox', url: '/dashboard/guides' }
    const make = api.hold('POST /api/history/orders', { body: { order, checkout } })
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await page.getByRole('link', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
    const answered = page.waitForResponse('**/api/history/orders')
    make()
    await answered
    await page.getByText('Email support').waitFor()

    expect(new URL(page.url()).pathname).toBe('/dashboard/help')
  })

  test('An order shows its status, its commands with the token masked until Show, and its files, by keyboard alone', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/historical/orders', {
      before: (api) => {
        const preparing = orderAnswer({ id: 123456789, readyHours: 6, downloadToken: null })
        api.answer('GET /api/history/orders', { body: [orderAnswer(), preparing] })
        api.answer('GET /api/history/orders/482913377', { body: orderAnswer() })
      },
    })
    const order = page.getByRole('region', { name: 'Order 482913377' })
    await order.getByText('3 of 24 hours downloaded').waitFor()
    expect(await order.getByText('Ready').count()).toBe(1)
    expect(await page.getByText('Preparing 25 %').count()).toBe(1)
    expect(await order.innerText()).not.toContain('tok_')

    await tabTo(order.getByRole('button', { name: 'Show token' }))
    await page.keyboard.press('Enter')
    expect(await order.innerText()).toContain('tok_')
    await tabTo(order.getByText('Files by hour'))
    await page.keyboard.press('Enter')
    await tabTo(order.getByRole('region', { name: 'Files by hour' }))
    const file = order.getByRole('link', { name: 'swaps' })
    await tabTo(file)
    await expectCleanInBothThemes(page)
    expect(await file.getAttribute('href')).toMatch(/download\/20261120-180000\.swaps\.parquet\?token=tok_/)
    await page.setViewportSize({ width: 390, height: 844 })
    const sum = order.getByRole('cell', { name: 'ab'.repeat(32) }).first()
    const { lines, isWithin } = await sum.evaluate((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      const { scrollWidth, clientWidth } = document.documentElement
      return { lines: range.getClientRects().length, isWithin: scrollWidth <= clientWidth }
    })
    expect([lines, isWithin]).toEqual([1, true])
  })

  test('The sample does not say how much of it was downloaded, which nobody counts', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/historical/orders', {
      before: (api) => api.answer('GET /api/history/orders/1', { body: sampleAnswer() }),
    })
    const sample = page.getByRole('region', { name: 'Sample' })
    await sample.getByText(/ as zip/).waitFor()

    expect(await sample.innerText()).not.toMatch(/ downloaded/)
  })

  test('A failed order says how much of it is missing, keeps what is there, and names where to ask for the money; a refunded one offers nothing', async ({
    expect,
    visit,
  }) => {
    const month = { offer: 'month', from: '2026-10-21T19:00:00Z', usd: 200, hours: 720 } as const
    const { page } = await visit('/dashboard/historical/orders', {
      before: (api) =>
        api.answer('GET /api/history/orders', {
          body: [
            orderAnswer({ ...month, status: 'failed', readyHours: 718 }),
            orderAnswer({ ...month, id: 123456789, status: 'refunded', downloadToken: null }),
          ],
        }),
    })
    const [failed, refunded] = [482913377, 123456789].map((id) =>
      page.getByRole('region', { name: `Order ${id}` }),
    )

    await failed!.getByText('2 of 720 hours missing. Ask for a refund at support@example.com.').waitFor()
    expect(await failed!.getByText('Files by hour').count()).toBe(1)
    expect(await refunded!.getByText('Refunded', { exact: true }).count()).toBe(1)
    expect(await refunded!.getByRole('button').or(refunded!.getByRole('link')).count()).toBe(0)
  })

  test('An unpaid order links to its payment, and becomes ready without a press', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/historical/orders', {
      before: (api) =>
        api.answer('GET /api/history/orders', {
          body: [orderAnswer({ status: 'awaiting_payment', readyHours: 0, downloadToken: null })],
        }),
    })
    await page.getByText('Waiting for payment').waitFor()
    expect(await page.getByRole('button', { name: 'Continue to payment' }).count()).toBe(1)
    api.answer('GET /api/history/orders', { body: [orderAnswer()] })
    await page.getByText('Ready').waitFor()
  })

  test('A sample that cannot be read is told, and tried again; files in view stay while they cannot be read again', async ({
    expect,
    visit,
  }) => {
    const [away, preparing] = [{ status: 503, body: AWAY }, { body: orderAnswer({ readyHours: 6 }) }]
    const { page, api } = await visit('/dashboard/historical/orders', {
      clock: true,
      before: (api) => {
        api.answer('GET /api/history/orders', { body: [preparing.body] })
        api.answer('GET /api/history/orders/482913377', away)
        api.answer('GET /api/history/orders/1', away)
      },
    })
    const order = page.getByRole('region', { name: 'Order 482913377' })
    const files = page.getByRole('region', { name: 'Files by hour' })
    await order.getByText('Files by hour').click()
    await order.getByRole('button', { name: 'Try again' }).waitFor()
    api.answer('GET /api/history/orders/482913377', preparing)
    await order.getByRole('button', { name: 'Try again' }).press('Enter')
    await files.waitFor()
    expect(await isFocused(page.getByRole('heading', { level: 1 }))).toBe(true)

    api.answer('GET /api/history/orders/482913377', away)
    for (const count of [3, 4]) {
      await page.clock.runFor(5_000)
      await expect.poll(() => api.count('GET /api/history/orders/482913377')).toBe(count)
    }
    expect(await files.count()).toBe(1)

    api.answer('GET /api/history/orders/1', { body: sampleAnswer() })
    await page.getByText(AWAY.errorMessage).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'Sample' }).waitFor()
    expect(await page.getByText(AWAY.errorMessage).count()).toBe(0)
  })

  test('Orders require login, which the choice survives', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/historical?d=month', { signedIn: false })
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).search).toBe('?d=month')

    await signInAgain(page)
    await page.getByText('No orders yet.').waitFor()
    await page.getByRole('link', { name: 'See the shop' }).click()
    await choice(page, '1 month 200 USD').waitFor()

    expect(await choice(page, '1 month 200 USD').isChecked()).toBe(true)
  })

  test('Shop and orders have their own window titles, and an empty list says that there are no orders', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/historical')
    await expect.poll(() => page.title()).toBe('Historical data · Pairwire')
    await page.locator('main').getByRole('link', { name: 'Orders' }).click()

    await expect.poll(() => page.title()).toBe('Orders · Pairwire')
    // The user's own colours would draw a transparent line too.
    const lines = page
      .getByRole('navigation', { name: 'Historical data' })
      .getByRole('link')
      .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBlockEndWidth))
    expect(await lines).toEqual(['0px', '2px'])
    await page.getByText('No orders yet.').waitFor()
    expect(await page.getByRole('link', { name: 'See the shop' }).getAttribute('href')).toMatch(
      /^\/dashboard\/historical/,
    )
  })

  test('A choice is restored after the mailed link was opened elsewhere', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/historical', { signedIn: false })
    await choice(page, '1 week 60 USD').check()
    await page.goto(`${serviceUrl}/dashboard/login?t=mailed`)
    await page.getByText('Current plan').waitFor()
    await page.goto(`${serviceUrl}/dashboard/historical`)
    await choice(page, '1 week 60 USD').waitFor()

    expect(await choice(page, '1 week 60 USD').isChecked()).toBe(true)
  })
})
