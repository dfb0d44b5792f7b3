import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { PaidSubscription } from '@pairwire/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { createPaddleBilling } from './billing-paddle.ts'

const SUBSCRIPTION: PaidSubscription = {
  accountId: 'an-account',
  provider: 'paddle',
  subscriptionId: 'sub_01',
  customerId: 'ctm_01',
  planId: 2,
  startedAt: new Date(0),
  renewsAt: new Date(1),
  endsAt: new Date(2),
  isCancelled: false,
  isPastDue: false,
}

const servers: (() => void)[] = []
afterEach(() => {
  for (const close of servers.splice(0)) close()
})

/** A double of Paddle's API, which remembers what it was asked. */
async function startPaddle(answer: (response: ServerResponse) => void) {
  const asked: { line: string; authorization: string | undefined; body: unknown }[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request)
    asked.push({
      line: `${request.method} ${request.url}`,
      authorization: request.headers.authorization,
      body: body && JSON.parse(body),
    })
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const warned: unknown[] = []
const createBilling = (over: Partial<Parameters<typeof createPaddleBilling>[0]> = {}) =>
  createPaddleBilling({
    apiKey: 'pdl_sdbx_key',
    clientToken: 'test_token',
    webhookSecret: 'secret',
    prices: { 1: 'pri_1', 2: 'pri_2', 3: 'pri_3' },
    production: false,
    clock: Date.now,
    warn: (...words) => void warned.push(words),
    ...over,
  })

const session = (overview: unknown) => (response: ServerResponse) =>
  response
    .writeHead(201, { 'content-type': 'application/json' })
    .end(JSON.stringify({ data: { id: 'cpls_01', urls: { general: { overview }, subscriptions: [] } } }))

describe('Paddle', () => {
  it('is asked for a page on which the payer manages the plan', async () => {
    const { url, asked } = await startPaddle(session('https://customer-portal.paddle.com/cpl_01?token=t'))

    const page = await createBilling({ apiUrl: `${url}/` }).openPortal(SUBSCRIPTION)

    expect(page).toBe('https://customer-portal.paddle.com/cpl_01?token=t')
    expect(asked).toEqual([
      {
        line: 'POST /customers/ctm_01/portal-sessions',
        authorization: 'Bearer pdl_sdbx_key',
        body: { subscription_ids: ['sub_01'] },
      },
    ])
  })

  it.each([
    [
      'refuses',
      (response: ServerResponse) => response.writeHead(403).end('{"error":{"detail":"key pdl_sdbx_key"}}'),
    ],
    [
      'redirects',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    ['answers no JSON', (response: ServerResponse) => response.end('<html>')],
    ['answers another form', session(undefined)],
    ['answers a script', session('javascript:alert(1)')],
    ['hangs up', (response: ServerResponse) => response.destroy()],
    ['never answers', () => {}],
  ])('is told to be away when it %s, without its words or keys in the log', async (what, answer) => {
    const { url } = await startPaddle(answer)
    warned.length = 0

    const page = createBilling({
      apiUrl: url,
      ...(what === 'never answers' ? { timeoutMs: 50 } : {}),
    }).openPortal(SUBSCRIPTION)

    await expect(page).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    expect(warned).toHaveLength(1)
    expect(JSON.stringify(warned)).not.toContain('pdl_sdbx_key')
  })

  it('is not asked about plans of another provider, or of a payer it has not named', async () => {
    const { url, asked } = await startPaddle(session('https://x.example/'))
    const billing = createBilling({ apiUrl: url })

    await expect(billing.openPortal({ ...SUBSCRIPTION, provider: 'sandbox' })).rejects.toMatchObject({
      errorType: 'ERR_UNAVAILABLE',
    })
    await expect(billing.openPortal({ ...SUBSCRIPTION, customerId: null })).rejects.toThrow()
    expect(asked).toEqual([])
  })

  it('is its own sandbox outside production, in the browser too', () => {
    expect(createBilling().settings).toEqual({
      provider: 'paddle',
      environment: 'sandbox',
      clientToken: 'test_token',
      prices: { 1: 'pri_1', 2: 'pri_2', 3: 'pri_3' },
    })
    expect(createBilling({ production: true }).settings).toMatchObject({ environment: 'production' })
    expect(createBilling().sources.frame).toEqual(['https://sandbox-buy.paddle.com'])
    expect(createBilling({ production: true }).sources.frame).toEqual(['https://buy.paddle.com'])
    expect(createBilling().openCheckout).toBeUndefined()
  })
})
