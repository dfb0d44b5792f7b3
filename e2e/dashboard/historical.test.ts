import { describe, expect } from 'vitest'
import { chromePath, type WatchedPage } from '../browser.ts'
import { sessionToken } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'

const choice = (page: WatchedPage, name: string) => page.getByRole('radio', { name, exact: true })

describe.skipIf(!chromePath).concurrent('2. Historical', () => {
  test.for(['/dashboard/historical', '/dashboard/historical/shop'])(
    '%s shows the shop: four duration choices (1 hour 5 USD, 1 day 10 USD, 1 week 60 USD, 1 month 200 USD)',
    async (path, { visit }) => {
      const { page } = await visit(path, { signedIn: false })
      await page.getByRole('heading', { name: 'Historical data' }).waitFor()

      expect(await page.getByRole('radio').count()).toBe(4)
      for (const name of ['1 hour 5 USD', '1 day 10 USD', '1 week 60 USD', '1 month 200 USD']) {
        expect(await choice(page, name).isChecked()).toBe(false)
      }
      expect(await page.getByRole('link', { name: 'Shop' }).getAttribute('aria-current')).toBe('page')
    },
  )

  test('The filled squares number 1, 24, 168 and 720', async ({ visit }) => {
    const { page } = await visit('/dashboard/historical', { signedIn: false })
    await page.getByRole('radio').first().waitFor()
    const drawings = await page
      .locator('.hour-field-filled')
      .evaluateAll((all) => all.map((one) => one.getAttribute('d') ?? ''))

    expect(drawings.map((drawing) => drawing.split('z').length - 1)).toEqual([1, 24, 168, 720])
  })

  test('The choice is changed with arrow keys, stands in the address, and tells its exact window in UTC', async ({
    visit,
  }) => {
    const { page } = await visit('/dashboard/historical', {
      signedIn: false,
      before: (_api, page) => page.clock.setFixedTime('2026-11-20T19:42:10Z'),
    })
    await choice(page, '1 day 10 USD').check()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Every new pair and swap from 13 Nov 2026 19:00 to 20 Nov 2026 19:00 UTC.').waitFor()

    expect(await choice(page, '1 week 60 USD').isChecked()).toBe(true)
    expect(new URL(page.url()).search).toBe('?d=week')
    expect(await page.getByText('1 week, 60 USD').count()).toBe(1)
    expect(await page.getByText('Ordering is not open yet.').count()).toBe(1)
    expect(await page.locator('main').getByRole('button').count()).toBe(0)
  })

  test('The choice survives signing in', async ({ visit }) => {
    const { page } = await visit('/dashboard/historical?d=month', { signedIn: false })
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).search).toBe('?d=month')

    await page.evaluate(
      (token) => Reflect.get(globalThis, 'localStorage').setItem('token', token),
      sessionToken(),
    )
    await page.reload()
    await page.getByText('No orders yet.').waitFor()
    await page.getByRole('link', { name: 'See the shop' }).click()
    await choice(page, '1 month 200 USD').waitFor()

    expect(await choice(page, '1 month 200 USD').isChecked()).toBe(true)
  })

  test('Shop and orders have window titles of their own', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/historical')
    await expect.poll(() => page.title()).toBe('Historical data · Pairwire')
    await page.locator('main').getByRole('link', { name: 'Orders' }).click()

    await expect.poll(() => page.title()).toBe('Orders · Pairwire')
  })

  test('A choice made once is there again after the mailed link opened elsewhere', async ({ visit }) => {
    const { page } = await visit('/dashboard/historical', { signedIn: false })
    await choice(page, '1 week 60 USD').check()
    await page.goto(`${serviceUrl}/dashboard/login?t=mailed`)
    await page.getByText('Current plan').waitFor()
    await page.goto(`${serviceUrl}/dashboard/historical`)
    await choice(page, '1 week 60 USD').waitFor()

    expect(await choice(page, '1 week 60 USD').isChecked()).toBe(true)
  })

  test('Orders: a placeholder that requires login', async ({ visit }) => {
    const { page, api } = await visit('/dashboard/historical/orders')
    await page.getByText('No orders yet.').waitFor()

    expect(await page.getByRole('link', { name: 'See the shop' }).getAttribute('href')).toMatch(
      /^\/dashboard\/historical/,
    )
    expect(api.calls.filter(({ name }) => /order/i.test(name))).toEqual([])
  })
})
