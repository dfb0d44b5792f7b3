import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Account } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import WebSocket from 'ws'
import { chromePath, expectClean, expectCleanInBothThemes, type WatchedPage } from './browser.ts'
import { test } from './browser-test.ts'
import { PADDLE_SETTINGS, sendPaidReport } from './paddle-report.ts'
import { registerAndSignIn, signInNew, startTrial } from './people.ts'
import { type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

const url = inject('serviceUrl')
const streamUrl = inject('streamUrl')
const sandboxService = { url, dataFolder: inject('dataFolder') }

/** The account as the page's own session reads it. */
async function readAccount(page: WatchedPage): Promise<Account> {
  const token = await page.evaluate<string>('localStorage.getItem("token")')
  const answer = await page.request.get(new URL('/api/account', page.url()).href, {
    headers: { authorization: `Bearer ${token}` },
  })
  return answer.json()
}

/** One open stream; `askAll` says whether a subscription to all swaps is allowed, which is where plans differ. */
async function openStream(key: string) {
  const socket = new WebSocket(streamUrl, { headers: { 'x-api-key': key } })
  await once(socket, 'open')
  return {
    close: () => socket.terminate(),
    askAll: () =>
      new Promise<'given' | 'refused'>((resolve) => {
        const id = randomUUID()
        const read = (data: WebSocket.RawData) => {
          const frame = JSON.parse(String(data))
          if (frame.id !== id) return
          socket.off('message', read)
          resolve(frame.error ? 'refused' : 'given')
        }
        socket.on('message', read)
        socket.send(JSON.stringify({ id, method: 'swapSubscribe', params: {} }))
      }),
  }
}

/** Whether the page offers the two things that exclude each other. */
async function actions(page: WatchedPage) {
  return {
    manage: await page.getByRole('button', { name: 'Manage Plan' }).count(),
    upgrade: await page.getByRole('link', { name: /^(Subscribe|Upgrade)$/ }).count(),
  }
}

describe.skipIf(!chromePath)('paying for a plan', { timeout: STORY_MS }, () => {
  test('shows every page of the sandbox under its band, accessible in both themes and without scrolling sideways', async ({
    open,
  }) => {
    const page = await open()
    const look = async () => {
      await page.getByText('Test mode. No card is charged.').waitFor()
      // Text is there before its sheets are, without which fields are as wide as their letters.
      await page.waitForLoadState('load')
      await expectCleanInBothThemes(page)
      for (const width of [320, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        for (const text of ['200%', '100%']) {
          await page.evaluate(`document.documentElement.style.fontSize = '${text}'`)
          const across = await page.evaluate('document.scrollingElement.scrollWidth')
          expect(across, `${text} ${page.url()}`).toBe(width)
        }
      }
    }
    // The page after a payment redirects by itself, by its script.
    await page.route('**/sandbox.js', (route) =>
      route.request().frame().url().includes('outcome=pay') ? route.abort() : route.continue(),
    )
    await signInNew(page, sandboxService)
    await startTrial(page, url, 'Pro')
    await page.goto(`${url}/dashboard/upgrade`)
    await page.getByRole('button', { name: 'Choose Pro' }).click()
    await page.getByRole('heading', { name: 'Pay by card' }).waitFor()
    const checkout = page.url()
    await look()
    for (const [button, words] of [
      ['Decline', 'The test card was declined.'],
      ['Network error', 'The connection failed before the payment was made.'],
      ['Needs 3-D Secure', 'Confirm with your bank'],
      ['Approve', 'Pro is yours.'],
    ] as const) {
      await page.getByRole('button', { name: button }).click()
      await page.getByText(words).waitFor()
      await look()
    }
    await page.goto(checkout)
    await page.getByRole('heading', { name: 'Already paid' }).waitFor()
    await look()

    await page.goto(`${url}/dashboard/account`)
    await page.getByRole('button', { name: 'Manage Plan' }).click()
    await page.getByRole('heading', { name: 'Manage plan' }).waitFor()
    await look()
    await page.getByRole('button', { name: 'Cancel plan' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).waitFor()
    await look()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel plan' }).click()
    await page.getByRole('button', { name: 'Keep plan' }).waitFor()
    await look()
  })

  test('goes from the trial through the checkout to Manage Plan and a cancelled plan, and page, API and stream agree', async ({
    open,
  }) => {
    const page = await open()
    await registerAndSignIn(page, url)
    await startTrial(page, url, 'Pro')
    const { user } = await readAccount(page)
    const stream = await openStream(user.APIKey)
    await page.getByText('Free Trial', { exact: true }).waitFor()
    expect(await actions(page)).toEqual({ manage: 0, upgrade: 1 })
    expect(await stream.askAll()).toBe('given')

    await page.getByRole('link', { name: 'Subscribe' }).click()
    await page.getByRole('button', { name: 'Choose Basic' }).click()
    await page.getByText('Test mode. No card is charged.').waitFor()
    await expectClean(page)
    await page.getByRole('button', { name: 'Pay $79.00' }).click()
    await page.getByRole('heading', { name: 'Paid' }).waitFor()
    await page.waitForURL('**/dashboard/account?s=subscription')

    await page
      .getByText(
        'Subscription updated successfully. It may take a moment to change... please refresh the page.',
      )
      .waitFor()
    await page.getByText('Active', { exact: true }).waitFor()
    await page.getByText('Renews').waitFor()
    expect(await actions(page)).toEqual({ manage: 1, upgrade: 0 })
    expect((await readAccount(page)).activeSubscription).toMatchObject({
      planName: 'Basic',
      isFreeTrial: false,
      willCancel: '',
    })
    // The connection that was open before asks again: its plan has changed.
    await expect.poll(() => stream.askAll(), { timeout: 1_000 }).toBe('refused')

    await page.goto(`${url}/dashboard/upgrade`)
    await page
      .getByText('You already have a paid subscription. Cancel it before you choose another plan.')
      .waitFor()
    expect(await page.getByRole('button', { name: /^Choose / }).count()).toBe(0)

    await page.getByRole('button', { name: 'Manage Plan' }).click()
    await page.getByRole('heading', { name: 'Manage plan' }).waitFor()
    await expectClean(page)
    await page.getByRole('button', { name: 'Cancel plan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/You keep Basic until \d+ \w+ \d{4}/).waitFor()
    // Colours that are still fading in do not count.
    await dialog.evaluate(async (element) => {
      for (const fade of element.getAnimations()) await fade.finished
    })
    await expectClean(page)
    await dialog.getByRole('button', { name: 'Cancel plan' }).click()
    await page.getByRole('button', { name: 'Keep plan' }).waitFor()
    await page.getByRole('link', { name: 'Back to Pairwire' }).click()

    await page.getByText('Cancelled', { exact: true }).waitFor()
    await page.getByText('Expires').waitFor()
    const { willCancel, renewalDate } = (await readAccount(page)).activeSubscription!
    expect([Date.parse(willCancel) > Date.now(), renewalDate]).toEqual([true, ''])
    expect(await stream.askAll()).toBe('refused')
    stream.close()
  })

  test('can be declined, confirmed with the bank and interrupted, and still succeed later', async ({
    open,
  }) => {
    const page = await open({ width: 390, height: 844, theme: 'dark' })
    await signInNew(page, sandboxService)
    await startTrial(page, url, 'Basic')
    await page.goto(`${url}/dashboard/upgrade`)
    await page.getByRole('button', { name: 'Choose Pro' }).click()

    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('The test card was declined.').waitFor()
    expect(await page.evaluate('document.activeElement.innerText')).toContain('declined')
    await page.getByRole('button', { name: 'Network error' }).click()
    await page.getByText('The connection failed before the payment was made.').waitFor()
    await expectClean(page)
    expect((await readAccount(page)).paidSubscription).toBeUndefined()

    await page.getByRole('button', { name: 'Needs 3-D Secure' }).click()
    await page.getByRole('heading', { name: 'Confirm with your bank' }).waitFor()
    await expectClean(page)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL('**/dashboard/account?s=subscription')
    expect((await readAccount(page)).paidSubscription?.planName).toBe('Pro')
    await page.goBack()
    await page.getByText(/Already paid|Paid/).waitFor()
  })
})

/** Paddle's script as the page sees it: records its calls. */
const PADDLE_SCRIPT = `window.told = []
const tell = (call) => (argument) => window.told.push([call, argument])
window.Paddle = {
  Environment: { set: tell('Environment.set') },
  Initialize: tell('Initialize'),
  Checkout: { open: tell('Checkout.open') },
}`

describe.skipIf(!chromePath)('paying by Paddle', { timeout: STORY_MS }, () => {
  let paddle: Server
  let service: Service
  /** The email with which somebody pays at the double of Paddle's API. */
  let payer = ''
  beforeAll(async () => {
    paddle = createServer((request, response) => {
      const overview = `${service.url}/docs?portal=${encodeURIComponent(request.url ?? '')}`
      const data = request.method === 'GET' ? { email: payer } : { urls: { general: { overview } } }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
    }).listen(0, '127.0.0.1')
    await once(paddle, 'listening')
    service = await startService({
      ...PADDLE_SETTINGS,
      PADDLE_API_URL: `http://127.0.0.1:${(paddle.address() as AddressInfo).port}`,
    })
  })
  afterAll(async () => {
    await service?.kill()
    paddle?.close()
  })

  test('opens its checkout with price, user and email, and its webhook gives the plan that its portal manages', async ({
    open,
  }) => {
    const page = await open()
    const scripts: string[] = []
    await page.route('https://cdn.paddle.com/**', (route) => {
      scripts.push(route.request().url())
      return route.fulfill({ contentType: 'text/javascript', body: PADDLE_SCRIPT })
    })
    const { Email: email } = await signInNew(page, service)
    await startTrial(page, service.url, 'NewPairs Only')
    await page.goto(`${service.url}/dashboard/upgrade`)
    await page.getByRole('button', { name: 'Choose Pro' }).waitFor()
    expect(scripts).toEqual([])

    await page.getByRole('button', { name: 'Choose Pro' }).click()
    await expect.poll(() => page.evaluate('window.told?.length')).toBe(3)
    const told = await page.evaluate('window.told')
    const { user } = await readAccount(page)
    expect(scripts).toEqual(['https://cdn.paddle.com/paddle/v2/paddle.js'])
    expect(told).toEqual([
      ['Environment.set', 'sandbox'],
      ['Initialize', { token: 'test_token' }],
      [
        'Checkout.open',
        {
          items: [{ priceId: 'pri_3', quantity: 1 }],
          customData: { userID: user.ID },
          customer: { email },
          settings: { successUrl: `${service.url}/dashboard/account?s=subscription` },
        },
      ],
    ])

    payer = email
    expect(await sendPaidReport(service.url, user.ID)).toBe(200)
    await page.goto(`${service.url}/dashboard/account?s=subscription`)
    await page.getByText('Active', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Manage Plan' }).click()
    await page.waitForURL('**/docs?portal=**')
    expect(new URL(page.url()).searchParams.get('portal')).toBe('/customers/ctm_1/portal-sessions')
    expect(page.faults).toEqual([])
  })

  test('says under the button that the checkout did not open if its script does not load', async ({
    open,
  }) => {
    const page = await open()
    await page.route('https://cdn.paddle.com/**', (route) => route.abort())
    await signInNew(page, service)
    await startTrial(page, service.url, 'NewPairs Only')
    await page.goto(`${service.url}/dashboard/upgrade`)

    await page.getByRole('button', { name: 'Choose Basic' }).click()

    await page.getByText('The checkout did not open. Try again.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Choose Basic' }).isEnabled()).toBe(true)
  })
})
