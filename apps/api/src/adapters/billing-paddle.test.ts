import type { HistoryOrder, PaidSubscription } from '@pairwire/accounts'
import { describe, expect, it } from 'vitest'
import {
  give,
  givePortal,
  OVERVIEW,
  PADDLE_FAILURES,
  PORTAL,
  refuse,
  startPaddle,
} from '../testing/paddle-double.ts'
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

const warned: unknown[] = []
const failed: unknown[] = []
const createBilling = (over: Partial<Parameters<typeof createPaddleBilling>[0]> = {}) =>
  createPaddleBilling({
    apiKey: 'pdl_sdbx_key',
    clientToken: 'test_token',
    webhookSecret: 'secret',
    prices: { 1: ['pri_1'], 2: ['pri_2', 'pri_2_older'], 3: ['pri_3'] },
    orderPrices: { hour: 'pri_hour', day: 'pri_day', week: 'pri_week', month: 'pri_month' },
    production: false,
    clock: Date.now,
    warn: (...words) => void warned.push(words),
    error: (...words) => void failed.push(words),
    ...over,
  })

const EMAIL = 'mara@example.com'

const PAYER = 'GET /customers/ctm_01'
const SESSION = 'POST /customers/ctm_01/portal-sessions'
const payer = (email: string) => give({ id: 'ctm_01', email })

describe('the portal of Paddle', () => {
  it('is opened for a payer with the email of the account', async () => {
    const { url, asked } = await startPaddle({ [PAYER]: payer('Mara@Example.com'), [SESSION]: givePortal() })

    const page = await createBilling({ apiUrl: `${url}/` }).openPortal(SUBSCRIPTION, EMAIL)

    expect(page).toBe(OVERVIEW)
    const authorization = 'Bearer pdl_sdbx_key'
    expect([...asked].sort((left, right) => (left.line < right.line ? -1 : 1))).toEqual([
      { line: PAYER, authorization, body: '' },
      { line: SESSION, authorization, body: { subscription_ids: ['sub_01'] } },
    ])
  })

  // Guards the portal of the person whose email a buyer typed: Paddle assigns the purchase to that customer.
  it('sends a payer with another email to sign in by mail', async () => {
    const { url } = await startPaddle({ [PAYER]: payer('victim@example.com'), [SESSION]: givePortal() })
    warned.length = 0

    const page = await createBilling({ apiUrl: url }).openPortal(SUBSCRIPTION, EMAIL)

    expect(page).toBe(PORTAL)
    expect(JSON.stringify(warned)).toContain('sub_01')
    expect(JSON.stringify(warned)).not.toMatch(/mara|victim|pga_secret/)
  })

  it('stays closed while the payer is unknown', async () => {
    for (const [, unreadable] of PADDLE_FAILURES.slice(0, 5)) {
      const { url } = await startPaddle({ [PAYER]: unreadable, [SESSION]: givePortal() })

      expect(await createBilling({ apiUrl: url }).openPortal(SUBSCRIPTION, EMAIL)).toBe(PORTAL)
    }
  })

  it('stays closed to a payer with another email if it has no page to sign in on', async () => {
    for (const overview of [
      'https://portal.example/pga_secret/overview',
      'https://portal.example/cpl_01/pga_secret?token=x',
      `${PORTAL}?action=overview`,
    ]) {
      const { url } = await startPaddle({
        [PAYER]: payer('other@example.com'),
        [SESSION]: givePortal(overview),
      })

      const page = createBilling({ apiUrl: url }).openPortal(SUBSCRIPTION, EMAIL)

      await expect(page).rejects.toMatchObject({ errorType: 'ERR_FORBIDDEN' })
    }
  })

  it.each([...PADDLE_FAILURES, ['answers a script', givePortal('javascript:alert(1)')] as const])(
    'is unavailable when Paddle %s, without its messages or keys in the log',
    async (what, answer) => {
      const { url } = await startPaddle({ [PAYER]: payer(EMAIL), [SESSION]: answer })
      warned.length = 0

      const page = createBilling({
        apiUrl: url,
        ...(what === 'never answers' ? { timeoutMs: 50 } : {}),
      }).openPortal(SUBSCRIPTION, EMAIL)

      await expect(page).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
      expect(warned).toHaveLength(1)
      expect(JSON.stringify(warned)).not.toContain('pdl_sdbx_key')
    },
  )

  it('is not called for plans of another provider, or of an unknown payer', async () => {
    const { url, asked } = await startPaddle({})
    const billing = createBilling({ apiUrl: url })

    for (const over of [{ provider: 'sandbox' }, { customerId: null }]) {
      const page = billing.openPortal({ ...SUBSCRIPTION, ...over }, EMAIL)
      await expect(page).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    }
    expect(asked).toEqual([])
  })
})

describe('a subscription at Paddle', () => {
  const CANCEL = 'POST /subscriptions/sub_01/cancel'
  const FOUND = 'GET /subscriptions/sub_01'
  const NAME = { provider: 'paddle', subscriptionId: 'sub_01' }

  it('is ended at once', async () => {
    const { url, asked } = await startPaddle({ [CANCEL]: give({ status: 'canceled' }) })

    await createBilling({ apiUrl: url }).endSubscription(NAME)

    expect(asked).toMatchObject([{ line: CANCEL, body: { effective_from: 'immediately' } }])
  })

  it('counts as ended if Paddle refuses because it has already ended', async () => {
    const { url } = await startPaddle({
      [CANCEL]: refuse(400, 'subscription_is_canceled_action_invalid'),
      [FOUND]: give({ status: 'canceled' }),
    })

    await expect(createBilling({ apiUrl: url }).endSubscription(NAME)).resolves.toBeUndefined()
  })

  it.each(PADDLE_FAILURES)('does not count as ended when Paddle %s', async (what, answer) => {
    const { url } = await startPaddle({ [CANCEL]: answer, [FOUND]: give({ status: 'active' }) })
    warned.length = 0

    const ending = createBilling({
      apiUrl: url,
      ...(what === 'never answers' ? { timeoutMs: 50 } : {}),
    }).endSubscription(NAME)

    await expect(ending).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    expect(JSON.stringify(warned)).toContain('sub_01')
    expect(JSON.stringify(warned)).not.toContain('pdl_sdbx_key')
  })

  it('does not count as ended while its end is only scheduled', async () => {
    const { url } = await startPaddle({
      [CANCEL]: give({ status: 'active', scheduled_change: { action: 'cancel' } }),
    })

    const ending = createBilling({ apiUrl: url }).endSubscription(NAME)

    await expect(ending).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
  })

  it('of another provider is not ended at Paddle', async () => {
    const { url, asked } = await startPaddle({})

    const ending = createBilling({ apiUrl: url }).endSubscription({ ...NAME, provider: 'other' })

    await expect(ending).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    expect(asked).toEqual([])
  })
})

describe('Paddle', () => {
  it('sells a plan at its first price, and recognises it by older prices too', () => {
    const { settings, planOf } = createBilling()

    expect(settings).toMatchObject({ prices: { 1: 'pri_1', 2: 'pri_2', 3: 'pri_3' } })
    expect(['pri_1', 'pri_2', 'pri_2_older', 'pri_3', 'pri_4'].map(planOf)).toEqual([1, 2, 2, 3, undefined])
  })

  it('uses Paddle’s sandbox outside production, in the browser too', () => {
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

describe('an order at Paddle', () => {
  const ORDER: HistoryOrder = {
    ...{ id: 482_913_377, accountId: 'an-account', source: 'chain', offer: 'day', usd: 10 },
    ...{ from: new Date(0), to: new Date(86_400_000), state: 'awaiting_payment', status: 'awaiting_payment' },
    ...{ provider: 'paddle', transactionId: 'txn_01', createdAt: new Date(0), paidAt: null, expiresAt: null },
    ...{ readyAt: null, downloadedHours: 0, downloadToken: null },
  }
  const MAKE = 'POST /transactions'
  const totals = (subtotal: string, currency_code = 'USD') =>
    give({ id: 'txn_01', details: { totals: { subtotal, total: '1190', currency_code } } }, 201)

  // Guards prices: what the browser claims to pay for is never read.
  it('has its payment created here: one piece of the price for its length', async () => {
    const { url, asked } = await startPaddle({ [MAKE]: totals('1000') })
    const { orders } = createBilling({ apiUrl: url })

    const made = await orders!.createTransaction(ORDER)

    expect(made).toEqual({ provider: 'paddle', transactionId: 'txn_01', priceId: 'pri_day' })
    expect(await orders!.openCheckout(ORDER, 'txn_01')).toEqual({
      provider: 'paddle',
      transactionId: 'txn_01',
    })
    expect(asked).toEqual([
      {
        line: MAKE,
        authorization: 'Bearer pdl_sdbx_key',
        body: {
          items: [{ price_id: 'pri_day', quantity: 1 }],
          currency_code: 'USD',
          custom_data: { userID: 'an-account', orderID: 482_913_377 },
        },
      },
    ])
  })

  it('is not sold at a Paddle price that is not ours, and the log names both', async () => {
    for (const answer of [totals('900'), totals('1000', 'EUR')]) {
      failed.length = 0
      const { url } = await startPaddle({ [MAKE]: answer })

      const made = createBilling({ apiUrl: url }).orders!.createTransaction(ORDER)

      await expect(made).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
      expect(JSON.stringify(failed)).toMatch(/PADDLE_PRICE_DAY.*(900 USD|1000 EUR) cents.*1000 USD cents/)
    }
  })

  it('is unavailable if history has no prices', () => {
    expect(createBilling({ orderPrices: undefined }).orders).toBeUndefined()
  })

  it.each(PADDLE_FAILURES)('is unavailable, paid or refunded, while Paddle %s', async (_, answer) => {
    const { url } = await startPaddle({ [MAKE]: answer, 'POST /adjustments': answer })
    const billing = createBilling({ apiUrl: url, timeoutMs: 200 })

    await expect(billing.orders!.createTransaction(ORDER)).rejects.toMatchObject({
      errorType: 'ERR_UNAVAILABLE',
    })
    await expect(billing.refundOrder(ORDER)).rejects.toMatchObject({
      errorType: 'ERR_UNAVAILABLE',
      message: expect.stringMatching(/^Paddle did not take the refund of order 482913377: /),
    })
  })

  it('is refunded in full once Paddle has approved it, and not before', async () => {
    const { url, asked } = await startPaddle({
      'POST /adjustments': give({ status: 'pending_approval' }, 201),
    })

    expect(await createBilling({ apiUrl: url }).refundOrder(ORDER)).toEqual([])

    expect(asked[0]!.body).toEqual({
      action: 'refund',
      type: 'full',
      transaction_id: 'txn_01',
      reason: 'order 482913377',
    })
  })

  it('shows Paddle’s name for the reason when a refund is refused', async () => {
    const { url } = await startPaddle({
      'POST /adjustments': refuse(400, 'adjustment_total_amount_above_remaining'),
    })

    await expect(createBilling({ apiUrl: url }).refundOrder(ORDER)).rejects.toThrow(
      'Paddle did not take the refund of order 482913377: adjustment_total_amount_above_remaining.',
    )
  })
})
