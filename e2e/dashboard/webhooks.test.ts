import { describe } from 'vitest'
import { chromePath, expectCleanInBothThemes, isFocused, type WatchedPage } from '../browser.ts'
import { type ApiDouble, aWebhook, SUSPENSION, TRIAL_ACCOUNT } from './api-double.ts'
import { test } from './dashboard-test.ts'
import { goTo } from './go-to.ts'
import { signInAgain } from './sign-in-again.ts'

const panel = (page: WatchedPage) => page.getByRole('region', { name: 'Webhooks' })
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwfKQ9r8GKYqr='
const list = (api: ApiDouble, webhooks: readonly object[], limit = 3) =>
  api.answer('GET /v1/webhooks', { body: { webhooks, limit } })
const letters = (api: ApiDouble, deadLetters: readonly object[]) =>
  api.answer('GET /v1/webhooks/wh_4Kq8/deadletters', { body: { deadLetters } })
const aLetter = (changes: object = {}) => ({
  ...{ n: 7, at: '2026-11-20T09:00:00Z', first: 'a', last: 'b', events: 2, status: 400 },
  ...{ body: 'no thanks', queued: false, ...changes },
})

describe.skipIf(!chromePath).concurrent('Webhooks on the account page', () => {
  test('without an endpoint: what they are, how many the plan allows, the docs, and a first endpoint by keyboard, whose secret is shown once, until it is dismissed, and not lost by a reload unasked', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', { before: (api) => list(api, []) })
    await panel(page).getByText('0 of 3 endpoints').waitFor()
    expect(await panel(page).getByRole('link', { name: 'Webhook docs' }).getAttribute('href')).toBe(
      '/docs/webhooks',
    )

    await panel(page).getByRole('button', { name: 'New endpoint' }).press('Enter')
    await panel(page).getByLabel('Address').fill('https://hooks.example.com/')
    await panel(page)
      .getByRole('button', { name: /^Whale swaps/ })
      .press('Enter')
    api.answer('POST /v1/webhooks', { status: 201, body: { ...aWebhook(), secret: SECRET } })
    list(api, [aWebhook()])
    await panel(page).getByRole('button', { name: 'Create endpoint' }).press('Enter')
    await panel(page).getByText(SECRET).waitFor()

    expect(api.calls.find(({ name }) => name === 'POST /v1/webhooks')?.body).toEqual({
      url: 'https://hooks.example.com/',
      kind: 'swap',
      params: { include: { usdValue: 10_000 } },
      maxEvents: 25,
      maxWaitMs: 250,
    })
    await panel(page).getByText('1 of 3 endpoints').waitFor()
    const shown = panel(page).getByRole('region', { name: `Secret of ${aWebhook().url}` })
    expect(await isFocused(shown)).toBe(true)
    await goTo(page, '/dashboard/help')
    await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      return dialog.dismiss()
    })
    await page.evaluate('location.reload()')
    await expect.poll(() => asked).toEqual(['beforeunload'])
    await page.goBack()
    await shown.getByText(SECRET).waitFor()
    await shown.getByRole('button', { name: 'Done' }).press('Enter')
    expect(await panel(page).getByText(SECRET).count()).toBe(0)
    expect(await isFocused(panel(page))).toBe(true)
    await page.reload()
    await panel(page).getByText('1 of 3 endpoints').waitFor()
    expect(asked).toHaveLength(1)
  })

  test('the keyboard never loses its place: forms take it and give it back, and so do deleted and queued dead letters', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', {
      before: (api) => {
        list(api, [aWebhook()])
        api.answer('PATCH /v1/webhooks/wh_4Kq8', { body: aWebhook() })
        for (const name of [
          'POST /v1/webhooks/wh_4Kq8/deadletters/7/send',
          'DELETE /v1/webhooks/wh_4Kq8/deadletters/7',
        ])
          api.answer(name, { body: {} })
        letters(api, [aLetter()])
      },
    })
    const [button, address] = [
      (name: string) => panel(page).getByRole('button', { name }),
      panel(page).getByLabel('Address'),
    ]
    await button('New endpoint').press('Enter')
    expect(await isFocused(address)).toBe(true)
    await button('Cancel').press('Enter')
    expect(await isFocused(button('New endpoint'))).toBe(true)

    await button('Manage').press('Enter')
    await button('Change').press('Enter')
    expect(await isFocused(address)).toBe(true)
    await button('Save').press('Enter')
    await expect.poll(() => isFocused(button('Change'))).toBe(true)

    letters(api, [aLetter({ queued: true })])
    await button('Send again: message 7').press('Enter')
    await expect.poll(() => isFocused(button('Waits to be sent: message 7'))).toBe(true)
    letters(api, [])
    await button('Delete message 7').press('Enter')
    await panel(page).getByText('None: every message was taken.').waitFor()
    await expect
      .poll(() => page.locator(':focus').getByRole('heading', { name: 'Dead letters' }).count())
      .toBe(1)
  })

  test('another account that signs in in the same tab sees nothing of the first one’s: no endpoint, no secret, no form', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', { before: (api) => list(api, [aWebhook()]) })
    api.answer('POST /v1/webhooks/wh_4Kq8/rotate', { body: { ...aWebhook(), secret: SECRET } })
    await panel(page)
      .getByRole('button', { name: /^Manage/ })
      .click()
    await panel(page).getByRole('button', { name: 'New secret' }).click()
    await panel(page).getByRole('button', { name: 'New endpoint' }).click()
    await panel(page).getByLabel('Address').fill('https://first.example/')
    await panel(page).getByText(SECRET).waitFor()

    const user = { ...TRIAL_ACCOUNT.user, ID: 'user-2', Email: 'ben@example.com' }
    api.answer('GET /api/account', { body: { ...TRIAL_ACCOUNT, user } })
    const answerList = api.hold('GET /v1/webhooks', { body: { webhooks: [], limit: 1 } })
    await signInAgain(page)
    await page.getByText('ben@example.com').first().waitFor()
    await panel(page).waitFor()
    const text = await panel(page).innerText()
    for (const old of [aWebhook().url, SECRET, '1 of 3']) expect(text).not.toContain(old)
    answerList()
    await panel(page).getByText('0 of 1 endpoint').waitFor()
    expect(await panel(page).getByLabel('Address').count()).toBe(0)
  })

  test('a refused form says why and keeps what was typed, also over another page', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account')
    await panel(page).getByRole('button', { name: 'New endpoint' }).click()
    await panel(page).getByRole('button', { name: 'Create endpoint' }).click()
    await panel(page).getByText('Enter the address that takes the events.').waitFor()
    expect(await isFocused(panel(page).getByLabel('Address'))).toBe(true)

    await panel(page).getByLabel('Address').fill('https://10.0.0.1/')
    const errorMessage = 'The address is not public.'
    api.answer('POST /v1/webhooks', { status: 400, body: { errorType: 'ERR_VALIDATION', errorMessage } })
    await panel(page).getByRole('button', { name: 'Create endpoint' }).click()
    await panel(page).getByText(errorMessage).waitFor()

    await page.getByRole('link', { name: 'Help' }).click()
    await page.getByRole('link', { name: 'Account', exact: true }).first().click()
    expect(await panel(page).getByLabel('Address').inputValue()).toBe('https://10.0.0.1/')
  })

  test('what was typed outlives the end of the session, but not Sign Out', async ({ expect, visit }) => {
    const { page, api } = await visit('/dashboard/account', { before: (api) => list(api, [aWebhook()]) })
    const addresses = panel(page).getByLabel('Address')
    const signBackIn = async () => {
      await signInAgain(page)
      await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click()
      await panel(page).getByText('1 of 3 endpoints').waitFor()
    }
    await panel(page)
      .getByRole('button', { name: /^Manage/ })
      .click()
    await panel(page).getByRole('button', { name: 'Change' }).click()
    await panel(page).getByRole('button', { name: 'New endpoint' }).click()
    await addresses.first().fill('https://moved.example/')
    await addresses.last().fill('https://second.example/')
    api.answer('POST /v1/webhooks', { status: 401 })
    await panel(page).getByRole('button', { name: 'Create endpoint' }).click()
    await page.getByText('Your session ended. Sign in again.').waitFor()

    await signBackIn()
    expect(await addresses.first().inputValue()).toBe('https://moved.example/')
    expect(await addresses.last().inputValue()).toBe('https://second.example/')

    await page.getByRole('banner').getByText('Sign Out').click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('second.example')
    await signBackIn()
    expect(await addresses.count()).toBe(0)
  })

  test('each endpoint: tests, pauses, replays after a question, rotates, and lists dead letters to send and delete', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', {
      before: (api) => {
        list(api, [aWebhook({ counters: { delivered: 1, events: 2, failed: 6, deadLetters: 1 } })])
        api.answer('POST /v1/webhooks/wh_4Kq8/test', { body: { status: 200, ms: 12, body: 'ok' } })
        for (const act of ['pause', 'seek', 'deadletters/7/send'])
          api.answer(`POST /v1/webhooks/wh_4Kq8/${act}`, { body: aWebhook({ state: 'paused' }) })
        api.answer('POST /v1/webhooks/wh_4Kq8/rotate', { body: { ...aWebhook(), secret: SECRET } })
        letters(api, [aLetter()])
      },
    })
    await panel(page).getByRole('button', { name: /^Test/ }).click()
    await panel(page).getByText('200 after 12 ms: ok').waitFor()

    await panel(page)
      .getByRole('button', { name: /^Manage/ })
      .click()
    await panel(page).getByRole('button', { name: 'Pause' }).click()
    await panel(page).getByText('Paused. It keeps its place.').waitFor()
    await panel(page).getByRole('button', { name: 'New secret' }).click()
    await panel(page).getByText(SECRET).waitFor()
    await panel(page).getByRole('button', { name: 'Replay all that is kept' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay all that is kept' }).click()
    await panel(page).getByText('It goes on from the oldest event that is kept.').waitFor()
    await panel(page).getByRole('button', { name: 'Send again: message 7' }).click()
    await expect.poll(() => api.count('POST /v1/webhooks/wh_4Kq8/deadletters/7/send')).toBe(1)

    expect(api.calls.find(({ name }) => name.endsWith('/seek'))?.body).toEqual({ to: 'oldest' })
    await expectCleanInBothThemes(page)
  })

  test('a sample that a failing endpoint takes sends what waits at once; the answer of a receiver is text', async ({
    expect,
    visit,
  }) => {
    const hostile = '<img src=x onerror=alert(1)>'
    const lastAttempt = { at: new Date().toISOString(), status: null, ms: 2, error: 'connect ECONNREFUSED' }
    const { page, api } = await visit('/dashboard/account', {
      before: (api) => {
        list(api, [aWebhook({ state: 'failing', lastAttempt, behindMs: 9_000 })])
        api.answer('POST /v1/webhooks/wh_4Kq8/test', { body: { status: 500, ms: 12, body: hostile } })
        api.answer('POST /v1/webhooks/wh_4Kq8/resume', { body: aWebhook() })
      },
    })
    await panel(page).getByText('Last try: connect ECONNREFUSED').waitFor()
    const sample = panel(page).getByRole('button', { name: /^Test/ })
    await sample.click()
    await panel(page).getByText(`500 after 12 ms: ${hostile}`).waitFor()
    expect(api.count('POST /v1/webhooks/wh_4Kq8/resume')).toBe(0)

    api.answer('POST /v1/webhooks/wh_4Kq8/test', { body: { status: 204, ms: 12, body: '' } })
    list(api, [aWebhook()])
    await sample.click()
    await panel(page).getByText('Failing').waitFor({ state: 'detached' })
    expect(api.count('POST /v1/webhooks/wh_4Kq8/resume')).toBe(1)
  })

  test('at the plan’s number it says so and leads to a larger one; one beyond it waits', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', {
      before: (api) => list(api, [aWebhook(), aWebhook({ id: 'wh_2' })], 1),
    })
    await panel(page).getByText('2 of 1 endpoint').waitFor()

    expect(await panel(page).getByText('Waits for a larger plan').count()).toBe(1)
    expect(await panel(page).getByRole('button', { name: 'New endpoint' }).count()).toBe(0)
    expect(await panel(page).getByRole('link', { name: 'Upgrade for more' }).count()).toBe(1)
  })

  test('a suspended account is told so and where to write: a plan would not help', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/account', {
      account: { ...TRIAL_ACCOUNT, suspension: SUSPENSION },
      before: (api) => list(api, [aWebhook()], 0),
    })
    await panel(page).getByText('This account is suspended. Write to support@example.com.').waitFor()

    expect(
      await panel(page)
        .getByRole('link', { name: /plan|upgrade/i })
        .count(),
    ).toBe(0)
    expect(await panel(page).innerText()).not.toMatch(/larger plan|of 0 endpoints/)
  })

  test('a list that does not load can be tried again; a service without webhooks shows no panel', async ({
    expect,
    visit,
  }) => {
    const { page, api } = await visit('/dashboard/account', {
      before: (api) => api.answer('GET /v1/webhooks', { status: 503, body: {} }),
    })
    await page.getByText('Your webhooks did not load.').waitFor()
    list(api, [])
    await page.locator('.error-panel').getByRole('button', { name: 'Try again' }).press('Enter')
    await panel(page).getByText('0 of 3 endpoints').waitFor()
    await expect.poll(() => isFocused(panel(page))).toBe(true)

    const { page: other, api: without } = await visit('/dashboard/account', {
      clock: true,
      before: (api) => api.answer('GET /v1/webhooks', { status: 404, body: {} }),
    })
    await other.getByRole('heading', { name: 'API key' }).waitFor()
    await expect.poll(() => without.count('GET /v1/webhooks')).toBe(1)
    await other.waitForLoadState('networkidle')
    await other.clock.runFor(20_000)
    expect(without.count('GET /v1/webhooks')).toBe(1)
    expect(await panel(other).count()).toBe(0)
  })

  test('“Make this a webhook” of the console brings its request, and the palette leads to the panel', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit('/dashboard/console')
    await page.getByRole('button', { name: 'New pairs', exact: true }).click()
    await page.getByRole('link', { name: 'Make this a webhook' }).click()
    expect(await panel(page).getByLabel('Subscription request').inputValue()).toMatch(/newPairSubscribe/)
    expect(new URL(page.url()).search).toBe('')

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).fill('webhook')
    await page.keyboard.press('Enter')
    await expect.poll(() => isFocused(panel(page))).toBe(true)
  })
})
