import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe } from 'vitest'
import { WebSocketServer } from 'ws'
import { chromePath } from '../browser.ts'
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
