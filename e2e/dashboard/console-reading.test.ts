import { describe } from 'vitest'
import { chromePath, expectClean, isFocused } from '../browser.ts'
import { type OpenedConsole, test } from './console-test.ts'
import type { Connection } from './stream-double.ts'
import { aPair, aSwap, MINT } from './stream-frames.ts'

const bar = ({ page }: OpenedConsole) => page.locator('.hold-bar')

/** A console that streams and has shown three rows: 3 USD on top, then 2, then 1. */
async function aStreamOfThree(opened: OpenedConsole): Promise<Connection> {
  const connection = await opened.start()
  connection.send(...[1, 2, 3].map((usdValue) => aSwap({ usdValue })))
  await opened.rows.nth(2).waitFor()
  return connection
}

describe.skipIf(!chromePath).concurrent('Test Console: reading the list', () => {
  test('Pointing at the list freezes it within 200 ms while the stream counts as streaming, the bar counts new events, leaving resumes, and no row shifts', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole({ clock: true })
    const { page, rows, received, status } = opened
    const connection = await aStreamOfThree(opened)
    const boxes = () =>
      rows.evaluateAll((all) => all.map((row) => JSON.stringify(row.getBoundingClientRect())))
    const before = await boxes()

    await page.clock.pauseAt(Date.now() + 60_000)
    // The worker uses the machine's clock: a page a minute ahead of it would consider the stream stalled.
    await page.clock.setSystemTime(Date.now())
    // Its requests meanwhile were answered to the page of a minute later: it repeats them.
    const askAgain = async () => {
      await page.clock.runFor(100)
      return status.innerText()
    }
    await expect.poll(askAgain).toBe('Streaming')
    await rows.nth(1).hover()
    await page.clock.runFor(200)
    expect(await bar(opened).innerText()).toContain('List frozen while you point at it. 0 new events.')
    expect(await status.innerText()).toBe('Streaming')
    expect(await page.locator('.readout-status').innerText()).toContain('List held')
    await page.clock.resume()
    connection.send(aSwap({ usdValue: 4 }), aPair())
    await expect.poll(() => received()).toBe(5)
    expect(await bar(opened).innerText()).toContain('2 new events.')
    expect(await rows.count()).toBe(3)
    expect(await rows.first().innerText()).toContain('$3.00')
    expect(await boxes()).toEqual(before)

    await page.mouse.move(5, 5)
    await expect.poll(() => rows.count()).toBe(5)
    expect(await bar(opened).count()).toBe(0)
    expect(await rows.nth(1).innerText()).toContain('$4.00')
  })

  test('Pause survives pointer leave; the counter and Stop stay; Resume jumps to the newest', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole()
    const { page, rows, received, stopButton } = opened
    const connection = await aStreamOfThree(opened)
    const pause = page.getByRole('button', { name: 'Pause', exact: true })
    await pause.click()
    expect(await pause.getAttribute('aria-pressed')).toBe('true')
    await rows.nth(1).hover()
    await page.mouse.move(5, 5)

    connection.send(...Array.from({ length: 140 }, (_, index) => aSwap({ usdValue: 100 + index })))
    await expect.poll(() => received()).toBe(143)
    await expect.poll(() => bar(opened).innerText()).toContain('Paused. 140 new events.')
    expect(await rows.count()).toBe(3)
    expect(await stopButton.isVisible()).toBe(true)

    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => rows.count()).toBe(100)
    expect(await rows.first().innerText()).toContain('$239.00')
    expect(await page.locator('.event-list').evaluate((list) => list.scrollTop)).toBe(0)
  })

  test('Scrolling down, selected text and an open popup also freeze the list, each with its reason', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole()
    const { page, rows, start } = opened
    const connection = await start()
    connection.send(...Array.from({ length: 60 }, (_, index) => aSwap({ usdValue: index + 1 })))
    await rows.nth(59).waitFor({ state: 'attached' })
    const list = page.locator('.event-list')

    await list.evaluate((element) => element.scrollTo(0, 200))
    await expect.poll(() => bar(opened).innerText()).toContain('List frozen while you are scrolled down.')
    await list.evaluate((element) => element.scrollTo(0, 0))
    await expect.poll(() => bar(opened).count()).toBe(0)

    await rows.nth(2).evaluate((row) => document.getSelection()?.selectAllChildren(row))
    await expect.poll(() => bar(opened).innerText()).toContain('List frozen while text is selected.')
    await page.evaluate(() => document.getSelection()?.removeAllRanges())
    await expect.poll(() => bar(opened).count()).toBe(0)

    await rows.first().getByRole('button').click()
    await page.mouse.move(5, 5)
    await expect.poll(() => bar(opened).innerText()).toContain('List frozen while Raw JSON is open.')
    await page.keyboard.press('Escape')
    expect(await isFocused(rows.first())).toBe(true)
  })

  test('Copying works in the console even over plain http, without the clipboard API', async ({
    expect,
    openConsole,
  }) => {
    const { page, copied } = await openConsole({
      before: async (_api, page) => {
        await page.addInitScript(() => {
          Object.defineProperty(navigator, 'clipboard', { value: undefined })
          document.addEventListener('copy', () => {
            Object.assign(globalThis, { copied: (document.activeElement as HTMLTextAreaElement).value })
          })
        })
      },
    })

    await page.getByRole('button', { name: 'Copy link' }).click()

    await expect.poll(copied).toContain('/dashboard/console?request=')
    await page.getByText('Link copied').waitFor({ state: 'attached' })
  })

  test('Raw JSON copy equals the received text; a 20-digit number is not rounded; fields copy their path', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole()
    const { page, rows, start, copied } = opened
    const connection = await start()
    const text = `{ "method" : "swapNotification","params":{"swap":{"swapType":"buy","baseTokenMint":"${MINT}",  "usdValue": 47.180, "baseAmount": 12345678901234567890, "note":"Zo\\u00eb \\"\\ud83d\\udc0b\\""}}}\n`
    connection.send(text)
    await rows.first().getByRole('button', { name: 'Raw JSON for Buy HARBq…9LAbc, 47.18 US dollars' }).click()
    const popup = page.getByRole('dialog', { name: 'Raw JSON' })

    const pretty = await popup.locator('pre').innerText()
    expect(pretty).toContain('"baseAmount": 12345678901234567890')
    expect(pretty).toContain('"usdValue": 47.180')
    await popup.getByRole('button', { name: 'Copy JSON' }).click()
    await expect.poll(copied).toBe(text)

    await popup.getByText('12345678901234567890').click()
    await expect.poll(copied).toBe('params.swap.baseAmount')
    await popup.getByRole('button', { name: 'Raw', exact: true }).click()
    expect(await popup.locator('pre').textContent()).toBe(text)
    await popup.getByRole('button', { name: 'Close' }).click()
    expect(await popup.count()).toBe(0)
  })

  test('Focus enters the list on one row: arrows, Home, End move, Enter opens the JSON, C copies it, Space pauses', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole()
    const { page, rows, start, received, copied } = opened
    const connection = await start()
    const texts = [1, 2, 3].map((usdValue) => JSON.stringify(aSwap({ usdValue })))
    connection.send(...texts)
    await rows.nth(2).waitFor()

    expect(await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).tabIndex))).toEqual([
      0, -1, -1,
    ])
    await rows.first().focus()
    expect(await rows.first().getAttribute('aria-label')).toMatch(
      /^Buy, Raydium, HARBq…9LAbc, 3 dollars, 0\.000109912345 SOL, wallet 7xKXt to sgAsU, (now|\d+ seconds? ago)$/,
    )
    await expect.poll(() => bar(opened).innerText()).toContain('List frozen while you use it.')
    connection.send(aSwap({ usdValue: 4 }))
    await expect.poll(() => received()).toBe(4)
    for (const [key, place] of [
      ['ArrowDown', 1],
      ['End', 2],
      ['ArrowUp', 1],
      ['Home', 0],
      ['PageDown', 2],
      ['PageUp', 0],
    ] as const) {
      await page.keyboard.press(key)
      expect(await isFocused(rows.nth(place))).toBe(true)
    }
    expect(await rows.count()).toBe(3)

    await page.keyboard.press('c')
    await expect.poll(copied).toBe(texts[2])
    await page.keyboard.press('Enter')
    const popup = page.getByRole('dialog', { name: 'Raw JSON' })
    await popup.waitFor()
    await page.keyboard.press('ArrowDown')
    await popup.getByText('2', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    expect(await isFocused(rows.nth(1))).toBe(true)

    await page.keyboard.press('Tab')
    expect(await isFocused(rows.nth(1).getByRole('link').first())).toBe(true)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Space')
    await expect.poll(() => bar(opened).innerText()).toContain('Paused.')
    await page.keyboard.press('Space')
    await expect.poll(() => rows.count()).toBe(4)
  })

  test('There are exactly three live regions; state changes are announced at once, a summary at most every 30 s', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole({
      clock: true,
      before: async (_, page) => {
        await page.addInitScript(() => {
          const said: string[] = []
          const last = new Map<Element, string>()
          Object.assign(globalThis, { said })
          document.addEventListener('DOMContentLoaded', () =>
            new MutationObserver(() => {
              for (const region of document.querySelectorAll('[role="status"], [role="alert"]')) {
                const text = region.textContent?.trim() ?? ''
                if (text !== '' && last.get(region) !== text) said.push(text)
                last.set(region, text)
              }
            }).observe(document.body, { subtree: true, childList: true, characterData: true }),
          )
        })
      },
    })
    const { page, rows, stopButton } = opened
    const said = () => page.evaluate('said') as Promise<string[]>
    const regions = page.locator(
      '[role="status"], [role="alert"], [aria-live="polite"], [aria-live="assertive"], output',
    )
    expect(await regions.count()).toBe(3)

    const connection = await aStreamOfThree(opened)
    await rows.first().focus()
    await expect
      .poll(() => said())
      .toEqual(expect.arrayContaining(['Connecting', 'Streaming', 'List frozen while you use it.']))
    for (let second = 0; second < 65; second++) {
      if (second % 20 === 0) connection.send(aSwap(), aPair())
      await page.clock.runFor(1_000)
    }
    const summaries = (await said()).filter((text) => / events? per second\./.test(text))
    expect(summaries.length).toBeGreaterThanOrEqual(2)
    expect(summaries.length).toBeLessThanOrEqual(3)
    expect(summaries[0]).toMatch(/^[\d,]+ events? per second\. (Lag [\d.,]+ seconds\. )?\d+ new pairs?\.$/)

    await page.getByLabel('Read events aloud').uncheck()
    await rows.first().focus()
    await page.clock.runFor(35_000)
    const later = (await said()).filter((text) => / events? per second\./.test(text))
    expect(later.length).toBeLessThanOrEqual(summaries.length + 1)
    await page.clock.runFor(35_000)
    expect((await said()).filter((text) => / events? per second\./.test(text))).toEqual(later)

    await stopButton.click()
    await expect.poll(() => said()).toContain('Stopped')
    expect((await said()).filter((text) => /HARB/.test(text))).toEqual([])
    expect(await regions.count()).toBe(3)
    expect(await page.locator('.event-list').getAttribute('aria-live')).toBe('off')
  })

  test('A connection error is announced as an alert', async ({ expect, openConsole }) => {
    const { page, stream, key, startButton } = await openConsole()
    stream.welcome(key, 'refuse')
    await startButton.click()

    await expect
      .poll(() => page.locator('[role="alert"]').innerText())
      .toBe('The stream could not be opened.')
    // The specified words are only in the row.
    expect(await page.getByText('Error connecting to websocket, check api key and connection.').count()).toBe(
      1,
    )
  })

  test('A token named with script tags, right-to-left marks or 500 characters neither runs nor breaks the row', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole()
    const { page, rows, start } = opened
    const connection = await start()
    const hostile = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
    const reversed = '\u202Eevil\u2066\u200F\u0000 name\n\nline'
    const names = [
      hostile,
      reversed,
      'W'.repeat(500),
      '\u0645\u0631\u062D\u0628\u0627',
      '\u{1f469}\u200d\u{1f680}'.repeat(90),
    ]
    connection.send(aPair(), ...names.map((name) => aPair({ name, symbol: name, migration: true })))
    connection.send(
      aSwap({ sourceExchange: hostile, baseTokenMint: hostile, walletAccount: hostile, quotePrice: hostile }),
    )
    connection.send({ id: 1, error: { code: 1, message: hostile } })
    for (const [mint, name] of [
      ['wide', 'W'.repeat(32)],
      ['blank', '\u3164'],
      ['right', '\u0645\u0631\u062D'],
    ] as const)
      connection.send(aPair({ mint, name, symbol: name }), aSwap({ baseTokenMint: mint }))
    await rows.nth(13).waitFor()

    expect(await page.evaluate('window.hacked')).toBe(undefined)
    expect(await rows.locator('script, img[src="x"]').count()).toBe(0)
    const heights = await rows.evaluateAll((all) => all.map((row) => row.clientHeight))
    expect(new Set(heights).size).toBe(1)
    const times = await rows
      .locator('.cell-time')
      .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().right))
    expect(new Set(times).size).toBe(1)
    for (const text of await page.locator('.pair-name').allInnerTexts()) {
      expect([...text].length).toBeLessThanOrEqual(32)
      expect(text).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\n]/)
    }
    const cut = rows.getByRole('link', { name: /^W+/ }).locator('bdi')
    expect(await cut.evaluate((name) => name.scrollWidth > name.clientWidth)).toBe(true)
    expect(await cut.evaluate((name) => getComputedStyle(name).textOverflow)).toBe('ellipsis')
    expect(await rows.locator('[data-mint="blank"] .token-avatar').allInnerTexts()).toEqual(['B', 'B'])
    const active = page.locator('.active-name > bdi')
    await active.nth(3).waitFor()
    const starts = await active.evaluateAll((all) => all.map((name) => name.getBoundingClientRect().left))
    expect(new Set(starts).size).toBe(1)
    await expectClean(page)
  })

  test('Logos come only through the service’s image proxy; no stranger is contacted, and a letter replaces a missing logo', async ({
    expect,
    openConsole,
  }) => {
    const asked: string[] = []
    const opened = await openConsole({
      clock: true,
      before: async (api, page) => {
        page.on('request', (request) => asked.push(request.url()))
        // Rows of two renders are requested in two calls.
        const pathOf = (url: string) => (url.endsWith('a.png') ? '/img/one' : null)
        api.answer('POST /api/logos', ({ body }) => ({
          body: { paths: (body as { urls: string[] }).urls.map(pathOf) },
        }))
        await page.route('**/img/one', (route) => route.fulfill({ contentType: 'image/png', body: PIXEL }))
      },
    })
    const { page, rows, stream, start } = opened
    const connection = await start()
    const withLogo = (logo: string) =>
      aPair({ metadata: { name: 'Harbour', symbol: 'HARB', logo, socials: null } })
    connection.send(withLogo('https://stranger.example/a.png'), withLogo('https://stranger.example/b.svg'))
    connection.send(withLogo('javascript:alert(1)'))
    await rows.nth(2).waitFor()
    await page.clock.runFor(3_000)

    const logo = rows.locator('img')
    await expect
      .poll(() => logo.evaluateAll((all) => all.map((image) => image.getAttribute('src'))))
      .toEqual(['/img/one'])
    await logo.waitFor()
    expect(await rows.first().locator('.token-avatar').innerText()).toBe('H')
    expect(asked.filter((url) => !url.startsWith(stream.url))).toEqual([])
  })
})

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
