import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { SOURCE_AWAY } from '@pairwire/contract'
import { describe } from 'vitest'
import { chromePath, expectClean, isFocused, openPageIn } from '../browser.ts'
import { doubleApi, SUSPENSION, TRIAL_ACCOUNT } from './api-double.ts'
import { test } from './console-test.ts'
import { aBlock, aPair, aSwap, MINT, WRAPPED_SOL } from './stream-frames.ts'

describe.skipIf(!chromePath).concurrent('What the Test Console tells of its stream', () => {
  test('A refusal is shown in full under the editor, its JSON in the data face, with its page and a fix that is sent when pressed, until it is accepted or dismissed; open subscriptions are listed, updated and ended', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor, start } = await openConsole()
    const refusal = page.locator('.notice-danger')
    const strip = page.getByRole('region', { name: 'Open subscriptions' })
    await editor.fill('{"id":1,"method":"swapSubscribe","walletAccount":["w"]}')
    const connection = await start()
    const message = `walletAccount is outside params. Send {"method":"${'x'.repeat(300)}"}.`
    const data = {
      errorType: 'FILTER_OUTSIDE_PARAMS',
      docs: 'https://example.com/errors/filter-outside-params',
    }
    connection.send({ id: 1, error: { code: -32602, message, data } })
    connection.send(...Array.from({ length: 200 }, () => aSwap()))

    await refusal.getByText('walletAccount is outside params.').waitFor()
    expect(await refusal.locator('code').innerText()).toContain('{"method":"xxx')
    await expect.poll(() => page.locator('[role="alert"]').innerText()).toBe(`${message} code -32602`)
    expect(await refusal.getByRole('link', { name: 'What this means' }).getAttribute('href')).toBe(data.docs)
    await expect.poll(() => page.getByRole('button', { name: 'Messages 1' }).count()).toBe(1)
    // Away from the bar at the bottom, which may cover its last fraction of a pixel.
    await refusal.evaluate((notice) => notice.scrollIntoView({ block: 'center' }))
    await expectClean(page)
    await refusal.getByRole('button', { name: 'Fix and send: Move the filter into params' }).click()
    expect(JSON.parse(await editor.inputValue()).params).toEqual({ include: { walletAccount: ['w'] } })
    await expect.poll(() => connection.texts.length).toBe(3)
    connection.send({ id: 1, result: { subscription_id: 2 } }, { ...aSwap(), subscription_id: 2 })
    await strip.getByText('1 wallet').waitFor()
    await refusal.waitFor({ state: 'detached' })
    connection.send({ id: 9, error: { code: -32602, message: 'No.', data } })
    await refusal.getByRole('button', { name: 'Dismiss' }).click()
    await refusal.waitFor({ state: 'detached' })
    expect(await isFocused(page.getByRole('heading', { level: 1 }))).toBe(true)

    await page.getByRole('button', { name: 'Whale swaps over 10,000 USD' }).click()
    await page.getByRole('button', { name: 'Update filter', exact: true }).click()
    await expect.poll(() => connection.texts.length).toBe(4)
    expect(JSON.parse(connection.texts[3]!)).toMatchObject({
      method: 'updateSubscriptionParams',
      params: { subscription_id: 2, params: { include: { usdValue: 10_000 } } },
    })
    connection.send({ id: 1, result: true })
    await strip.getByText('from 10,000 USD').waitFor()
    expect(await page.getByRole('button', { name: 'Update filter', exact: true }).count()).toBe(0)
    expect(await isFocused(page.getByRole('button', { name: 'Send', exact: true }))).toBe(true)
    await expectClean(page)
    await strip.getByRole('button', { name: 'Unsubscribe Swaps' }).click()
    await expect.poll(() => connection.texts.length).toBe(5)
    connection.send({ id: 2, result: true })
    await strip.waitFor({ state: 'detached' })
    expect(await isFocused(page.getByRole('heading', { level: 1 }))).toBe(true)
  })

  test('A stream without blocks is quiet, then stalled with a grey wire though its client is connected, an alert, its reason, and Restart if that may help; nothing reconnects by itself', async ({
    expect,
    openConsole,
  }) => {
    const { page, api, key, stream, status, start, connection } = await openConsole({
      clock: true,
      before: async (api) => {
        const at = new Date().toISOString()
        const client = {
          id: 'c',
          address: '::1',
          client: '',
          openedAt: at,
          lastSeenAt: at,
          subscriptions: [],
        }
        const open = [{ ...client, sentEvents: 0, sentBytes: 0, queuedBytes: 0 }]
        api.answer('GET /api/usage', {
          body: { days: [{ day: '2026-11-20', newPairs: 0, buys: 0, sells: 0 }] },
        })
        api.answer('GET /api/connections', { body: { at, open, closed: [], spans: [] } })
      },
    })
    const away = [{ Details: 'Maintenance at 12:00 UTC.' }, { Details: SOURCE_AWAY }]
    const restart = page.getByRole('button', { name: 'Restart', exact: true })
    const wire = page.locator('.wire-live')
    const first = await start()
    first.silence()
    await expect.poll(() => status.innerText()).toBe('Streaming')
    first.send(aBlock(7))
    await expect.poll(() => page.locator('[data-block]').innerText()).toBe('7')

    api.answer('GET /api/systemstatus', { body: away })
    await page.clock.runFor(3_500)
    await expect.poll(() => status.innerText()).toMatch(/^Quiet for \d s$/)
    expect(await wire.count()).toBe(1)
    // It goes after five seconds, which a busy machine may take to look for it.
    const told = page.getByRole('alert').getByText('No block for 10 seconds.').waitFor({ state: 'attached' })
    await Promise.all([told, page.clock.runFor(10_000)])
    await expect.poll(() => status.innerText()).toBe('Stalled')
    expect(await wire.count()).toBe(0)
    await expectClean(page)
    const desk = page.viewportSize()!
    await page.setViewportSize({ width: 320, height: 640 })
    const places = page
      .locator('.console-bar button')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
    expect(new Set(await places).size, 'lines of the bar').toBe(1)
    await page.setViewportSize(desk)
    await page.clock.runFor(60_000)
    expect(stream.attempts(key)).toBe(1)
    await page.getByText('The service has lost its source of data. Nothing to do here.').waitFor()
    expect(await restart.count()).toBe(0)
    api.answer('GET /api/systemstatus', { body: away.slice(0, 1) })
    // The answer before may arrive late, and the next question is asked some seconds after it.
    const reason = page.getByText('No blocks arrive on this connection.')
    const askAgain = () => page.clock.runFor(5_000)
    await expect.poll(() => askAgain().then(() => reason.isVisible())).toBe(true)

    // The socket's worker uses the machine's clock: the page's clock is set to it again.
    await page.clock.setSystemTime(Date.now())
    await restart.click()
    await connection(2)
    expect(await isFocused(page.getByRole('button', { name: 'Stop', exact: true }))).toBe(true)
    await expect.poll(() => status.innerText()).toBe('Streaming')
    await page.context().setOffline(true)
    await page.clock.runFor(3_000)
    await expect.poll(() => status.innerText()).toBe('Offline')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect.poll(() => status.innerText()).toBe('Stopped')
  })

  test('The reason of a refused connection is shown in full, with the page that helps; without a plan it is shown once, with the free trial, before Start and after', async ({
    expect,
    openConsole,
  }) => {
    const { page, key, stream, startButton } = await openConsole({
      account: { ...TRIAL_ACCOUNT, activeSubscription: undefined, hasHadFreeTrial: false },
    })
    expect(await page.getByRole('link', { name: 'Start the free trial' }).getAttribute('href')).toBe(
      '/dashboard/upgrade',
    )
    const refused = { code: 4003, reason: 'This account has no active plan.' } as const
    stream.welcome(TRIAL_ACCOUNT.user.APIKey, refused)
    await startButton.click()
    const row = page.locator('.event-row').getByText(refused.reason)
    await row.waitFor()
    expect(stream.attempts(key)).toBe(0)
    expect(await page.locator('.notice').count()).toBe(1)
    await page.getByRole('link', { name: 'Start the free trial' }).click()
    await page.waitForURL('**/dashboard/upgrade')

    const paid = await openConsole({ width: 390, height: 844 })
    expect(await paid.page.getByRole('link', { name: 'Start the free trial' }).count()).toBe(0)
    stream.welcome(paid.key, refused)
    await paid.startButton.click()
    const refusal = paid.page.locator('.notice-danger')
    await refusal.getByText('The stream could not be opened. This account has no active plan.').waitFor()
    await refusal.getByRole('link', { name: 'Choose a plan' }).click()
    await paid.page.waitForURL('**/dashboard/upgrade')
  })

  test('A suspended account is told whom to write to, and is led to no plan and no trial', async ({
    expect,
    openConsole,
  }) => {
    const user = { ...TRIAL_ACCOUNT.user, APIKey: randomBytes(16).toString('hex') }
    const { page, stream, startButton } = await openConsole({
      account: { user, hasHadFreeTrial: false, suspension: SUSPENSION },
    })
    const reason = 'This account is suspended. Write to support@example.com.'
    stream.welcome(user.APIKey, { code: 4003, reason })
    await startButton.click()
    await page.locator('.notice-danger').getByText(`The stream could not be opened. ${reason}`).waitFor()

    expect(
      await page
        .locator('main')
        .getByRole('link', { name: /plan|trial/ })
        .count(),
    ).toBe(0)
  })

  test('After the key was reset elsewhere, Start soon uses the new one', async ({ expect, openConsole }) => {
    const { api, key: old, start, startButton, stream } = await openConsole()
    const connection = await start()
    const key = randomBytes(16).toString('hex')
    api.answer('GET /api/account', {
      body: { ...TRIAL_ACCOUNT, user: { ...TRIAL_ACCOUNT.user, APIKey: key } },
    })
    stream.welcome(old, { code: 4001, reason: 'This API key is not known, or it was reset.' })

    connection.close(4001, 'The API key was reset.')

    const press = async () => {
      if ((await startButton.count()) === 1) await startButton.click()
      return stream.attempts(key)
    }
    await expect.poll(press).toBe(1)
  })

  test('Tokens have their names, a press on one opens what the page has seen of it, and a subscription to it shows its rows and can be taken back', async ({
    expect,
    openConsole,
  }) => {
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1w'
    const logo = null
    const { page, api, rows, start, editor, copied } = await openConsole({
      before: (api) =>
        api.answer('GET /api/tokens', {
          body: { tokens: { [mint]: { name: 'Kelp', symbol: 'KELP', logo } } },
        }),
    })
    const connection = await start()
    connection.send(
      aPair({ metadata: null }),
      aSwap({ baseTokenMint: mint, usdValue: 12_000 }),
      aSwap({ baseTokenMint: WRAPPED_SOL, usdValue: 1_234_567.89 }),
    )
    await rows.nth(2).waitFor()
    expect(await rows.first().innerText()).toContain('SOL')
    expect(await rows.first().innerText()).toContain('$1,234,568')
    await expect.poll(() => rows.nth(1).innerText()).toContain('KELP')
    const params = {
      subscription_id: 1,
      ammAccount: 'a',
      baseToken: { account: MINT, info: { metadata: { name: 'Harbour', symbol: 'HARB', logo: null } } },
    }
    connection.send({ method: 'pairUpdateNotification', params })
    await expect.poll(() => rows.nth(2).innerText()).toContain('Harbour')
    expect(await rows.count()).toBe(3)

    await rows.nth(1).getByRole('link', { name: 'KELP' }).click()
    const drawer = page.getByRole('dialog', { name: 'Token KELP' })
    await drawer.getByText('1 for $12,000.00').waitFor()
    expect(await drawer.innerText()).toContain('Based on the last 1 swap on this page.')
    expect(await drawer.getByRole('link', { name: 'Solscan' }).getAttribute('href')).toContain(mint)
    await expectClean(page)
    // A name without a picture is requested again by itself.
    const asked = () => api.calls.filter(({ name }) => name !== 'GET /api/tokens').length
    const before = asked()
    connection.send(aSwap({ baseTokenMint: mint, usdValue: 100, swapType: 'sell' }))
    await drawer.getByText('1 for $100.00').waitFor()
    await drawer.getByRole('button', { name: 'Copy bot code' }).click()
    await expect.poll(() => copied()).toContain(mint)
    expect(asked()).toBe(before)
    for (let press = 0; press < 12; press++) await page.keyboard.press('Tab')
    expect(
      await drawer.evaluate(
        (dialog) => dialog.contains(document.activeElement) || document.activeElement === document.body,
      ),
    ).toBe(true)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    await rows.first().focus()
    await page.keyboard.press('t')
    const typed = await editor.inputValue()
    const { id } = JSON.parse(connection.texts[1]!)
    connection.send({ result: { subscription_id: 9 } }, { id, result: { subscription_id: 1 } })
    await page.getByRole('region', { name: 'Open subscriptions' }).waitFor()
    await drawer.getByRole('button', { name: 'Subscribe to this token' }).click()
    await expect.poll(() => connection.texts.length).toBe(3)
    expect(JSON.parse(connection.texts[2]!).params.params.include).toEqual({ baseTokenMint: [mint] })
    expect(JSON.parse(await editor.inputValue()).params.include).toEqual({ baseTokenMint: [mint] })
    await expect.poll(() => rows.count()).toBe(2)
    expect(await page.locator('.hold-bar').count()).toBe(0)
    await page.getByText('Changed your swap filter to KELP.').waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(() => connection.texts.length).toBe(4)
    expect(JSON.parse(connection.texts[3]!).params).toEqual({ subscription_id: 1, params: {} })
    expect(await editor.inputValue()).toBe(typed)
  })

  test('Simulated addresses link to no explorer and can be copied; beside the raw JSON are all three addresses', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start, copied } = await openConsole({ config: { simulated: true } })
    const connection = await start()
    connection.send(aSwap())
    await rows.first().focus()
    await page.keyboard.press('Enter')
    const links = page.getByRole('dialog', { name: 'Raw JSON' }).locator('.row-link')

    await expect.poll(() => links.count()).toBe(3)
    expect(await page.locator('.event-row [href], .json-popup [href]').count()).toBe(0)
    const wallet = links.nth(1)
    // To the browser a link without an address is disabled.
    await wallet.click({ modifiers: ['Alt'], force: true })
    await expect.poll(copied).toBe(await wallet.getAttribute('title'))
    await page.keyboard.press('Escape')
    await rows.first().focus()
    await page.keyboard.press('t')
    const drawer = page.getByRole('dialog', { name: /^Token / })
    await drawer.getByText('Largest wallets').waitFor()
    expect(await drawer.locator('[href]').count()).toBe(0)
  })

  test('Addresses from devnet link to devnet explorers', async ({ expect, openConsole }) => {
    const { page, rows, start } = await openConsole({ config: { cluster: 'devnet' } })
    const connection = await start()
    connection.send(aSwap())
    await rows.first().focus()
    await page.keyboard.press('t')
    const drawer = page.getByRole('dialog', { name: /^Token / })
    await drawer.getByText('Largest wallets').waitFor()

    const addresses = await page
      .locator('[href*="explorer.solana.com"], [href*="solscan.io"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!))
    expect(addresses.length).toBeGreaterThan(3)
    expect(addresses.filter((address) => !address.endsWith('?cluster=devnet'))).toEqual([])
  })

  test('Two tabs save requests under a name, and both keep both', async ({ expect, openConsole, stream }) => {
    const { page } = await openConsole()
    const other = await openPageIn(page.context())
    await doubleApi(other, stream.url)
    await other.goto(`${stream.url}/dashboard/console`)
    for (const [tab, name] of [
      [page, 'First'],
      [other, 'Second'],
    ] as const) {
      await tab.bringToFront()
      await tab.getByRole('button', { name: 'Saved', exact: true }).click()
      await tab.getByLabel('Name of this request').fill(name)
      await tab.keyboard.press('Enter')
    }

    for (const tab of [other, page])
      for (const name of ['First', 'Second']) await tab.getByRole('button', { name, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete First' }).press('Enter')
    expect(await isFocused(page.getByLabel('Name of this request'))).toBe(true)
  })

  test('Rows are saved as files, a recording is kept, and requests are saved under a name and shared as a link', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start, editor, copied } = await openConsole()
    const connection = await start()
    const frame =
      '{"method":"swapNotification","params":{"swap":{"swapType":"buy","big":12345678901234567890}}}'
    connection.send(frame, aPair({ symbol: '=1+1' }))
    await rows.nth(1).waitFor()
    const keep = page.getByRole('button', { name: /^Export/ })
    const saved = async (press: string) => {
      const coming = page.waitForEvent('download')
      await page.getByRole('button', { name: press }).click()
      const file = await coming
      return { name: file.suggestedFilename(), text: await readFile((await file.path())!, 'utf8') }
    }

    await keep.click()
    const lines = await saved('Save NDJSON')
    expect(lines.name).toMatch(/^pairwire-[\d-]+\.ndjson$/)
    expect(lines.text.trim().split('\n')[1]).toBe(frame)
    expect((await saved('Save CSV')).text).toContain(`"'=1+1"`)
    await expectClean(page)
    // Otherwise blocks would be recorded and counted too.
    connection.silence()
    await page.getByRole('button', { name: 'Record to a file' }).click()
    connection.send(frame, frame)
    await page.getByText('2 messages').first().waitFor()
    expect(await keep.getAttribute('aria-label')).toBe('Export, recording 2 messages')
    expect((await saved('Stop and save')).text).toContain(`${frame}\n`)
    await page.keyboard.press('Escape')

    const text = '{"method":"ping","é":"&="}'
    await editor.fill(text)
    await page.getByRole('button', { name: 'Saved', exact: true }).click()
    const name = page.getByLabel('Name of this request')
    await name.fill('My ping')
    // Nothing is cut off at the popup's edge.
    const popup = page.locator('.view-popup').filter({ has: name })
    expect(await popup.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await expect.poll(() => copied()).toContain('?request=')
    await expectClean(page)
    await editor.fill('')
    await page.getByRole('button', { name: 'Saved', exact: true }).click()
    await page.getByRole('button', { name: 'My ping', exact: true }).click()
    expect(await editor.inputValue()).toBe(text)
    const link = await copied()
    await editor.fill('')
    await page.goto(link!)
    await expect.poll(() => editor.inputValue()).toBe(text)
    expect(await page.getByRole('button', { name: 'Start', exact: true }).isVisible()).toBe(true)
  })
})
