import { describe } from 'vitest'
import { chromePath, expectCleanInBothThemes, isFocused } from '../browser.ts'
import { test } from './console-test.ts'
import { orderAnswer, trialAnswer } from './history-answers.ts'
import { aSwap } from './stream-frames.ts'
import { tabTo } from './tab-to.ts'

const FILTER =
  '{"id":1,"method":"swapSubscribe","params":{"include":{"usdValue":10000},"replay":{"from":"x"}}}'

describe.skipIf(!chromePath).concurrent('Test Console: history', () => {
  test('An hour to replay is chosen by keyboard and written into the request, and Start sends the text as typed', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor, start, status, rows } = await openConsole({
      before: (api) => api.answer('GET /api/history/orders', { body: [orderAnswer()] }),
    })
    await editor.fill('{"id":4,"method":"swapSubscribe","params":{"include":{"usdValue":10000}}}')
    await tabTo(page.getByRole('button', { name: 'Replay an hour' }))
    await page.keyboard.press('Enter')
    const [day, hour] = [page.getByLabel('Day'), page.getByLabel('Hour (UTC)')]
    await day.waitFor()
    expect(await day.locator('option').allInnerTexts()).toEqual(['1 Nov 2026', '20 Nov 2026', '19 Nov 2026'])
    await day.selectOption({ index: 2 })
    expect(await hour.locator('option').allInnerTexts()).toEqual([
      '23:00',
      '22:00',
      '21:00',
      '20:00',
      '19:00',
    ])
    await day.selectOption({ index: 1 })
    await hour.selectOption('18:00')
    await expectCleanInBothThemes(page)
    await tabTo(page.getByLabel('Speed'))
    await page.keyboard.press('5')
    await tabTo(page.getByRole('button', { name: 'Write into the request' }))
    await page.keyboard.press('Enter')

    const typed = await editor.inputValue()
    expect(JSON.parse(typed)).toEqual({
      id: 4,
      method: 'swapSubscribe',
      params: {
        include: { usdValue: 10_000 },
        replay: { from: '2026-11-20T18:00:00Z', to: '2026-11-20T19:00:00Z', speed: 5 },
      },
    })
    const connection = await start()
    expect(connection.texts[1]).toBe(typed)

    connection.send({ id: 4, result: { subscription_id: 2, replay: { speed: 5 } } })
    await page.locator('.readout-status').getByText('Replay', { exact: true }).waitFor()
    expect(await status.innerText()).toContain('Streaming')
    connection.send({ ...aSwap(), replay: true })
    connection.send({
      ...{ subscription_id: 2, method: 'subscriptionClosed' },
      ...{ reason: 'The replay has ended.', errorType: 'REPLAY_ENDED' },
    })
    await rows.getByText('The replay has ended.').waitFor()
    await page.locator('.readout-status').getByText('Replay', { exact: true }).waitFor({ state: 'detached' })
    expect(connection.isOpen()).toBe(true)
  })

  test('Trying a filter shows what it would have matched, and neither changes nor delays what Start sends', async ({
    expect,
    openConsole,
  }) => {
    const { page, api, editor, start } = await openConsole()
    const release = api.hold('POST /api/filter/try', { body: trialAnswer() })
    await editor.fill(FILTER)
    await tabTo(page.getByRole('button', { name: 'Try this filter' }))
    await page.keyboard.press('Enter')
    await page.getByText('Trying the filter over the archive.').waitFor()
    const { texts } = await start()
    expect(texts[1]).toBe(FILTER)
    release()
    await page
      .getByText(
        '1,204 of 3,611,220 swaps in the last hour, about 870,000 a month. NewPairs Only would end after 50 minutes; Basic allows it.',
      )
      .waitFor()
    expect(api.calls.find(({ name }) => name === 'POST /api/filter/try')?.body).toEqual({
      kind: 'swap',
      params: { include: { usdValue: 10_000 } },
      hours: 1,
    })
    await tabTo(page.getByText('By hour, and the newest matches'))
    await page.keyboard.press('Enter')
    await page.getByText('20 Nov 2026 18:00: 1,204 of 3,611,220').waitFor()
    await page.getByRole('region', { name: 'The newest matches' }).getByText('swapNotification').waitFor()
    await expectCleanInBothThemes(page)
    await tabTo(page.getByRole('button', { name: 'Over 24 hours' }))
    await page.keyboard.press('Enter')
    await expect.poll(() => api.count('POST /api/filter/try')).toBe(2)
    expect(api.calls.filter(({ name }) => name === 'POST /api/filter/try')[1]?.body).toMatchObject({
      hours: 24,
    })
  })

  test('The result of a trial is above the Start bar with its buttons, on a narrow screen too', async ({
    expect,
    openConsole,
  }) => {
    const { page, api, editor } = await openConsole({ width: 390, height: 740 })
    const release = api.hold('POST /api/filter/try', { body: trialAnswer() })
    await page.locator('.console-bar').getByRole('button', { name: 'Request' }).tap()
    await editor.fill(FILTER)
    await page.getByRole('button', { name: 'Try this filter' }).tap()
    const trial = page.getByRole('region', { name: 'Trial of the filter' })
    await trial.getByText('Trying the filter over the archive.').waitFor()
    release()
    const bar = page.locator('.request-panel > .request-actions:visible')
    const isClear = async () => {
      const [above, below] = [await trial.boundingBox(), await bar.boundingBox()]
      return above !== null && below !== null && above.y + above.height <= below.y
    }

    await trial.getByText('1,204 of 3,611,220 swaps').waitFor()
    await expect.poll(isClear).toBe(true)
    await page.setViewportSize({ width: 320, height: 640 })
    await trial.getByText('By hour, and the newest matches').tap()
    await expect.poll(isClear).toBe(true)
    await page.getByRole('button', { name: 'Replay an hour' }).tap()
    await page.getByLabel('Hour (UTC)').waitFor()
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(320)
    await page.getByRole('button', { name: 'Close trial' }).press('Enter')
    await trial.waitFor({ state: 'detached' })
    expect(await isFocused(page.getByRole('button', { name: 'Close', exact: true }))).toBe(true)
  })

  test("A filter with a mistake shows the stream's own sentence", async ({ expect, openConsole }) => {
    const { page, api, editor } = await openConsole()
    const errorMessage = 'include.usdValue must be a number.'
    api.answer('POST /api/filter/try', { status: 400, body: { errorType: 'ERR_VALIDATION', errorMessage } })
    await editor.fill('{"method":"swapSubscribe","params":{"include":{"usdValue":"x"}}}')
    await page.getByRole('button', { name: 'Try this filter' }).click()
    const trial = page.getByRole('region', { name: 'Trial of the filter' })
    await trial.getByText(errorMessage).waitFor()

    await editor.fill('{"method":"latestBlockSubscribe"}')
    await trial.getByText('The request has changed since.').waitFor()
    await page.getByRole('button', { name: 'Try this filter' }).click()
    await trial.getByText('A swapSubscribe or newPairSubscribe can be tried.').waitFor()
    expect(api.count('POST /api/filter/try')).toBe(1)
  })
})
