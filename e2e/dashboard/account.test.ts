import { describe } from 'vitest'
import { chromePath, isFocused, type WatchedPage } from '../browser.ts'
import { PAID_ACCOUNT, SUSPENSION, TRIAL_ACCOUNT } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { holdCode } from './held-code.ts'
import { signInAgain } from './sign-in-again.ts'

/** How many of the panels that load later have their code. */
function countPanels(): number {
  const panels = /(connections-panel|webhooks-panel|usage-days)-[^/]*\.js$/
  return performance.getEntriesByType('resource').filter(({ name }) => panels.test(name)).length
}

const plan = (page: WatchedPage) => page.getByRole('region', { name: 'Plan', exact: true })

describe.skipIf(!chromePath).concurrent('2. Account page', () => {
  test('During a trial: plan name, badge Free Trial, Expires with a short-month date, connection limit, Subscribe; Open Test Console and Open Documentation, two guides, email, joined date and Delete Account are there', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account')
    await plan(page).getByText('Free Trial').waitFor()
    const text = await plan(page).innerText()

    expect(text).toMatch(/Pro/)
    expect(text).toMatch(/Expires\s+12 Dec 2030/)
    expect(text).toMatch(/Connection limit\s+1/)
    expect(await plan(page).getByRole('link').allInnerTexts()).toEqual(['Subscribe'])
    expect(await plan(page).getByRole('link', { name: 'Subscribe' }).getAttribute('href')).toBe(
      '/dashboard/upgrade',
    )
    expect(await page.getByRole('button', { name: 'Manage Plan' }).count()).toBe(0)

    const main = page.locator('main')
    await main.getByText('Open Test Console').waitFor()
    expect(await main.getByRole('button', { name: 'Open Test Console' }).getAttribute('href')).toBe(
      '/dashboard/console',
    )
    expect(await main.getByRole('button', { name: 'Open Documentation' }).getAttribute('href')).toBe('/docs')
    expect(await main.getByRole('link', { name: /New tokens/i }).count()).toBe(1)
    expect(await main.getByRole('link', { name: /Token pricing/i }).count()).toBe(1)
    expect(await main.innerText()).toMatch(/mara@example\.com[\s\S]*Joined 14 Mar 2026/)
    expect(await main.getByRole('button', { name: 'Delete Account' }).count()).toBe(1)
  })

  test('With a paid plan: badge Active, Renews, and a Manage Plan button, which paidSubscription.forbidManageSubscription hides; without a subscription: no badge, the way to the free trial, and the link reads Upgrade; when willCancel is set: badge Cancelled and Expires with that date, which Delete Account warns of', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', { account: PAID_ACCOUNT })
    const show = async (account: object) => {
      api.answer('GET /api/account', { body: { ...PAID_ACCOUNT, ...account } })
      await signInAgain(page)
    }
    await plan(page).getByText('Active', { exact: true }).waitFor()
    expect(await plan(page).innerText()).toMatch(/Basic[\s\S]*Renews\s+12 Dec 2030/)
    expect(await plan(page).getByRole('button', { name: 'Manage Plan' }).count()).toBe(1)
    expect(await plan(page).getByRole('link').count()).toBe(0)

    await show({ paidSubscription: { planName: 'Basic', forbidManageSubscription: true } })
    await plan(page).getByText('Support manages your plan.').waitFor()
    expect(await page.getByText('Manage Plan').count()).toBe(0)
    expect(await page.getByRole('link', { name: /^(Upgrade|Subscribe)$/ }).count()).toBe(0)

    await show({ activeSubscription: undefined, paidSubscription: undefined, hasHadFreeTrial: false })
    await plan(page).getByText('No plan').waitFor()
    expect(await plan(page).getByRole('link').allInnerTexts()).toEqual(['Start free trial', 'Upgrade'])
    expect(await plan(page).innerText()).toContain(
      'You need a plan to open a stream. The first 5 days are free.',
    )
    expect(await plan(page).innerText()).not.toMatch(/Free Trial|Active|Cancelled/)

    const willCancel = '2030-11-30T00:00:00Z'
    await show({ activeSubscription: { ...PAID_ACCOUNT.activeSubscription, willCancel } })
    await plan(page).getByText('Cancelled').waitFor()
    expect(await plan(page).innerText()).toMatch(/Expires\s+30 Nov 2030/)
    expect(await plan(page).innerText()).not.toMatch(/Renews/)
    await page.getByRole('button', { name: 'Delete Account' }).click()
    await page.getByRole('dialog').getByText('You lose Basic, paid until 30 Nov 2030.').waitFor()
  })

  test('Suspended: since when, what the operator says and where to write stand above the plan; Manage Plan, signing out and Delete Account stay', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', {
      account: { ...PAID_ACCOUNT, suspension: SUSPENSION },
    })
    const notice = page.locator('main .notice-danger')
    await notice.waitFor()

    expect(await notice.innerText()).toMatch(
      /suspended since 3 Nov 2026\. You resell the stream\..*still charged.*support@example\.com\.$/,
    )
    for (const name of ['Manage Plan', 'Sign out everywhere', 'Delete Account'])
      expect(await page.getByRole('button', { name }).isEnabled()).toBe(true)
  })

  test('A suspended account whose plan was granted, or is cancelled, is not told that it is charged', async ({
    expect,
    visit,
  }) => {
    const activeSubscription = { ...PAID_ACCOUNT.activeSubscription, willCancel: '2030-12-20T12:00:00Z' }
    const granted = { planName: 'Basic', forbidManageSubscription: true }
    for (const change of [{ paidSubscription: granted }, { activeSubscription }]) {
      const { page } = await visit('/dashboard/account', {
        account: { ...PAID_ACCOUNT, ...change, suspension: SUSPENSION },
      })
      const notice = page.locator('main .notice-danger')
      await notice.waitFor()

      expect(await notice.innerText()).toMatch(/or order history\. Write to support@example\.com\.$/)
    }
  })

  test('s=subscription shows the notice and hides the upgrade button', async ({ expect, visit }) => {
    const { page, api } = await visit('/dashboard/account?s=subscription')
    await page
      .getByText(
        'Subscription updated successfully. It may take a moment to change... please refresh the page.',
        { exact: true },
      )
      .waitFor()
    await plan(page).getByText('Free Trial').waitFor()
    expect(await page.getByRole('link', { name: /^(Upgrade|Subscribe)$/ }).count()).toBe(0)

    api.answer('GET /api/account', { body: PAID_ACCOUNT })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await plan(page).getByText('Active', { exact: true }).waitFor()
  })

  test('On a phone with letters twice as large nothing of the account is beside the page', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', {
      width: 390,
      height: 844,
      before: async (_api, page) => {
        const devtools = await page.context().newCDPSession(page)
        await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
      },
    })
    await page.getByRole('button', { name: 'Reset Key' }).waitFor()

    expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  test("The days left of a trial are counted by the service's clock, not by this device's", async ({
    visit,
  }) => {
    const twoDaysOff = 2 * 86_400_000
    const renewalDate = new Date(Date.now() + 4.5 * 86_400_000).toISOString()
    const account = {
      ...TRIAL_ACCOUNT,
      activeSubscription: { ...TRIAL_ACCOUNT.activeSubscription, renewalDate },
    }
    const { page } = await visit('/dashboard/account', {
      before: async (api, page) => {
        await page.addInitScript((ms) => {
          const now = Date.now
          Date.now = () => now() - ms
        }, twoDaysOff)
        api.answer('GET /api/account', () => ({ body: account, date: new Date().toUTCString() }))
      },
    })

    await plan(page).getByText('5 days left').waitFor()
  })

  test('Dates use short month format in the stored locale', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/account', {
      before: async (_api, page) => {
        await page.addInitScript("localStorage.setItem('locale', 'en-US')")
      },
    })
    await plan(page).getByText('Free Trial').waitFor()

    expect(await plan(page).innerText()).toMatch(/Expires\s+Dec 12, 2030/)
    expect(await page.evaluate('document.documentElement.lang')).toBe('en-US')
  })

  test("Manage plan failure: 'Failed to manage subscription. Please try again later.'; else Manage Plan navigates to the returned url", async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', {
      account: PAID_ACCOUNT,
      before: (api) => api.answer('GET /api/subscription/manage', { status: 500 }),
    })
    await page.getByRole('button', { name: 'Manage Plan' }).click()

    await page.getByText('Failed to manage subscription. Please try again later.').waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: 'Manage Plan' }).getAttribute('aria-busy'))
      .toBeNull()

    api.answer('GET /api/subscription/manage', { body: { url: `${serviceUrl}/docs?portal=1` } })
    await page.getByRole('button', { name: 'Manage Plan' }).click()
    await page.waitForURL(`${serviceUrl}/docs?portal=1`)
  })

  test('While the account loads, its space is reserved: the layout shifts by 0.02 at most', async ({
    expect,
    visit,
  }) => {
    let release = () => {}
    const { page, api } = await visit('/dashboard/account', {
      before: async (api, page) => {
        release = api.hold('GET /api/account', { body: TRIAL_ACCOUNT })
        await page.addInitScript(`
          window.shift = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
          }).observe({ type: 'layout-shift', buffered: true })
        `)
      },
    })
    await page.locator('main [aria-busy="true"]').first().waitFor()
    // On a busy machine the code of a panel comes later than the page waits for it.
    await expect.poll(() => page.evaluate(countPanels)).toBe(3)
    await expect.poll(() => api.count('GET /v1/webhooks')).toBe(1)
    release()
    await page.getByText('Current plan').waitFor()
    await page.getByRole('button', { name: 'Delete Account' }).waitFor()

    expect(await page.evaluate('window.shift')).toBeLessThanOrEqual(0.02)
  })
})

describe.skipIf(!chromePath).concurrent('4. Dialogs', () => {
  const DIALOGS = [
    {
      name: 'Disconnect All',
      call: 'POST /api/disconnect',
      success: 'Success, disconnected all connections.',
      failure: 'Failed to disconnect connections. Please try again.',
    },
    {
      name: 'Reset Key',
      call: 'POST /api/resetkey',
      success: 'Success, key reset successfully.',
      failure: 'Failed to reset key. Please try again.',
    },
    {
      name: 'Delete Account',
      call: 'DELETE /api/account/delete',
      success: 'Success, account deleted.',
      failure: 'Sorry, an unknown error occoured. Please try again later.',
    },
  ] as const

  test('Disconnect All, Reset Key and Delete Account can be cancelled or confirmed, with a loading state; deleted, the account is signed out in place, with the banner above the login form', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    for (const { name, call, success, failure } of DIALOGS) {
      const opener = page.locator('main').getByRole('button', { name }).first()
      const dialog = page.getByRole('dialog', { name })
      const confirm = dialog.getByRole('button', { name })
      await opener.click()
      await dialog.waitFor()

      // Cancelled by its button and by Escape: nothing is called, the focus returns.
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await opener.click()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await isFocused(opener), name).toBe(true)
      expect(api.count(call), name).toBe(0)

      // A failure is shown in the dialog, which stays open.
      api.answer(call, { status: 500 })
      await opener.click()
      await confirm.click()
      await dialog.getByText(failure).waitFor()

      // While busy, neither a second press nor Escape does anything.
      const release = api.hold(call, { body: { ok: true } })
      await confirm.click()
      await expect.poll(() => confirm.getAttribute('aria-busy'), { message: name }).toBe('true')
      await confirm.click({ force: true })
      await page.keyboard.press('Escape')
      expect(await dialog.count(), name).toBe(1)

      release()
      await page.getByRole('status').getByText(success, { exact: true }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      expect(api.count(call), name).toBe(2)
    }
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.locator('.banner').getByText('Success, account deleted.').waitFor()
    expect(await page.evaluate("localStorage.getItem('token')")).toBeNull()
  })

  // Guards against "Your session ended": the page that leaves stays until the next one's code is there, and reads on.
  test('Deleted while the code of the login form is late, the account is signed out in place all the same', async ({
    visit,
  }) => {
    let release = () => {}
    const { page } = await visit('/dashboard/account', {
      clock: true,
      before: async (api, page) => {
        api.answer('DELETE /api/account/delete', { body: { ok: true } })
        release = await holdCode(page, 'login')
      },
    })
    await page.locator('main').getByRole('button', { name: 'Delete Account' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete Account' }).click()
    await page.getByRole('status').getByText('Success, account deleted.', { exact: true }).waitFor()
    await page.clock.runFor(30_000)
    release()

    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.locator('.banner').getByText('Success, account deleted.').waitFor()
  })

  test('Sign out everywhere can be cancelled; a failure is shown in the dialog; success ends at the sign-out page', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    const name = 'Sign out everywhere'
    const opener = page.locator('main').getByRole('button', { name })
    const dialog = page.getByRole('dialog', { name })
    const confirm = dialog.getByRole('button', { name })
    await opener.press('Enter')
    await dialog.waitFor()
    await expect.poll(() => isFocused(confirm)).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await isFocused(opener)).toBe(true)
    expect(api.count('POST /api/logoutall')).toBe(0)

    api.answer('POST /api/logoutall', { status: 500 })
    await opener.click()
    await confirm.click()
    await dialog.getByText('Failed to sign out everywhere. Please try again.').waitFor()
    expect(await page.evaluate("localStorage.getItem('token')")).not.toBeNull()

    api.answer('POST /api/logoutall', { body: {} })
    await confirm.click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(api.count('POST /api/logoutall')).toBe(2)
    expect(await page.evaluate("localStorage.getItem('token')")).toBeNull()
  })

  test('The API key is read-only and shown in full; Copy puts exactly it on the clipboard; success of Reset Key reloads the account and shows the new key', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    const key = page.getByRole('textbox', { name: 'API key' })
    await key.waitFor()
    expect(await key.inputValue()).toBe(TRIAL_ACCOUNT.user.APIKey)
    expect(await key.getAttribute('readonly')).not.toBeNull()
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    await page.getByText('Copied').first().waitFor()
    await key.press('Control+a')
    await key.press('Control+x')
    expect(await key.inputValue()).toBe(TRIAL_ACCOUNT.user.APIKey)

    const fresh = { ...TRIAL_ACCOUNT, user: { ...TRIAL_ACCOUNT.user, APIKey: 'pw_new' } }
    await page.getByRole('button', { name: 'Reset Key' }).click()
    api.answer('POST /api/resetkey', { body: { ok: true } })
    api.answer('GET /api/account', { body: fresh })
    await page.getByRole('dialog').getByRole('button', { name: 'Reset Key' }).click()
    await page.getByText('Success, key reset successfully.').first().waitFor()

    expect(await key.inputValue()).toBe('pw_new')
    await expect.poll(() => isFocused(key)).toBe(true)
  })

  test('Where the new key cannot be read after Reset Key, the dead one is not shown any more', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    const key = page.getByRole('textbox', { name: 'API key' })
    await page.getByRole('button', { name: 'Reset Key' }).click()
    api.answer('POST /api/resetkey', { body: { ok: true } })
    api.answer('GET /api/account', { status: 429 })
    await page.getByRole('dialog').getByRole('button', { name: 'Reset Key' }).click()
    await page.getByText('Success, key reset successfully.').first().waitFor()

    expect(await key.count()).toBe(0)
    const fresh = { ...TRIAL_ACCOUNT, user: { ...TRIAL_ACCOUNT.user, APIKey: 'pw_new' } }
    api.answer('GET /api/account', { body: fresh })
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => key.inputValue()).toBe('pw_new')
    await expect.poll(() => isFocused(key)).toBe(true)
  })

  test('A key that was reset in another tab is shown as soon as this tab is looked at again', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    const field = page.getByLabel('API key', { exact: true })
    await expect.poll(() => field.inputValue()).toBe(TRIAL_ACCOUNT.user.APIKey)
    const APIKey = 'pw_11111111111111111111111111111111'
    api.answer('GET /api/account', { body: { ...TRIAL_ACCOUNT, user: { ...TRIAL_ACCOUNT.user, APIKey } } })

    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))

    await expect.poll(() => field.inputValue()).toBe(APIKey)
  })

  test('Deleting the account is blocked while a subscription is active: the server message of ACTIVE_SUBSCRIPTION is shown', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    const words = 'Cancel your Pro plan before you delete the account.'
    api.answer('DELETE /api/account/delete', {
      status: 400,
      body: { errorType: 'ACTIVE_SUBSCRIPTION', errorMessage: words },
    })
    await page.getByRole('button', { name: 'Delete Account' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete Account' }).click()

    await page.getByRole('dialog').getByText(words).waitFor()
    expect(await page.evaluate("localStorage.getItem('token')")).not.toBeNull()
  })

  test('The success banner is as high as that of the system status, dismissible, and clears on the second change of page', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', {
      before: (api) => api.answer('GET /api/systemstatus', { body: [{ Details: 'Swaps are back.' }] }),
    })
    api.answer('POST /api/disconnect', { body: { ok: true } })
    const disconnect = async () => {
      await page.locator('main').getByRole('button', { name: 'Disconnect All' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect All' }).click()
      await page.locator('.banner').getByText('Success, disconnected all connections.').waitFor()
    }
    const item = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
    await disconnect()
    const heights = await page.locator('.banner').evaluateAll((all) => all.map((one) => one.clientHeight))
    expect(heights).toHaveLength(2)
    expect(heights[0]).toBe(heights[1])
    while ((await page.locator('.banner').count()) > 0)
      await page.getByRole('button', { name: 'Dismiss' }).first().click()

    await disconnect()
    await item('Help').click()
    await page.getByRole('heading', { name: 'Help' }).waitFor()
    expect(await page.locator('.banner').count()).toBe(1)
    await item('Account').click()
    await page.getByText('Current plan').waitFor()
    expect(await page.locator('.banner').count()).toBe(0)
  })
})
