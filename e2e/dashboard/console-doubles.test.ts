import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe } from 'vitest'
import { WebSocketServer } from 'ws'
import { chromePath, expectClean, isFocused } from '../browser.ts'
import { PAID_ACCOUNT } from './api-double.ts'
import { serviceUrl, test } from './dashboard-test.ts'
import { aPair, aSwap, SIGNATURE, WALLET } from './stream-frames.ts'

const BLOCK_FEED = '{"method":"latestBlockSubscribe"}'
const KEY = PAID_ACCOUNT.user.APIKey

describe.skipIf(!chromePath).concurrent('Test Console over a websocket that somebody else plays', () => {
  test('A stand-in for the page’s websocket is used: address, frames, rows and close', async ({
    expect,
    visit,
  }) => {
    const asked: string[] = []
    const sent: unknown[] = []
    let say = (_frame: object) => {}
    let hangUp = () => {}
    const { page } = await visit('/dashboard/console', {
      account: PAID_ACCOUNT,
      before: (_, page) =>
        page.routeWebSocket(/key=/, (socket) => {
          asked.push(socket.url())
          socket.onMessage((text) => sent.push(text))
          say = (frame) => socket.send(JSON.stringify(frame))
          hangUp = () => void socket.close({ code: 1001 })
        }),
    })
    await page.getByLabel('Subscription request').fill(' as typed ')
    await page.getByRole('button', { name: 'Start', exact: true }).click()

    await expect.poll(() => sent).toEqual([BLOCK_FEED, ' as typed '])
    expect(asked).toEqual([`${serviceUrl.replace('http', 'ws')}/?key=${KEY}`])
    say(aSwap())
    await page.locator('.event-row').first().waitFor()
    expect(await page.locator('[data-received]').getAttribute('data-received')).toBe('1')
    hangUp()
    await page.getByText('Websocket closed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await expect.poll(() => asked.length).toBe(2)
    await page.getByRole('link', { name: 'Help', exact: true }).click()
    await page.getByRole('heading', { name: 'Help' }).waitFor()
    expect(page.faults).toEqual([])
  })

  test('After a break Resume stands beside Start, asks from the last cursor on and keeps the rows; Start asks anew', async ({
    expect,
    visit,
  }) => {
    const sent: unknown[] = []
    let say = (_frame: object) => {}
    let hangUp = (_code: number) => {}
    const { page } = await visit('/dashboard/console', {
      account: PAID_ACCOUNT,
      before: (_, page) =>
        page.routeWebSocket(/key=/, (socket) => {
          socket.onMessage((text) => sent.push(text))
          say = (frame) => socket.send(JSON.stringify(frame))
          hangUp = (code) => void socket.close({ code })
        }),
    })
    const panel = page.locator('.request-actions')
    const start = panel.getByRole('button', { name: 'Start', exact: true })
    const resume = panel.getByRole('button', { name: 'Resume from where it stopped', exact: true })
    const received = () => page.locator('[data-received]').getAttribute('data-received')
    const request = ' {"params": {"usdvalue": 1.50}, "method": "swapSubscribe"}\n'
    const resumed = (cursor: string) =>
      ` {"params": {"resume_from":"${cursor}","usdvalue": 1.50}, "method": "swapSubscribe"}\n`
    await page.getByLabel('Subscription request').fill(request)
    await start.click()
    await expect.poll(() => sent).toEqual([BLOCK_FEED, request])
    say({ ...aSwap(), cursor: 'c1' })
    say({ ...aSwap(), cursor: 'c2' })
    await expect.poll(received).toBe('2')
    expect(await resume.count()).toBe(0)

    hangUp(1001)
    await resume.waitFor()
    const [left, right] = [await start.boundingBox(), await resume.boundingBox()]
    expect(left?.y).toBe(right?.y)
    await expectClean(page)
    await start.focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => sent.slice(2)).toEqual([BLOCK_FEED, resumed('c2')])
    expect(await isFocused(panel.getByRole('button', { name: 'Stop', exact: true }))).toBe(true)
    expect(await page.getByLabel('Subscription request').inputValue()).toBe(request)
    say({ ...aSwap(), cursor: 'c3' })
    await expect.poll(received).toBe('3')
    expect(await page.locator('.event-row').count()).toBe(4)

    hangUp(4008)
    await resume.waitFor()
    expect(sent).toHaveLength(4)
    await start.click()
    await expect.poll(() => sent.slice(4)).toEqual([BLOCK_FEED, request])
    say({ ...aSwap(), cursor: 'c9' })
    await expect.poll(received).toBe('4')
    await panel.getByRole('button', { name: 'Stop', exact: true }).click()
    await start.waitFor()
    expect(await resume.count()).toBe(0)
  })

  test('A phone’s bar offers Resume too, and a cursor that is too old is refused in the server’s words', async ({
    expect,
    visit,
  }) => {
    const tooOld = 'What follows this cursor is not held any more.'
    const sent: string[] = []
    let say = (_frame: object) => {}
    let hangUp = () => {}
    const { page } = await visit('/dashboard/console', {
      account: PAID_ACCOUNT,
      width: 390,
      height: 844,
      before: (_, page) =>
        page.routeWebSocket(/key=/, (socket) => {
          socket.onMessage((text) => sent.push(String(text)))
          say = (frame) => socket.send(JSON.stringify(frame))
          hangUp = () => void socket.close({ code: 1001 })
        }),
    })
    const bar = page.locator('.console-bar')
    await bar.getByRole('button', { name: 'Start', exact: true }).click()
    await expect.poll(() => sent.length).toBe(2)
    say({ ...(sent[1]?.includes('newPairSubscribe') ? aPair() : aSwap()), cursor: 'c1' })
    await page.locator('.event-row').first().waitFor()
    hangUp()
    const resume = bar.getByRole('button', { name: 'Resume from where it stopped', exact: true })
    await resume.waitFor()
    for (const button of await bar.getByRole('button').all()) {
      const { x, width } = (await button.boundingBox())!
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(390)
    }
    await expectClean(page)

    await resume.click()
    await expect.poll(() => sent.at(-1)).toContain('"resume_from":"c1"')
    say({ jsonrpc: '2.0', id: null, error: { code: -32014, message: tooOld } })
    await page.locator('.event-row').getByText(tooOld).waitFor()
    hangUp()
    await bar.getByRole('button', { name: 'Start', exact: true }).waitFor()
  })

  test('On one’s own machine the configured address may be another port’s', async ({ expect, visit }) => {
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

  test('Wallet and signature stand in the rows at 1280 by 720', async ({ expect, visit }) => {
    let say = (_frame: object) => {}
    const { page } = await visit('/dashboard/console', {
      account: PAID_ACCOUNT,
      width: 1280,
      height: 720,
      before: (_, page) =>
        page.routeWebSocket(/key=/, (socket) => {
          say = (frame) => socket.send(JSON.stringify(frame))
        }),
    })
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('Streaming', { exact: true }).first().waitFor()
    say(aSwap())
    say(aPair())

    for (const value of [WALLET, SIGNATURE]) {
      const link = page.locator('.event-row').getByRole('link', { name: new RegExp(value.slice(0, 5)) })
      await expect.poll(() => link.first().isVisible()).toBe(true)
    }
  })
})
