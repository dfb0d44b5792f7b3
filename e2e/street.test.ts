import { describe, expect, inject } from 'vitest'
import { chromePath, expectClean } from './browser.ts'
import { test } from './browser-test.ts'
import { firstSwap, registerAndSignIn, signInNew, startTrial } from './people.ts'

const url = inject('serviceUrl')
const service = { url, dataFolder: inject('dataFolder') }

describe.skipIf(!chromePath)('the street, from a simulated transaction to a row on the screen', () => {
  test('works for a user who has just registered: trial, Start, rows within 3 s', async ({ open }) => {
    const page = await open()
    await registerAndSignIn(page, url)
    await startTrial(page, url, 'Pro')

    await page.getByRole('button', { name: 'Open Test Console' }).click()
    await page.getByRole('button', { name: 'All swaps' }).click()
    const pressed = Date.now()
    await page.getByRole('button', { name: 'Start' }).click()
    await firstSwap(page).waitFor({ timeout: 3_000 })

    expect(Date.now() - pressed).toBeLessThan(3_000)
    await expectClean(page)
  })

  test('shows new pairs on the curve with the simulated market named beside the status', async ({ open }) => {
    const page = await open()
    await signInNew(page, service, 'newpairs')

    await page.goto(`${url}/dashboard/console`)
    await page.getByRole('button', { name: 'New pairs' }).first().click()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('New pair', { exact: true }).first().waitFor()

    await expect.poll(() => page.getByText(/simulated/i).count()).toBeGreaterThan(0)
  })

  test('shows names and pictures of tokens in rows, among the active ones and in a token’s drawer', async ({
    open,
  }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    await page.goto(`${url}/dashboard/console`)
    await page.getByRole('button', { name: 'All swaps' }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    await firstSwap(page).waitFor()

    const row = page.locator('.event-row:has(.cell-mint .token-logo:not(.token-logo-coming))').first()
    await row.waitFor()
    expect(await row.locator('.cell-mint .row-name').innerText()).toMatch(/^[\p{L}\p{N}$ ]{1,20}$/u)
    const active = page.locator('.active-token:has(.token-logo:not(.token-logo-coming))').first()
    await active.waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    // If addresses have no explorer the token is a link anyway.
    await row.locator('.cell-mint').getByRole('link').press('Enter')
    await page.getByRole('dialog').locator('.token-logo:not(.token-logo-coming)').waitFor()
  })

  test('closes the socket when the user leaves the console, and Account shows no other cause', async ({
    open,
  }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    await page.goto(`${url}/dashboard/console`)
    await page.getByRole('button', { name: 'All swaps' }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    await firstSwap(page).waitFor()

    await page.getByRole('link', { name: 'Account' }).first().click()
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
    await page.locator('.connection').first().waitFor()
    expect(await page.getByText('The service stopped while it was open.').count()).toBe(0)
    await page.getByRole('link', { name: 'Test Console' }).first().click()
    await page.getByRole('button', { name: 'Start' }).click()

    // The plan allows one connection: this one opens only if the first was closed.
    await firstSwap(page).waitFor()
    expect(await page.getByText('Error connecting to websocket').count()).toBe(0)
  })

  test('waits for the key if Start is pressed before the page has read it', async ({ open }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/account', async (route) => {
      await held
      await route.continue()
    })

    await page.goto(`${url}/dashboard/console`)
    await page.getByRole('button', { name: 'All swaps' }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    release()

    await firstSwap(page).waitFor()
    expect(await page.getByText('Error connecting to websocket').count()).toBe(0)
  })
})
