import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe } from 'vitest'
import { WebSocketServer } from 'ws'
import { chromePath, expectClean, isFocused } from '../browser.ts'
import { PAID_ACCOUNT } from './api-double.ts'
import { test } from './console-test.ts'
import { aPair, aSwap, SIGNATURE, WALLET } from './stream-frames.ts'

const BLOCK_FEED = '{"method":"latestBlockSubscribe"}'
const KEY = PAID_ACCOUNT.user.APIKey

describe.skipIf(!chromePath).concurrent('Test Console over a stream that breaks, or stands elsewhere', () => {
  test('After a disconnect its reason is shown, and Resume is beside Start whatever is typed, resumes from the last cursor and keeps the rows; Start starts over', async ({
    expect,
    openConsole,
  }) => {
    const { page, editor, received, start: press, connection } = await openConsole()
    const panel = page.locator('.request-actions')
    const start = panel.getByRole('button', { name: 'Start', exact: true })
    const resume = panel.getByRole('button', { name: 'Resume from where it stopped', exact: true })
    const request = ' {"params": {"usdvalue": 1.50}, "method": "swapSubscribe"}\n'
    const resumed = (cursor: string) =>
      `{"id":2,"method":"swapSubscribe","params":{"usdvalue":1.5,"resume_from":"${cursor}"}}`
    await editor.fill(request)
    // Its code comes late, and its second line moves the buttons down: a press just then misses Stop.
    await page.getByText('usdValue belongs in params.include').first().waitFor()
    const first = await press()
    expect(first.texts).toEqual([BLOCK_FEED, request])
    first.send({ ...aSwap(), cursor: 'c1' }, { ...aSwap(), cursor: 'c2' })
    await expect.poll(received).toBe(2)
    expect(await resume.count()).toBe(0)

    first.close(1001, 'The service is restarting. resume_from: c2')
    await page
      .getByText('The service is restarting. Resume continues your swaps where they stopped.')
      .waitFor()
    await editor.fill('{"method":"newPairSubscribe"}')
    await resume.waitFor()
    // A hint on the request may move both down between two checks.
    await expect
      .poll(async () => (await start.boundingBox())?.y === (await resume.boundingBox())?.y)
      .toBe(true)
    await expectClean(page)
    await start.focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const second = await connection(2)
    await expect.poll(() => second.texts).toEqual([BLOCK_FEED, resumed('c2')])
    await expect.poll(() => isFocused(panel.getByRole('button', { name: 'Stop', exact: true }))).toBe(true)
    await editor.fill(request)
    second.send({ ...aSwap(), cursor: 'c3' })
    await expect.poll(received).toBe(3)
    expect(await page.locator('.event-row').count()).toBe(4)

    second.close(4008)
    await resume.waitFor()
    expect(second.texts).toHaveLength(2)
    const third = await press()
    expect(third.texts).toEqual([BLOCK_FEED, request])
    third.send({ ...aSwap(), cursor: 'c9' })
    await expect.poll(received).toBe(4)
    await panel.getByRole('button', { name: 'Stop', exact: true }).click()
    await start.waitFor()
    expect(await resume.count()).toBe(0)
  })

  test('A phone’s bar offers Resume too, and a cursor that is too old is refused with the server’s sentence', async ({
    expect,
    openConsole,
  }) => {
    const tooOld = 'The events after this cursor are no longer kept.'
    const { page, connection, start } = await openConsole({ width: 390, height: 844 })
    const bar = page.locator('.console-bar')
    const first = await start()
    first.send({ ...(first.texts[1]?.includes('newPairSubscribe') ? aPair() : aSwap()), cursor: 'c1' })
    await page.locator('.event-row').first().waitFor()
    first.close(1001)
    const resume = bar.getByRole('button', { name: 'Resume from where it stopped', exact: true })
    await resume.waitFor()
    for (const button of await bar.getByRole('button').all()) {
      const { x, width } = (await button.boundingBox())!
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(390)
    }
    await expectClean(page)

    await resume.click()
    const second = await connection(2)
    await expect.poll(() => second.texts.at(-1)).toContain('"resume_from":"c1"')
    second.send({ jsonrpc: '2.0', id: null, error: { code: -32014, message: tooOld } })
    await page.locator('.event-row').getByText(tooOld).waitFor()
    second.close(1001)
    await bar.getByRole('button', { name: 'Start', exact: true }).waitFor()
  })

  test('On the local machine the configured address may have another port', async ({ expect, visit }) => {
    const stream = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(stream, 'listening')
    const { port } = stream.address() as AddressInfo // a TCP server that listens has one
    const connection = once(stream, 'connection')
    try {
      const { page } = await visit('/dashboard/console', {
        account: PAID_ACCOUNT,
        config: { streamUrl: `ws://127.0.0.1:${port}/live` },
      })
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      const [socket, request] = await connection

      expect(request.url).toBe(`/live?key=${KEY}`)
      socket.send(JSON.stringify(aPair()))
      await page.locator('.event-row').first().waitFor()
    } finally {
      for (const client of stream.clients) client.terminate()
      stream.close()
    }
  })

  test('Wallet and signature are in the rows at 1280 by 720', async ({ expect, openConsole }) => {
    const { page, start } = await openConsole({ width: 1280, height: 720 })
    const connection = await start()
    connection.send(aSwap(), aPair())

    for (const value of [WALLET, SIGNATURE]) {
      const link = page.locator('.event-row').getByRole('link', { name: new RegExp(value.slice(0, 5)) })
      await expect.poll(() => link.first().isVisible()).toBe(true)
    }
  })
})
