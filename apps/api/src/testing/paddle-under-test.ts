import { decodeJwt } from 'jose'
import { createPaddleBilling, type PaddleParts } from '../adapters/billing-paddle.ts'
import { signWebhook } from '../adapters/webhook-signature.ts'
import { type ApiUnderTest, createApiUnderTest } from './api-under-test.ts'
import { startPaddle } from './paddle-double.ts'

export const SECRET = 'pdl_ntfset_test'

/** The app with Paddle, a signed-in person, and functions that send webhooks. */
export async function createPaddleUnderTest(
  prices: Partial<PaddleParts['prices']> = {},
  over: Parameters<typeof createApiUnderTest>[0] = {},
) {
  const clock = { now: Date.now() }
  const paddle = await startPaddle()
  const errors: string[] = []
  const billing = createPaddleBilling({
    apiKey: 'key',
    apiUrl: paddle.url,
    clientToken: 'token',
    webhookSecret: SECRET,
    prices: { 1: ['pri_1'], 2: ['pri_2'], 3: ['pri_3', 'pri_3_older'], ...prices },
    orderPrices: { hour: 'pri_hour', day: 'pri_day', week: 'pri_week', month: 'pri_month' },
    production: false,
    clock: () => clock.now,
    warn: () => {},
    error: (sentence, fields) => void errors.push(`${sentence} ${JSON.stringify(fields)}`),
  })
  const under: ApiUnderTest = await createApiUnderTest({
    ...over,
    sandbox: undefined,
    clock: () => clock.now,
    billing,
  })
  const token = await under.signIn()
  const accountId = decodeJwt(token).sub!
  const at = (seconds: number) => new Date(clock.now + seconds * 1_000).toISOString()

  const send = (body: string, signature = signWebhook(SECRET, body, clock.now)) =>
    under.app.inject({
      method: 'POST',
      url: '/api/billing/webhook',
      headers: { 'content-type': 'application/json', 'paddle-signature': signature },
      payload: body,
    })
  /** A report on this person's subscription, `seconds` from now. */
  const report = (id: string, seconds: number, data: object = {}) =>
    JSON.stringify({
      event_id: `evt_${accountId}_${id}`,
      event_type: 'subscription.updated',
      occurred_at: at(seconds),
      data: {
        id: `sub_${accountId}`,
        status: 'active',
        customer_id: 'ctm_1',
        custom_data: { userID: accountId },
        items: [{ price: { id: 'pri_3' } }],
        current_billing_period: { ends_at: at(30 * 86_400) },
        ...data,
      },
    })
  const plan = async () => {
    const { activeSubscription } = await under.accounts.getAccount(accountId)
    return activeSubscription && `${activeSubscription.planName}${activeSubscription.willCancel && ' until'}`
  }
  const cancelled = { scheduled_change: { action: 'cancel', effective_at: at(30 * 86_400) } }
  /** A payment for this person's subscription, or its refund, `seconds` from now. */
  const charge = (id: string, seconds: number, data: object = {}) =>
    JSON.stringify({
      event_id: `evt_${accountId}_${id}`,
      event_type: 'transaction.completed',
      occurred_at: at(seconds),
      data: {
        id: `txn_${accountId}`,
        subscription_id: `sub_${accountId}`,
        custom_data: { userID: accountId },
        billing_period: { ends_at: at(30 * 86_400) },
        details: { totals: { grand_total: '19900', currency_code: 'USD' } },
        ...data,
      },
    })
  const refund = (id: string, seconds: number, data: object = {}) =>
    JSON.stringify({
      event_id: `evt_${accountId}_${id}`,
      event_type: 'adjustment.updated',
      occurred_at: at(seconds),
      data: {
        action: 'refund',
        status: 'approved',
        type: 'full',
        transaction_id: `txn_${accountId}`,
        subscription_id: `sub_${accountId}`,
        ...data,
      },
    })
  /** A payment for this person's order of a day, or its refund, now. */
  const chargeOrder = (id: string, data: object = {}) =>
    charge(id, 0, {
      subscription_id: null,
      billing_period: null,
      items: [{ quantity: 1, price: { id: 'pri_day' } }],
      ...data,
    })
  const refundOrder = (id: string, data: object = {}) => refund(id, 0, { subscription_id: null, ...data })
  const log = () => {}
  /** Dependencies of the operator's verbs. */
  const parts = {
    accounts: under.accounts,
    billing,
    bus: { sendControl: async () => {} },
    clock: () => clock.now,
    elapsed: () => clock.now,
    hasPlaces: true,
    log: { info: log, warn: log, error: log },
    simulated: true,
    sourceKind: 'simulator',
  } as const
  const call = (method: 'GET' | 'DELETE', url: string) =>
    under.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } })
  const metric = async (name: string) =>
    Number(
      new RegExp(`^pairwire_billing_${name} (\\d+)$`, 'm').exec(
        (await under.app.inject('/metrics')).body,
      )?.[1],
    )
  return {
    ...under,
    paddle,
    errors,
    token,
    accountId,
    clock,
    at,
    send,
    report,
    charge,
    refund,
    chargeOrder,
    refundOrder,
    parts,
    call,
    metric,
    plan,
    cancelled,
  }
}
