import { describe } from 'vitest'
import { chromePath } from '../browser.ts'
import { NEW_ACCOUNT, sessionToken, TRIAL_ACCOUNT } from './api-double.ts'
import { test } from './console-test.ts'
import { holdCode } from './held-code.ts'
import { aBlock, aPair, aSwap, MINT, now, SIGNATURE, WALLET } from './stream-frames.ts'

const CLOSED = 'Websocket closed'
const REFUSED = 'Error connecting to websocket, check api key and connection.'
const BLOCK_FEED = { method: 'latestBlockSubscribe' }

describe.skipIf(!chromePath).concurrent('Test Console', () => {
  test('Text area, five example buttons, Start/Stop, Clear All, events-received counter, latest block number, streaming indicator and list', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor, startButton, stopButton, start, status } = await openConsole()

    expect(await editor.evaluate((element) => element.tagName)).toBe('TEXTAREA')
    expect(await page.locator('.example').allInnerTexts()).toEqual([
      'New pairs',
      'All swaps',
      'Swaps by token',
      'Swaps by wallet',
      'Whale swaps over 10,000 USD',
    ])
    for (const part of ['Events received', 'Latest block', 'No events yet. Press Start.'])
      expect(await page.getByText(part).isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Clear All' }).isVisible()).toBe(true)
    expect(await page.getByRole('table').isVisible()).toBe(true)
    expect(await status.innerText()).toBe('Stopped')

    await start()
    await expect.poll(() => status.innerText()).toBe('Streaming')
    expect(await startButton.count()).toBe(0)
    await stopButton.click()
    await startButton.waitFor()
    expect(await status.innerText()).toBe('Stopped')
  })

  test('Start opens the websocket with the key, requests the latest block feed, then sends the text exactly as typed, byte for byte', async ({
    expect,
    openConsole,
  }) => {
    const { editor, start, stopButton, key, stream } = await openConsole()

    for (const text of [
      '  {"method":"swapSubscribe"}  \n\t ',
      '{ "method": not json',
      '',
      '{"name":"Zoë 日本 \u{1f40b}","n":12345678901234567890}\n\n',
    ]) {
      await editor.fill(text)
      const { texts } = await start()
      await stopButton.click()

      expect(JSON.parse(texts[0]!)).toEqual(BLOCK_FEED)
      expect(Buffer.from(texts[1]!)).toEqual(Buffer.from(text))
      expect(texts).toHaveLength(2)
    }
    expect(stream.attempts(key)).toBe(4)
  })

  test('A start while the account is still being read waits for its key, and says so', async ({
    expect,
    openConsole,
  }) => {
    let release = () => {}
    const { page, stream, startButton } = await openConsole({
      before: (api) => {
        release = api.hold('GET /api/account', { body: TRIAL_ACCOUNT })
      },
    })
    await startButton.click()
    await expect.poll(() => startButton.getAttribute('aria-busy')).toBe('true')
    release()

    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    await expect.poll(() => stream.attempts(TRIAL_ACCOUNT.user.APIKey)).toBe(1)
  })

  test('An account that did not load is reported, and read again by a start, which opens no connection without its key', async ({
    expect,
    openConsole,
  }) => {
    for (const width of [1440, 390]) {
      const { page, api, stream, rows, startButton } = await openConsole({
        width,
        before: (api) => api.answer('GET /api/account', { status: 500 }),
      })
      const reported = page.getByText('Your account did not load.').filter({ visible: true })
      await reported.waitFor()

      await startButton.click()
      await expect.poll(() => api.count('GET /api/account')).toBe(2)
      await reported.waitFor()
      expect(stream.attempts('')).toBe(0)
      expect(await rows.count()).toBe(0)

      const APIKey = String(width)
      api.answer('GET /api/account', { body: { ...TRIAL_ACCOUNT, user: { ...TRIAL_ACCOUNT.user, APIKey } } })
      await startButton.click()
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
      await expect.poll(() => stream.attempts(APIKey)).toBe(1)
      expect(await reported.count()).toBe(0)
    }
  })

  test('Block feed messages move the latest block number, are excluded from the list and not counted', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, received, start } = await openConsole()
    const connection = await start()
    const block = page.locator('[data-block]')

    connection.send(aBlock(398_214_771), aSwap())
    await expect.poll(() => block.innerText()).toBe('398,214,771')
    connection.send(aBlock(398_214_772), {
      method: 'latestBlockNotification',
      params: { block: 398_214_773 },
    })
    await expect.poll(() => block.innerText()).toBe('398,214,773')

    expect(await rows.count()).toBe(1)
    expect(await received()).toBe(1)
  })

  test('The list never holds more than 100 rows, the latest on top; the counter keeps counting', async ({
    expect,
    openConsole,
  }) => {
    const { rows, received, start } = await openConsole()
    const connection = await start()

    connection.send(...Array.from({ length: 250 }, (_, index) => aSwap({ usdValue: index + 1 })))
    await expect.poll(() => received()).toBe(250)
    await expect.poll(() => rows.count()).toBe(100)
    connection.send(aPair(), aSwap({ usdValue: 9_001 }))

    await expect.poll(() => received()).toBe(252)
    await expect.poll(() => rows.first().innerText()).toContain('$9,001.00')
    expect(await rows.nth(1).innerText()).toContain('New pair')
    expect(await rows.nth(2).innerText()).toContain('$250.00')
    expect(await rows.count()).toBe(100)
  })

  test("A closed websocket gives a row 'Websocket closed', whichever side closes it, and no reconnect is tried in 60 s", async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start, status, startButton, stopButton, stream, key } = await openConsole({
      clock: true,
    })
    const closed = page.getByText(CLOSED, { exact: true }).and(page.locator('.event-row *'))

    const first = await start()
    first.send(aSwap())
    first.close(1001, 'The service is restarting.')
    await closed.waitFor()
    expect(await rows.first().innerText()).toContain(CLOSED)
    expect(await rows.count()).toBe(2)
    expect(await status.innerText()).toBe('Closed')
    await startButton.waitFor()

    const second = await start()
    second.send(aSwap())
    second.cut()
    await expect.poll(() => closed.count()).toBe(2)

    const third = await start()
    await stopButton.click()
    await expect.poll(() => closed.count()).toBe(3)
    await expect.poll(() => third.isOpen()).toBe(false)
    await page.clock.fastForward(60_000)
    await startButton.click()
    await expect.poll(() => stream.connections(key).length).toBe(4)

    expect(stream.attempts(key)).toBe(4)
    expect(await page.getByText(REFUSED).count()).toBe(0)
  })

  test("A connection error gives 'Error connecting to websocket, check api key and connection.', then 'Websocket closed'", async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, key, stream, startButton } = await openConsole()
    const reason = 'This API key is not known, or it was reset.'
    const words = page.locator('.event-row .message-words')

    stream.welcome(key, 'refuse')
    await startButton.click()
    await expect.poll(() => words.allInnerTexts()).toEqual([CLOSED, REFUSED])
    for (const [count, code] of [4001, 4003, 4029].entries()) {
      stream.welcome(key, { code, reason })
      await startButton.click()

      await expect.poll(() => rows.count()).toBe(4 + 2 * count)
      expect((await words.allInnerTexts()).slice(0, 2)).toEqual([CLOSED, REFUSED])
      expect(await rows.nth(1).innerText()).toContain(reason)
    }
    expect(stream.attempts(key)).toBe(4)
  })

  test('A close with 4001 after the first frame is a close, with its reason', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    connection.send({ id: 1, result: { subscription_id: 1 } })
    connection.close(4001, 'This API key is not known, or it was reset.')

    await page.getByText(CLOSED, { exact: true }).first().waitFor()
    expect(await rows.first().innerText()).toContain('it was reset')
    expect(await page.getByText(REFUSED).count()).toBe(0)
  })

  test("Starting while signed out shows 'Please log in to start the stream...' and opens nothing", async ({
    expect,
    openConsole,
  }) => {
    const user = { ...NEW_ACCOUNT.user, APIKey: 'pw_of_nobody_else' }
    const account = { ...NEW_ACCOUNT, user }
    const { page, stream, startButton, rows } = await openConsole({ account })
    const words = page.getByText('Please log in to start the stream...').and(page.locator('.event-row *'))
    await page.getByText('Your account has no plan yet.').waitFor()

    // In one go: whatever is drawn after a sign-out shows the login form instead of the console.
    await startButton.evaluate((button: HTMLElement, expired) => {
      localStorage.removeItem('token')
      button.click()
      localStorage.setItem('token', expired)
      button.click()
    }, sessionToken('expired'))

    await expect.poll(() => words.count()).toBe(2)
    expect(await rows.count()).toBe(2)
    expect(stream.attempts(user.APIKey)).toBe(0)
  })

  const FORMS = ['params', 'nested'] as const

  test('New-pair rows, with fields in params or in an object of params: exchange logo, token logo, name, symbol/quote, base token link, signature link, relative time and raw JSON', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    for (const form of FORMS)
      connection.send(aPair({ form, migration: form === 'params' ? true : 'pumpfun' }), aPair({ form }))
    await rows.nth(3).waitFor()

    for (const [place, form] of FORMS.toReversed().entries()) {
      const row = rows.nth(2 * place)
      expect((await row.innerText()).replace(/\s+/g, ' '), form).toMatch(
        /^New pair PF Pump\.fun H Harbour HARB\/SOL HARBq…9LAbc sig 5VERv…ZkQUW (now|\d+s ago)$/,
      )
      const address = (name: string) => row.getByRole('link', { name }).getAttribute('href')
      expect(await address('HARBq…9LAbc'), form).toMatch(`/${MINT}`)
      expect(await address('5VERv…ZkQUW'), form).toMatch(`/${SIGNATURE}`)
      expect(await row.locator('.exchange-tile').isVisible(), form).toBe(true)
      expect(await row.locator('.token-avatar').isVisible(), form).toBe(true)
      expect(await rows.nth(2 * place + 1).innerText(), form).toContain('Migration')

      await row.getByRole('button', { name: 'Raw JSON for New pair Harbour' }).click()
      await page.getByRole('dialog', { name: 'Raw JSON' }).getByText(`"${SIGNATURE}"`).first().waitFor()
      await page.keyboard.press('Escape')
    }
  })

  test('Swap rows, with fields in params or in an object of params: exchange, a Buy or Sell badge, quote price, USD value, base token, wallet, time and raw JSON', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    for (const form of FORMS)
      connection.send(aSwap({ form, swapType: 'sell', usdValue: null }), aSwap({ form }))
    await rows.nth(3).waitFor()

    for (const [place, form] of FORMS.toReversed().entries()) {
      const row = rows.nth(2 * place)
      expect((await row.innerText()).replace(/\s+/g, ' '), form).toMatch(
        /^Buy RA Raydium 0\.0001099 ?SOL \$412\.09 \S HARBq…9LAbc wallet 7xKXt…sgAsU (now|\d+s ago)$/,
      )
      expect(await rows.nth(2 * place + 1).innerText(), form).toMatch(/^Sell/)
      const address = (name: string) => row.getByRole('link', { name }).getAttribute('href')
      expect(await address('HARBq…9LAbc'), form).toMatch(`/${MINT}`)
      expect(await address('7xKXt…sgAsU'), form).toMatch(`/${WALLET}`)
      expect(await row.getByTitle('0.000109912345').isVisible(), form).toBe(true)

      await row.getByRole('button', { name: /^Raw JSON for Buy HARBq…9LAbc, 412\.09 US dollars$/ }).click()
      await page.getByRole('dialog', { name: 'Raw JSON' }).getByText(`"${WALLET}"`).first().waitFor()
      await page.keyboard.press('Escape')
    }
  })

  test('Result and error messages also appear as rows', async ({ expect, openConsole }) => {
    const { page, rows, start, received } = await openConsole()
    const connection = await start()
    connection.send(
      '{"jsonrpc":"2.0","id":1,"result":{"subscription_id":1}}',
      { id: 1, error: { code: -32602, message: 'baseTokenMint is empty.' } },
      { method: 'requestFailed', params: { code: -32700, message: 'Not JSON: line 1, column 3.' } },
      'no json at all',
    )
    await rows.nth(3).waitFor()

    expect(await page.locator('.message-words').allInnerTexts()).toEqual([
      'no json at all',
      'Not JSON: line 1, column 3.',
      'baseTokenMint is empty.',
      '{"jsonrpc":"2.0","id":1,"result":{"subscription_id":1}}',
    ])
    expect(await received()).toBe(0)
  })

  test('Token and signature strings of 15 or more characters are shortened to the first 5 and last 5, 14 stay whole', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    connection.send(
      aSwap({ baseTokenMint: 'abcdefghijklmn', walletAccount: 'ABCDEFGHIJKLMNO' }),
      aPair({ mint: 'abcdefghijklmno', signature: 'ABCDEFGHIJKLMN' }),
    )
    await rows.nth(1).waitFor()

    expect(await page.locator('.row-link').allInnerTexts()).toEqual([
      'abcde…klmno',
      'ABCDEFGHIJKLMN',
      'abcdefghijklmn',
      'ABCDE…KLMNO',
    ])
    expect(await page.getByRole('link', { name: 'ABCDE…KLMNO', exact: true }).getAttribute('title')).toBe(
      'ABCDEFGHIJKLMNO',
    )
  })

  test('Relative time is right where the clock of this device is ten minutes wrong', async ({
    expect,
    openConsole,
  }) => {
    for (const wrongMs of [600_000, -600_000]) {
      let told: Promise<unknown> | undefined
      const { rows, start } = await openConsole({
        before: async (api, page) => {
          told = page.waitForResponse('**/api/systemstatus')
          await page.addInitScript((wrongMs) => {
            const now = Date.now
            Date.now = () => now() + wrongMs
          }, wrongMs)
          api.answer('GET /api/systemstatus', () => ({ body: [], date: new Date().toUTCString() }))
        },
      })
      const connection = await start()
      await told
      connection.send(aSwap({ blockTime: Math.floor(Date.now() / 1_000) - 60 }))

      await expect.poll(() => rows.first().locator('.cell-time').innerText()).toMatch(/^1m \d\ds ago$/)
      await rows.first().focus()
      expect(await rows.first().getAttribute('aria-label')).toMatch(/, 1 minute \d+ seconds? ago$/)
    }
  })

  test('A link with an empty request leaves the example in the editor', async ({ expect, visit }) => {
    const { page } = await visit('/dashboard/console?request=')
    const editor = page.getByLabel('Subscription request')
    await expect.poll(() => new URL(page.url()).search).toBe('')

    expect(await editor.inputValue()).toContain('swapSubscribe')
  })

  test("Relative time refreshes every second and shows 'now', then seconds, then minutes and seconds ago", async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole({ clock: true })
    const connection = await start()
    const blockTime = now() + 60
    connection.send(aSwap({ blockTime }))
    await rows.first().waitFor()
    const time = rows.first().locator('.cell-time')
    await page.clock.pauseAt(blockTime * 1_000 + 999)

    const seen = [await time.innerText()]
    for (let second = 0; second < 3; second++) {
      await page.clock.runFor(1_000)
      seen.push(await time.innerText())
    }
    await page.clock.runFor(119_000)
    expect(seen).toEqual(['now', '1s ago', '2s ago', '3s ago'])
    expect(await time.innerText()).toBe('2m 02s ago')
    await rows.first().focus()
    await expect.poll(() => rows.first().getAttribute('aria-label')).toMatch(/, 2 minutes 2 seconds ago$/)
  })

  test('Streamed pairs whose base token mint ends with bonk on the launchpad exchange are shown as Bonk, others are not', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    const mint = `${MINT.slice(4)}bonk`
    connection.send(
      aPair({ exchange: 'raydium_launchpad', mint }),
      aPair({ exchange: 'raydium_launchlab', mint }),
      aPair({ exchange: 'raydium_launchpad' }),
      aPair({ exchange: 'pumpfun', mint }),
      aSwap({ sourceExchange: 'raydium_launchlab', baseTokenMint: mint }),
    )
    await rows.nth(4).waitFor()

    expect((await page.locator('.exchange-name').allInnerTexts()).reverse()).toEqual([
      'Bonk',
      'Bonk',
      'LaunchLab',
      'Pump.fun',
      'Bonk',
    ])
  })

  test('Invalid JSON shows a hint with line and column; Start stays enabled and sends it', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor, startButton, start } = await openConsole()
    const text = '{\n  "id": 1\n  "method": "swapSubscribe"\n}'
    await editor.fill(text)

    await page.getByText('Line 3, column 3: a comma is missing. You can still send it.').first().waitFor()
    expect(await editor.getAttribute('aria-invalid')).toBe(null)
    expect(await startButton.isEnabled()).toBe(true)
    expect((await start()).texts[1]).toBe(text)
  })

  test('The console closes its connection when its route or the page is left, however late the next page’s code arrives', async ({
    expect,
    openConsole,
  }) => {
    let release = () => {}
    const { page, start, rows } = await openConsole({
      before: async (_api, page) => {
        release = await holdCode(page, 'help')
      },
    })
    const first = await start()
    first.send(aSwap())
    await rows.first().waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Help' }).click()
    await expect.poll(() => first.isOpen()).toBe(false)
    expect(await page.locator('.wire-live').count()).toBe(0)
    release()
    await page.getByRole('heading', { name: 'Help', level: 1 }).waitFor()

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Test Console' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    const second = await start()
    await page.goto('about:blank')

    await expect.poll(() => second.isOpen()).toBe(false)
  })
})
