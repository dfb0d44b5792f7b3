import { describe } from 'vitest'
import { chromePath, expectClean, isFocused } from '../browser.ts'
import { test } from './console-test.ts'
import { aPair, aSwap, MINT, WALLET } from './stream-frames.ts'

const OTHER_MINT = 'KELPq1w2e3r4t5y6u7i8o9p1a2s3d4f5g6h7j8k9LXyz'

describe.skipIf(!chromePath).concurrent('Test Console: request and tools', () => {
  test('Five examples replace the text; one undo brings the old text back; the matching example is marked pressed', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor } = await openConsole()
    const typed = ' typed by hand \n'
    await editor.fill(typed)
    expect(await page.locator('.example[aria-pressed="true"]').count()).toBe(0)

    for (const [label, method, params] of [
      ['New pairs', 'newPairSubscribe', { include_pumpfun: true }],
      ['All swaps', 'swapSubscribe', undefined],
      ['Swaps by token', 'swapSubscribe', { include: { baseTokenMint: [expect.any(String)] } }],
      ['Swaps by wallet', 'swapSubscribe', { include: { walletAccount: [expect.any(String)] } }],
      ['Whale swaps over 10,000 USD', 'swapSubscribe', { include: { usdValue: 10_000 } }],
    ] as const) {
      const button = page.getByRole('button', { name: label, exact: true })
      await button.click()
      const request = JSON.parse(await editor.inputValue())
      expect(request).toMatchObject({ method })
      expect(request.params).toEqual(params)
      expect(await button.getAttribute('aria-pressed')).toBe('true')
      expect(await page.locator('.example[aria-pressed="true"]').count()).toBe(1)
      expect(await isFocused(editor)).toBe(true)

      await page.keyboard.press('Control+z')
      expect(await editor.inputValue()).toBe(typed)
    }
    await page.getByRole('button', { name: 'Swaps by token' }).click()
    await page.keyboard.type(MINT)
    expect(JSON.parse(await editor.inputValue()).params.include.baseTokenMint).toEqual([MINT])
  })

  test('Ctrl+Enter starts from the editor, Ctrl+Shift+Enter and Send send the current text on the open connection', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor, connection, stream, key } = await openConsole()
    const send = page.getByRole('button', { name: 'Send', exact: true })
    expect(await send.isDisabled()).toBe(true)
    await editor.fill('first ')
    await editor.press('Control+Enter')
    const { texts } = await connection()
    await expect.poll(() => texts[1]).toBe('first ')

    await editor.fill(' {"second"\n')
    await editor.press('Control+Shift+Enter')
    await expect.poll(() => texts[2]).toBe(' {"second"\n')
    await editor.fill('third')
    await send.click()
    await expect.poll(() => texts[3]).toBe('third')
    expect(stream.attempts(key)).toBe(1)
  })

  test('Tab leaves the editor; its lines can be indented; its height has keyboard steps; the text is remembered', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor } = await openConsole()
    await editor.fill('one\ntwo')
    await editor.press('Control+a')
    await editor.press('Control+]')
    expect(await editor.inputValue()).toBe('  one\n  two')
    await editor.press('Control+[')
    expect(await editor.inputValue()).toBe('one\ntwo')

    await editor.press('Tab')
    expect(await isFocused(editor)).toBe(false)
    const handle = page.getByRole('separator', { name: 'Height of the editor in lines' })
    await handle.focus()
    const before = (await editor.boundingBox())!.height
    await page.keyboard.press('ArrowDown')
    expect((await editor.boundingBox())!.height).toBe(before + 20)
    await page.reload()
    await expect.poll(() => editor.inputValue()).toBe('one\ntwo')
  })

  test('Format puts valid JSON on several lines on request, leaves anything else unchanged, and can be undone; hints name an empty text, an unknown method and the plan’s requirements', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor } = await openConsole()
    const typed = '{"id":12345678901234567890,"method":"swapSubscribe"}'
    const pretty = '{\n  "id": 12345678901234567890,\n  "method": "swapSubscribe"\n}'
    await editor.fill(typed)
    await page.getByRole('button', { name: 'Format' }).click()
    await expect.poll(() => editor.inputValue()).toBe(pretty)
    await page.keyboard.press('Control+z')
    expect(await editor.inputValue()).toBe(typed)
    await editor.press('Control+Shift+F')
    await expect.poll(() => editor.inputValue()).toBe(pretty)

    await editor.fill('{"id":1,}')
    await page.getByRole('button', { name: 'Format' }).click()
    expect(await editor.inputValue()).toBe('{"id":1,}')
    const deep = '['.repeat(2_000) + ']'.repeat(2_000)
    await editor.fill(deep)
    await page.getByRole('button', { name: 'Format' }).click()
    await page.getByText('Nested too deeply to format.').first().waitFor()
    expect(await editor.inputValue()).toBe(deep)

    const hints = page.locator('.editor-hints')
    for (const [text, words] of [
      ['{"method":"newPairSubscribe"}', 'Valid JSON, newPairSubscribe'],
      ['', 'Empty. You can still send it.'],
      ['{"method":"swapSubscrib"}', 'Unknown method "swapSubscrib". Did you mean swapSubscribe?'],
    ] as const) {
      await editor.fill(text)
      await expect.poll(() => hints.innerText()).toContain(words)
    }
  })

  // Line by line, a filter as long as Pro allows held the page for seconds.
  test('Format changes a filter of a thousand accounts at once, and one undo restores it', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor } = await openConsole()
    const walletAccount = Array.from({ length: 1_000 }, (_, index) => `<&${WALLET}${index}`)
    const request = { method: 'swapSubscribe', params: { include: { walletAccount } } }
    const typed = JSON.stringify(request)
    await editor.fill(typed)
    await page.evaluate(() => {
      Object.assign(globalThis, { changes: 0 })
      document.addEventListener('input', () => (globalThis as { changes?: number }).changes!++)
    })

    await page.getByRole('button', { name: 'Format' }).click()
    await expect.poll(() => editor.inputValue()).toBe(JSON.stringify(request, null, 2))

    expect(await page.evaluate('changes')).toBe(1)
    await page.keyboard.press('Control+z')
    expect(await editor.inputValue()).toBe(typed)
  })

  // Each piece took longer than the one before: a minute for these.
  test('A request of twenty thousand lines is drawn in its colours at once', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor } = await openConsole()
    // The browser itself takes minutes to type that many lines, but not to paste them.
    await editor.evaluate(
      (area: HTMLTextAreaElement, text) => {
        area.setRangeText(text, 0, area.value.length)
        area.dispatchEvent(new Event('input', { bubbles: true }))
      },
      `[\n${'1,\n'.repeat(20_000)}"last"\n]`,
    )
    await page.locator('.editor-text .json-string', { hasText: 'last' }).waitFor({ timeout: 15_000 })
    expect(await page.locator('.editor-text .json-number').count()).toBe(20_000)
  })

  test('The filter takes text, quoted fields and US dollars; chips count the kept rows; / goes to it from anywhere, Escape clears it', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    connection.send(
      aPair(),
      aSwap({ usdValue: 20 }),
      aSwap({ usdValue: 2_000, swapType: 'sell' }),
      aSwap({ usdValue: 12_000, baseTokenMint: OTHER_MINT }),
      { id: 1, result: true },
    )
    await rows.nth(4).waitFor()
    const box = page.getByRole('searchbox', { name: 'Filter rows' })
    const chips = page.getByRole('group', { name: 'Kinds of rows' }).getByRole('button')
    const counts = ['All 5', 'New pairs 1', 'Buy 2', 'Sell 1', 'Messages 1']
    await expect.poll(() => chips.allInnerTexts()).toEqual(counts)

    await chips.nth(2).click()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByText('2 of 5').waitFor()
    await chips.nth(0).click()
    await page.getByRole('button', { name: 'Stop', exact: true }).focus()
    await page.keyboard.press('/')
    expect(await isFocused(box)).toBe(true)
    for (const [text, count] of [
      ['harb', 3],
      ['>1000', 2],
      ['>1000 <5000', 1],
      [`"${OTHER_MINT}"`, 1],
      [WALLET.slice(3, 12).toLowerCase(), 3],
      ['pump.fun', 1],
    ] as const) {
      await box.fill(text)
      await expect.poll(() => rows.count()).toBe(count)
    }
    expect(await rows.first().getAttribute('aria-label')).toMatch(/, matches exchange$/)
    const lined = (cell: string) =>
      rows
        .first()
        .locator(cell)
        .evaluate((element) => getComputedStyle(element).boxShadow !== 'none')
    expect([await lined('.cell-exchange'), await lined('.cell-token')]).toEqual([true, false])
    connection.send(...Array.from({ length: 150 }, () => aSwap({ usdValue: 1 })))
    await page.getByText('1 of 100').waitFor()
    expect(await rows.first().innerText()).toContain('Harbour')

    await box.press('Escape')
    expect(await box.inputValue()).toBe('')
    await expect.poll(() => rows.count()).toBe(100)
    await page.keyboard.press('Control+a')
    await page.locator('.chips button').nth(1).click()
    await page.keyboard.press('Escape')
    expect(await chips.first().getAttribute('aria-pressed')).toBe('true')
  })

  test('Clear All empties the list, the counter, the chart and the active tokens without stopping the stream; Undo brings them back', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, received, start, status } = await openConsole({
      clock: true,
    })
    const connection = await start()
    connection.send(aPair(), ...Array.from({ length: 120 }, () => aSwap()))
    await expect.poll(() => received()).toBe(121)
    const token = page.getByRole('region', { name: 'Active tokens' }).getByRole('button')
    await expect.poll(() => token.count()).toBe(1)
    // From here on the page's clock moves in steps, so that a slow machine does not miss the five seconds.
    await page.clock.pauseAt(Date.now() + 60_000)
    // The worker uses the machine's clock: a page a minute ahead of it would consider the stream stalled.
    await page.clock.setSystemTime(Date.now())
    const soon = (look: () => Promise<unknown>) =>
      expect.poll(async () => {
        await page.clock.runFor(20)
        return look()
      })

    await page.getByRole('button', { name: 'Clear All' }).click()
    await soon(() => rows.count()).toBe(0)
    await soon(received).toBe(0)
    await soon(() => token.count()).toBe(0)
    expect(await status.innerText()).toBe('Streaming')
    expect(connection.isOpen()).toBe(true)
    connection.send(aSwap({ usdValue: 5 }))
    await soon(received).toBe(1)

    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.click()
    await soon(received).toBe(122)
    await soon(() => rows.count()).toBe(100)
    expect(await rows.first().innerText()).toContain('$5.00')
    await soon(() => token.count()).toBe(1)
    expect(await token.innerText()).toContain('121')

    await page.getByRole('button', { name: 'Clear All' }).click()
    await undo.waitFor()
    await page.clock.runFor(5_000)
    expect(await undo.count()).toBe(0)
  })

  test('Active tokens: the busiest of the last minute, named by their new pair; a press filters to one', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    connection.send(
      aPair(),
      ...[0.5, 0.75].map((quotePrice) => aSwap({ quotePrice: String(quotePrice) })),
      aSwap({ baseTokenMint: OTHER_MINT, swapType: 'sell' }),
    )
    const tokens = page.getByRole('region', { name: 'Active tokens' }).getByRole('button')
    await expect.poll(() => tokens.count()).toBe(2)

    expect((await tokens.first().innerText()).replace(/\s+/g, ' ')).toMatch(
      /HARB (–|\+50\.0%) 2 swaps, 2 buys, 0 sells/,
    )
    expect(await tokens.nth(1).innerText()).toContain('KELPq…9LXyz')
    await tokens.nth(1).click()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.first().innerText()).toMatch(/^Sell/)
    await tokens.nth(1).click()
    await expect.poll(() => rows.count()).toBe(4)
  })

  test('The chart reads a bucket out, lists its rows, and can be shown as a table', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start, received } = await openConsole()
    const connection = await start()
    connection.send(aPair(), aSwap(), aSwap(), aSwap({ swapType: 'sell' }))
    await expect.poll(() => received()).toBe(4)
    const height = (await page.locator('.chart').boundingBox())!.height

    await page.getByRole('button', { name: 'Show as table' }).click()
    const table = page.getByRole('table', { name: /last 60 seconds/i })
    await expect
      .poll(async () =>
        (await table.locator('tbody tr').allInnerTexts()).map((text) =>
          text.split(/\s+/).slice(-3).join(' '),
        ),
      )
      .toContain('2 1 1')
    expect((await page.locator('.chart').boundingBox())!.height).toBe(height)
    await page.getByRole('button', { name: 'Show as chart' }).click()

    expect(await page.locator('.chart-axis').innerText()).toMatch(/^(\d+s\s+){4}now$/)
    const slider = page.getByRole('slider', { name: /^Events of the last 60 seconds/ })
    await slider.focus()
    await page.keyboard.press('Home')
    expect(await slider.getAttribute('aria-valuetext')).toMatch(
      /^\d\d\.\ds ago: 0 buys, 0 sells, 0 new pairs$/,
    )
    await page.keyboard.press('Enter')
    await page.getByText('The rows of that moment are gone.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => rows.count()).toBe(4)
  })

  test('The preview of Copy as, which scrolls, is reached by Tab; Tab behind it closes the menu and goes on', async ({
    expect,
    openConsole,
  }) => {
    const { page } = await openConsole()
    const button = page.getByRole('button', { name: 'Copy as' })
    await button.press('Enter')
    const preview = page.getByRole('region', { name: 'Preview of Request JSON' })
    const first = page.getByRole('menuitem', { name: 'Request JSON' })
    await expect.poll(() => isFocused(first)).toBe(true)

    await page.keyboard.press('Tab')
    expect(await isFocused(preview)).toBe(true)
    await page.keyboard.press('Shift+Tab')
    expect(await isFocused(first)).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await preview.waitFor({ state: 'detached' })
    expect(await page.locator('.request-foot :focus').count()).toBe(1)

    await button.press('Enter')
    await expect.poll(() => isFocused(first)).toBe(true)
    await page.keyboard.press('Shift+Tab')
    await preview.waitFor({ state: 'detached' })
  })

  test('Copy as, closed and opened again at once, has the focus on its first form', async ({
    expect,
    openConsole,
  }) => {
    const { page } = await openConsole()
    await page.getByRole('button', { name: 'Copy as' }).press('Enter')
    const first = page.getByRole('menuitem', { name: 'Request JSON' })
    await expect.poll(() => isFocused(first)).toBe(true)
    await page.keyboard.press('End')

    await page.locator('.copy-popup').evaluate((popup: HTMLElement) => {
      popup.hidePopover()
      popup.showPopover()
    })

    await expect.poll(() => isFocused(first)).toBe(true)
  })

  test('Copy as writes the request in eight forms, without the key unless requested', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor, key, copied } = await openConsole()
    await editor.fill('{"method":"swapSubscribe"}')
    await page.getByRole('button', { name: 'Copy as' }).click()
    const menu = page.getByRole('menu', { name: 'Copy as' })
    await menu.waitFor()

    expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual([
      'Request JSON',
      'wscat',
      'websocat',
      'curl',
      'Node',
      'Python',
      'Go',
      'Rust',
    ])
    await page.keyboard.press('Enter')
    await menu.getByRole('menuitem', { name: 'Copied' }).waitFor()
    expect(await copied()).toBe('{"method":"swapSubscribe"}')
    for (const [form, words] of [
      ['Go', 'PAIRWIRE_KEY'],
      ['curl', '$PAIRWIRE_KEY'],
    ] as const) {
      await menu.getByRole('menuitem', { name: form, exact: true }).click()
      await expect.poll(copied).toContain(words)
      expect(await copied()).not.toContain(key)
    }
    await menu.getByRole('menuitemcheckbox', { name: 'Include my key' }).click()
    await menu.getByRole('menuitem', { name: 'wscat' }).click()
    await expect.poll(copied).toContain(key)
  })

  test('Connections in use, the open time, the title and the wire show a running stream', async ({
    expect,
    openConsole,
  }) => {
    const { page, start, stopButton } = await openConsole({ clock: true })
    const facts = page.locator('.console-facts')
    expect(await facts.innerText()).toMatch(/Connections\s+1 allowed\s+Open for\s+–/)

    await start()
    await expect.poll(() => facts.innerText()).toMatch(/Connections\s+1 of 1 in use\s+Open for\s+\ds/)
    await page.clock.runFor(70_000)
    expect(await facts.innerText()).toMatch(/1m \d\ds/)
    // The worker uses the machine's clock: a page a minute ahead of it considers the stream stalled.
    await page.clock.setSystemTime(Date.now())
    await page.clock.runFor(1_000)
    await expect.poll(() => page.title()).toMatch(/^● \d+\/s · Test Console · Pairwire$/)
    await expect.poll(() => page.locator('.wire-live').count()).toBe(1)
    await stopButton.click()
    await expect.poll(() => page.title()).toBe('Test Console · Pairwire')
    await expect.poll(() => page.locator('.wire-live').count()).toBe(0)
  })

  test('Alt and a press copy the full value of a link; so does a long press of a finger', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start, copied } = await openConsole({ clock: true })
    const connection = await start()
    connection.send(aSwap())
    const [mint, wallet] = [0, 1].map((place) => rows.first().getByRole('link').nth(place))

    await mint!.click({ modifiers: ['Alt'] })
    await expect.poll(copied).toBe(MINT)
    const finger = { pointerType: 'touch', button: 0, isPrimary: true, bubbles: true }
    await wallet!.dispatchEvent('pointerdown', finger)
    await page.clock.fastForward(600)
    await wallet!.dispatchEvent('pointerup', finger)
    await wallet!.dispatchEvent('click')
    await expect.poll(copied).toBe(WALLET)
    expect(page.context().pages()).toHaveLength(1)
  })

  test('Every key of the list and the editor is in the list of shortcuts, which ? opens', async ({
    expect,
    openConsole,
  }) => {
    const { page, rows, start } = await openConsole()
    const connection = await start()
    connection.send(aSwap())
    await rows.first().focus()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()

    for (const words of [
      'Filter',
      'Pause or resume',
      'Open the token',
      'Copy the JSON',
      'Start',
      'Send on the open connection',
    ])
      expect(await help.getByText(words, { exact: true }).count()).toBe(1)
    await expectClean(page)
    await page.keyboard.press('Escape')
    await expect.poll(() => help.count()).toBe(0)
    expect(await isFocused(rows.first())).toBe(true)
  })
})
