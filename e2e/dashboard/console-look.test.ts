import type { Locator } from 'playwright-core'
import { describe } from 'vitest'
import { chromePath, expectClean, isFocused, overlappingTexts, setLetters } from '../browser.ts'
import { colourDifference } from './colour-difference.ts'
import { type OpenedConsole, test } from './console-test.ts'
import { aBlock, aPair, aSwap, now, WALLET } from './stream-frames.ts'

/** A console that has shown a new pair, a whale's sell and a buy, the buy on top. */
async function aStreamOfAll(opened: OpenedConsole) {
  const connection = await opened.start()
  connection.send(aPair(), aSwap({ swapType: 'sell', usdValue: 18_240.51 }), aSwap())
  await opened.rows.nth(2).waitFor()
  return connection
}

describe.skipIf(!chromePath).concurrent('Test Console: how it looks', () => {
  for (const theme of ['light', 'dark'] as const) {
    test(`Buy and sell are distinct by word, shape, edge and position, and by a colour difference above 20 in each simulated deficiency, and in greyscale with Mono (${theme})`, async ({
      expect,
      openConsole,
    }) => {
      const opened = await openConsole({
        theme,
        before: (_, page) => page.emulateMedia({ reducedMotion: 'reduce', colorScheme: theme }),
      })
      const { page, rows } = opened
      await aStreamOfAll(opened)
      const colour = (name: string) =>
        page.locator('.console').evaluate((element, token) => {
          const probe = element.appendChild(document.createElement('i'))
          probe.style.color = `var(${token})`
          const parts = getComputedStyle(probe).color.match(/\d+/g) ?? []
          probe.remove()
          return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
        }, name)
      const pairs = async () => {
        const [buy, sell, copper] = [await colour('--buy'), await colour('--sell'), await colour('--copper')]
        return [[buy, sell] as const, [buy, copper] as const]
      }
      for (const pair of await pairs()) {
        for (const sight of ['full', 'protan', 'deutan', 'tritan'] as const)
          expect(colourDifference(...pair, sight)).toBeGreaterThan(20)
      }

      const faceOf = async (place: number) => {
        const row = rows.nth(place)
        return {
          word: await row.locator('.badge').innerText(),
          shape: await row.locator('.badge path').getAttribute('d'),
          edge: await row.locator('.event-side').evaluate((edge) => getComputedStyle(edge).backgroundImage),
        }
      }
      const [buy, sell] = [await faceOf(0), await faceOf(1)]
      expect([buy.word, sell.word]).toEqual(['Buy', 'Sell'])
      expect(buy.shape).not.toBe(sell.shape)
      expect(buy.edge).toBe('none')
      expect(sell.edge).toMatch(/^repeating-linear-gradient/)
      await expect.poll(() => sidesOfChart(opened)).toEqual({ above: ['buy'], below: ['sell'] })
      await expectClean(page)

      // Without colour two hues of one lightness are equal: then Mono is the pair to choose.
      await page.evaluate("document.documentElement.dataset.colours = 'mono'")
      for (const pair of await pairs()) expect(colourDifference(...pair, 'grey')).toBeGreaterThan(20)
      await expectClean(page)
    })
  }

  test('Colours of buys and sells, the height of rows and the form of the chart can be chosen, and are remembered', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole()
    const { page, rows } = opened
    await aStreamOfAll(opened)
    const buy = () =>
      page
        .locator('.badge-buy')
        .first()
        .evaluate((badge) => getComputedStyle(badge).color)
    const usual = await buy()
    expect((await rows.first().boundingBox())!.height).toBe(34)

    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('radio', { name: 'Green/Red' }).click()
    await page.getByRole('radio', { name: 'Comfortable' }).click()
    expect(await buy()).not.toBe(usual)
    await expect.poll(() => sidesOfChart(opened)).toEqual({ above: ['buy'], below: ['sell'] })
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => sidesOfChart(opened)).toEqual({ above: ['buy'], below: ['sell'] })
    expect(await buy()).toBe('rgb(111, 215, 155)')
    expect((await rows.first().boundingBox())!.height).toBe(44)
    await expectClean(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.reload()

    await page.getByRole('region', { name: 'Chart as a table' }).waitFor()
    expect(await page.evaluate('document.documentElement.dataset.colours')).toBe('green')
  })

  test('With reduced motion, the time of the latest block replaces the running line', async ({
    expect,
    openConsole,
  }) => {
    const { page, start } = await openConsole({
      width: 390,
      height: 844,
      before: (_, page) => page.emulateMedia({ reducedMotion: 'reduce' }),
    })
    const connection = await start()
    connection.send(aBlock(300))
    const readout = page.locator('.readout-block')
    await expect.poll(() => readout.innerText()).toMatch(/^Latest block\s+\d\d:\d\d:\d\d\s+300$/)
    expect(await readout.locator('.heartbeat').isVisible()).toBe(false)

    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await readout.innerText()).toMatch(/^Latest block\s+300$/)
    expect(await readout.locator('.heartbeat').isVisible()).toBe(true)
  })

  test('A block and its rows restart the running line, and are laid out when the page is drawn, not by its code', async ({
    expect,
    browser,
    openConsole,
  }) => {
    const opened = await openConsole({ width: 390, height: 844 })
    const { page, received } = opened
    const connection = await opened.start()
    connection.send(aBlock(300), aSwap())
    await expect.poll(received).toBe(1)
    const runs = () => page.evaluate(() => document.getAnimations().map(({ playState }) => playState))
    await expect.poll(runs).toEqual(['finished'])

    await browser.startTracing(page, { categories: ['devtools.timeline', 'blink.user_timing'] })
    await page.evaluate(() => performance.mark('test-begins'))
    for (let count = 2; count <= 6; count++) {
      connection.send(aBlock(300 + count), aSwap(), aPair())
      await expect.poll(received).toBe(count * 2 - 1)
    }
    const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: Traced[] }
    // Reading the trace may take longer than the line runs.
    connection.send(aBlock(310))
    await expect.poll(runs).toEqual(['running'])

    const begins = traceEvents.find(({ name }) => name === 'test-begins')!
    const ours = traceEvents.filter(
      ({ pid, tid, ts }) => tid === begins.tid && pid === begins.pid && ts > begins.ts,
    )
    const named = (name: string) => ours.filter((event) => event.name === name)
    const isWithin = (inner: Traced, outer: Traced) => inner.ts > outer.ts && inner.ts < outer.ts + outer.dur
    const layouts = named('Layout')
    expect(layouts.length).toBeGreaterThan(0)
    expect(layouts.filter((layout) => named('FunctionCall').some((call) => isWithin(layout, call)))).toEqual(
      [],
    )
  })

  test('Lower rows show more of the stream at once, down to the foot of the list', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole({
      clock: true,
      before: async (_, page) => {
        await page.addInitScript(() => localStorage.setItem('console.density', 'comfortable'))
      },
    })
    const { page, rows, received } = opened
    const connection = await opened.start()
    connection.send(...Array.from({ length: 60 }, () => aSwap()))
    await rows.nth(59).waitFor({ state: 'attached' })
    const height = () => rows.first().evaluate((row) => row.clientHeight)
    const usual = await height()
    await page.setViewportSize({ width: 1440, height: 820 })
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('radio', { name: 'Compact' }).click()
    await expect.poll(height).toBeLessThan(usual)

    // While rows arrive without pause only visible ones are drawn: the page's clock moves in short steps.
    await page.clock.pauseAt(Date.now() + 60_000)
    for (let count = 61; count < 64; count++) {
      connection.send(aSwap())
      await expect
        .poll(async () => {
          await page.clock.runFor(20)
          return received()
        })
        .toBe(count)
    }
    const { left, blank } = await page.locator('.event-list').evaluate((list) => {
      const { bottom } = list.getBoundingClientRect()
      const left = [...list.querySelectorAll('.event-row-out')]
      return {
        left: left.length,
        blank: left.filter((row) => row.getBoundingClientRect().top < bottom).length,
      }
    })
    expect(left).toBeGreaterThan(0)
    expect(blank).toBe(0)
  })

  test('Whales of 10,000 USD or more are shown in an inverse block', async ({ expect, openConsole }) => {
    const opened = await openConsole()
    const connection = await opened.start()
    connection.send(aSwap({ usdValue: 9_999.99 }), aSwap({ usdValue: 10_000 }))
    await opened.rows.nth(1).waitFor()

    expect(await opened.page.locator('.whale').allInnerTexts()).toEqual(['$10,000.00'])
  })

  test('Early events have a mark, and are struck through once they are taken back; the strip names their commitment', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole()
    const { page, rows } = opened
    await opened.editor.fill('{"id":2,"method":"swapSubscribe","params":{"commitment":"processed"}}')
    await page.locator('.editor-hints').getByText('Events come before they are confirmed').waitFor()
    const connection = await opened.start()
    connection.send({ jsonrpc: '2.0', id: 2, result: { subscription_id: 2 } })
    const [gone, kept] = [aSwap({ signature: 'gone' }), aSwap({ signature: 'kept' })]
    connection.send({ ...gone, commitment: 'processed' }, { ...kept, commitment: 'processed' }, aSwap())
    await page.locator('.row-early').nth(1).waitFor()
    await page.getByRole('region', { name: 'Open subscriptions' }).getByText('Swaps, processed').waitFor()

    const params = { subscription_id: 2, slot: 7, signatures: ['gone'] }
    connection.send({ method: 'slotDroppedNotification', params })
    await page.getByText('Transactions taken back from slot 7: 1', { exact: true }).waitFor()
    const struck = page.locator('.row-gone')
    await struck.waitFor()
    expect(await struck.getAttribute('aria-label')).toContain('taken back')
    const line = await struck.evaluate((row) => getComputedStyle(row).textDecorationLine)
    expect(line).toBe('line-through')
    expect(await rows.count()).toBe(5)
    await expectClean(page)
  })

  test('On a phone: three readouts, chips, two-line rows and a fixed bar with Start/Stop, Pause and Request', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole({ width: 390, height: 844 })
    const { page, rows, editor, connection, key, stream } = opened
    const bar = page.locator('.console-bar')
    for (const name of ['Start', 'Pause', 'Request'])
      expect(await bar.getByRole('button', { name, exact: true }).isVisible()).toBe(true)

    await bar.getByRole('button', { name: 'Request' }).tap()
    const sheet = page.getByRole('dialog', { name: 'Request' })
    await sheet.waitFor()
    await editor.fill(' by finger ')
    await sheet.getByRole('button', { name: 'Start', exact: true }).tap()
    const made = await connection()
    await expect.poll(() => made.texts[1]).toBe(' by finger ')
    await page.keyboard.press('Escape')
    made.send(aPair(), aSwap({ swapType: 'sell' }), aSwap(), ...Array.from({ length: 40 }, () => aSwap()))
    await rows.nth(42).waitFor({ state: 'attached' })

    expect(new Set(await rows.evaluateAll((all) => all.map((row) => row.clientHeight)))).toEqual(
      new Set([61]),
    )
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390)
    for (const tool of [page.getByRole('searchbox'), page.getByRole('button', { name: 'Clear All' })]) {
      const { x, width } = (await tool.boundingBox())!
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(390)
    }
    for (const button of await bar.getByRole('button').all())
      expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44)
    const visible = page.locator('.readout:visible .readout-label')
    expect((await visible.allInnerTexts()).map((text) => text.trim())).toEqual([
      'Streaming',
      'Events received',
      'Latest block',
    ])

    await page.locator('.event-list').evaluate((list) => list.scrollTo(0, 200))
    const resume = page.locator('.hold-bar').getByRole('button', { name: 'Resume' })
    await resume.waitFor()
    expect((await resume.boundingBox())!.height).toBeGreaterThanOrEqual(48)
    await resume.tap()
    await expect.poll(() => page.locator('.hold-bar').count()).toBe(0)

    await rows.nth(1).locator('.row-name').tap()
    const drawer = page.getByRole('dialog', { name: /^Token / })
    await drawer.getByRole('button', { name: 'Close' }).tap()
    await drawer.waitFor({ state: 'detached' })
    await rows.nth(1).tap({ position: { x: 200, y: 48 } })
    const popup = page.getByRole('dialog', { name: 'Raw JSON' })
    await popup.getByRole('link').first().waitFor()
    await expectClean(page)
    await popup.getByRole('button', { name: 'Close' }).tap()
    await bar.getByRole('button', { name: 'Stop' }).tap()
    await page.getByText('Websocket closed').first().waitFor()
    expect(stream.attempts(key)).toBe(1)
  })

  test('With letters twice as large on a phone, no texts lie over one another in a row, its raw JSON, the hold bar or the editor; no price is cut, and every button is within reach', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start, editor } = await openConsole({ width: 390, height: 844 })
    const bar = page.locator('.console-bar')
    const beyond = async (part: Locator) => {
      const boxes = await Promise.all((await part.getByRole('button').all()).map((one) => one.boundingBox()))
      return boxes.filter((box) => box && (box.x < 0 || box.x + box.width > 390))
    }
    await setLetters(page, '200%')
    const connection = await start()
    const blockTime = now() - 125
    connection.send(
      aPair({ name: 'A rather long name of a token', symbol: 'LONGSYMBOL', migration: true }),
      aSwap({ swapType: 'sell', usdValue: 18_240.51, quotePrice: '0.0000000424242', blockTime }),
      aSwap({ usdValue: 3_597.12, baseTokenMint: WALLET, sourceExchange: 'raydium_launchlab', blockTime }),
      {
        jsonrpc: '2.0',
        id: 3,
        error: { code: -32602, message: 'A refusal with a sentence of some length.' },
      },
    )
    await rows.nth(3).waitFor()
    for (const row of await rows.all()) expect(await overlappingTexts(row)).toEqual([])
    const cells = page.locator('.cell-price, .cell-usd')
    expect(await cells.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth))).toEqual(
      [],
    )

    await rows.nth(1).focus()
    await page.keyboard.press('Enter')
    const popup = page.getByRole('dialog', { name: 'Raw JSON' })
    await popup.getByRole('link').first().waitFor()
    expect(await overlappingTexts(popup)).toEqual([])
    expect(await beyond(popup)).toEqual([])
    await popup.getByRole('button', { name: 'Close' }).tap()
    await bar.getByRole('button', { name: 'Pause' }).tap()
    const held = page.locator('.hold-bar')
    const words = held.getByText('Paused.')
    expect((await words.boundingBox())!.height).toBeLessThanOrEqual((await held.boundingBox())!.height)

    connection.close(1001, 'The service is restarting. resume_from: c2')
    await bar.getByRole('button', { name: 'Resume from where it stopped' }).waitFor()
    expect(await beyond(bar)).toEqual([])
    await bar.getByRole('button', { name: 'Request' }).tap()
    const drawer = page.getByRole('dialog', { name: 'Request' })
    await drawer.waitFor()
    await editor.fill('{\n  "id": 1,\n  "method": "swapSubscribe"\n}')
    expect(await overlappingTexts(page.locator('.editor'))).toEqual([])
    expect(await beyond(drawer.locator('.editor-head').first())).toEqual([])
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390)
  })

  test('Anything reached by keyboard, or just opened, is above the Start bar', async ({
    expect,
    openConsole,
  }) => {
    const { page, start } = await openConsole()
    const connection = await start()
    const strip = page.getByRole('region', { name: 'Open subscriptions' })
    const unsubscribe = strip.getByRole('button', { name: /Unsubscribe/ })
    const bar = page.locator('.request-panel > .request-actions')
    const isClear = async () => {
      const [above, below] = [await unsubscribe.first().boundingBox(), await bar.boundingBox()]
      return above !== null && below !== null && above.y + above.height <= below.y
    }
    const editor = await page.locator('.editor-field').boundingBox()
    await page.setViewportSize({ width: 1440, height: Math.ceil(editor!.y + editor!.height) + 60 })
    connection.send({ id: 1, result: { subscription_id: 2 } })
    await unsubscribe.waitFor()
    await expect.poll(isClear).toBe(true)

    await page.locator('.console-request').evaluate((column) => column.scrollTo(0, 0))
    await unsubscribe.focus()
    await expect.poll(isClear).toBe(true)
  })

  test('In a low window the request scrolls, and the page does not scroll into nothing below it', async ({
    expect,
    openConsole,
  }) => {
    const { page, start } = await openConsole({ width: 1440, height: 600 })
    const connection = await start()
    connection.send(aSwap())

    await page.getByRole('region', { name: 'Active tokens' }).getByRole('button').waitFor()

    const column = page.locator('.console-request')
    expect(await column.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)).toBe(true)
    expect(await page.evaluate('document.scrollingElement.scrollHeight')).toBe(600)
  })

  test('Beside the request every part of a row is fully visible, from 1100 px', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole({ width: 1280, height: 720 })
    const { page, rows } = opened
    const connection = await opened.start()
    connection.send(
      aSwap({ usdValue: 18_240.51, blockTime: now() - 5_999 }),
      aSwap({ quotePrice: '0.0000000424242', swapType: 'sell', blockTime: now() - 125 }),
      aPair({ name: 'W'.repeat(500), migration: true }),
    )
    await rows.nth(2).waitFor()
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    for (const width of [1280, 1100, 1208, 1250, 1366, 1440, 1920]) {
      await page.setViewportSize({ width, height: 720 })
      for (const part of [
        '.cell-price',
        '.cell-usd',
        '.cell-wallet',
        '.cell-time',
        '.row-link',
        '.cell-raw',
      ]) {
        const cells = rows.locator(`${part}:visible`)
        const cut = await cells.evaluateAll((all) =>
          all.filter((cell) => cell.scrollWidth > cell.clientWidth),
        )
        expect(cut, `${part} at ${width}`).toEqual([])
      }
      expect(await rows.nth(1).getByRole('link').count()).toBe(2)
      expect(await rows.nth(0).getByRole('link').count()).toBe(2)
      expect(await rows.first().locator('.cell-wallet').isVisible()).toBe(true)
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(width)
      for (const name of ['Pause', 'Clear All', 'View'])
        expect(await page.getByRole('button', { name, exact: true }).isVisible(), `${name} at ${width}`).toBe(
          true,
        )
    }
  })

  test('On a tablet the request is a drawer, the list keeps the width and drops the wallet', async ({
    expect,
    openConsole,
  }) => {
    const opened = await openConsole({ width: 1000, height: 800 })
    const { page, rows } = opened
    await aStreamOfAll(opened)

    expect(await rows.first().locator('.cell-wallet').isVisible()).toBe(false)
    expect(await rows.first().innerText()).toContain('HARB')
    const request = page.getByRole('button', { name: 'Request', exact: true })
    await request.click()
    await page.getByRole('dialog', { name: 'Request' }).waitFor()
    await expectClean(page)
    await page.keyboard.press('Escape')
    expect(await isFocused(request)).toBe(true)
  })
})

/** Which series of the chart are painted above its centre line, and which below. */
function sidesOfChart({ page }: OpenedConsole) {
  return page.locator('.chart-canvas').evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement
    const context = (canvas as HTMLCanvasElement).getContext('2d')!
    const probe = canvas.parentElement!.appendChild(document.createElement('i'))
    const paint = (token: string) => {
      const one = new OffscreenCanvas(1, 1).getContext('2d')!
      probe.style.color = `var(${token})`
      one.fillStyle = getComputedStyle(probe).color
      one.fillRect(0, 0, 1, 1)
      return String(one.getImageData(0, 0, 1, 1).data)
    }
    const names = new Map([
      [paint('--buy'), 'buy'],
      [paint('--copper'), 'sell'],
    ])
    probe.remove()
    const centre = Math.round(9 + (height - 9) / 2)
    const seriesIn = (top: number, rows: number) => {
      const { data } = context.getImageData(0, top, width, rows)
      const found = new Set<string>()
      for (let at = 0; at < data.length; at += 4) {
        const name = names.get(String(data.slice(at, at + 4)))
        if (name) found.add(name)
      }
      return [...found]
    }
    return { above: seriesIn(9, centre - 9), below: seriesIn(centre + 1, height - centre - 1) }
  })
}

/** An event of a trace; times in microseconds. */
type Traced = { name: string; pid: number; tid: number; ts: number; dur: number }
