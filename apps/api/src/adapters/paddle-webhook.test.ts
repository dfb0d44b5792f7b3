import { type AdjustmentUpdatedEvent, Paddle, type TransactionCompletedEvent } from '@paddle/paddle-node-sdk'
import type { BillingReport, Sums } from '@pairwire/accounts'
import { describe, expect, it } from 'vitest'
import { type PaddleWebhookParts, readPaddleWebhook, withoutSecrets } from './paddle-webhook.ts'
import { signWebhook } from './webhook-signature.ts'

const NOW = Date.UTC(2026, 2, 1, 12)
const warned: string[] = []
const PARTS: PaddleWebhookParts = {
  provider: 'paddle',
  secret: 'secret',
  clock: () => NOW,
  planOf: (price) => (price === 'pri_basic' ? 2 : undefined),
  isHistoryPrice: (price) => price === 'pri_day',
  warn: (sentence) => void warned.push(sentence),
}

/** Reads a signed webhook of this content. */
function read(message: object | string) {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
  return readPaddleWebhook(PARTS, body, signWebhook('secret', body, NOW))
}

/** A subscription as Paddle sends it, with members that we ignore. */
const aSubscription = (over: object = {}, type = 'subscription.updated') => ({
  event_id: 'evt_01',
  event_type: type,
  occurred_at: '2026-03-01T11:59:58.318382Z',
  notification_id: 'ntf_01',
  data: {
    id: 'sub_01',
    status: 'active',
    customer_id: 'ctm_01',
    address_id: 'add_01',
    custom_data: { userID: 'a-user', campaign: 7 },
    items: [{ status: 'active', quantity: 1, price: { id: 'pri_basic', name: 'Basic' } }],
    current_billing_period: { starts_at: '2026-03-01T11:59:00Z', ends_at: '2026-04-01T11:59:00Z' },
    scheduled_change: null,
    management_urls: { cancel: 'https://buyer.example/secret' },
    ...over,
  },
})
const aTransaction = (over: object = {}) => ({
  event_id: 'evt_02',
  event_type: 'transaction.completed',
  occurred_at: '2026-03-01T11:59:59Z',
  data: {
    id: 'txn_01',
    status: 'completed',
    subscription_id: 'sub_01',
    customer_id: 'ctm_01',
    custom_data: { userID: 'a-user' },
    billing_period: { starts_at: '2026-03-01T11:59:00Z', ends_at: '2026-04-01T11:59:00Z' },
    origin: 'subscription_recurring',
    details: {
      ...{ tax_rates_used: [], line_items: [] },
      totals: {
        subtotal: '9900',
        discount: '2000',
        tax: '1501',
        total: '9401',
        grand_total: '9301',
        fee: null,
        currency_code: 'USD',
      },
      payout_totals: { tax: '1500', total: '8900', grand_total: '8800', fee: '450', currency_code: 'EUR' },
    },
    payments: [{ method_details: { card: { last4: '4242' } } }],
    ...over,
  },
})
const anAdjustment = (over: object = {}, type = 'adjustment.updated') => ({
  event_id: 'evt_03',
  event_type: type,
  occurred_at: '2026-03-02T00:00:00Z',
  data: {
    id: 'adj_01',
    action: 'refund',
    status: 'approved',
    type: 'full',
    transaction_id: 'txn_01',
    subscription_id: 'sub_01',
    customer_id: 'ctm_01',
    totals: { subtotal: '7900', tax: '1501', total: '9401', fee: '50', currency_code: 'USD' },
    payout_totals: { tax: '1500', total: '8900', fee: '40', currency_code: 'EUR' },
    ...over,
  },
})

/** The sums of {@link anAdjustment}. */
const GIVEN_BACK = {
  ...{ currency: 'USD', amount: 9_401n, net: 7_900n, tax: 1_501n, fee: 50n },
  payout: { currency: 'EUR', amount: 8_900n, net: 7_400n, tax: 1_500n, fee: 40n },
}

/** Sums as Paddle's library names them, in ours. */
function sumsOf(totals: {
  grandTotal: string
  total: string
  tax: string
  fee: string | null
  currencyCode: string
}): Sums {
  return {
    currency: totals.currencyCode,
    amount: BigInt(totals.grandTotal),
    net: BigInt(totals.total) - BigInt(totals.tax),
    tax: BigInt(totals.tax),
    fee: totals.fee === null ? null : BigInt(totals.fee),
  }
}

function pick({ currency, amount, net, tax, fee }: Sums): Sums {
  return { currency, amount, net, tax, fee }
}

describe('a webhook of Paddle', () => {
  it('reports a running subscription as paid until its period ends', () => {
    expect(read(aSubscription())).toMatchObject({
      provider: 'paddle',
      id: 'evt_01',
      occurredAt: new Date('2026-03-01T11:59:58.318Z'),
      subscriptionId: 'sub_01',
      customerId: 'ctm_01',
      accountId: 'a-user',
      report: { type: 'paid', planId: 2, until: new Date('2026-04-01T11:59:00Z') },
    })
  })

  it.each([
    [{ status: 'trialing' }, { type: 'paid', planId: 2 }],
    [{ status: 'past_due' }, { type: 'payment_failed', planId: 2 }],
    [{ status: 'canceled', items: [] }, { type: 'ended' }],
    [
      { status: 'paused', paused_at: '2026-03-01T00:00:00Z' },
      { type: 'cancelled', until: new Date('2026-03-01T00:00:00Z') },
    ],
    [
      { scheduled_change: { action: 'cancel', effective_at: '2026-04-01T11:59:00Z' } },
      { type: 'cancelled', planId: 2, until: new Date('2026-04-01T11:59:00Z') },
    ],
    [
      { scheduled_change: { action: 'pause', effective_at: '2026-04-01T11:59:00Z' } },
      { type: 'cancelled', planId: 2 },
    ],
    [
      { scheduled_change: { action: 'resume', effective_at: '2026-04-01T11:59:00Z' } },
      { type: 'paid', planId: 2 },
    ],
  ])('reports a subscription with %j as %j', (over, report) => {
    expect(read(aSubscription(over))?.report).toMatchObject(report)
  })

  it('reports a completed payment with its time, origin and sums, the net before tax and after discount', () => {
    expect(read(aTransaction())?.report).toEqual({
      type: 'charged',
      transactionId: 'txn_01',
      from: new Date('2026-03-01T11:59:00Z'),
      until: new Date('2026-04-01T11:59:00Z'),
      origin: 'subscription_recurring',
      ...{ currency: 'USD', amount: 9_301n, net: 7_900n, tax: 1_501n, fee: null },
      payout: { currency: 'EUR', amount: 8_800n, net: 7_400n, tax: 1_500n, fee: 450n },
    })
  })

  // Guards what people paid for: they get it, whatever else a message says.
  it('reports a payment that tells nothing but its sum, or what nobody can read', () => {
    const totals = { grand_total: '7900', currency_code: 'USD' }
    const billing_period = { starts_at: 'soon', ends_at: '2026-04-01T11:59:00Z' }
    const details = { totals, payout_totals: { total: '1e3', currency_code: 'EUR' } }

    expect(read(aTransaction({ origin: 7, billing_period, details }))?.report).toMatchObject({
      from: new Date('2026-03-01T11:59:59Z'),
      origin: null,
      ...{ currency: 'USD', amount: 7_900n, net: 7_900n, tax: 0n, fee: null },
      payout: null,
    })
  })

  it('reports a whole refund that was approved with its sums, a chargeback, and a part as that', () => {
    const given = { transactionId: 'txn_01', adjustmentId: 'adj_01', money: GIVEN_BACK }
    expect(read(anAdjustment())?.report).toEqual({ type: 'refunded', ...given })
    expect(read(anAdjustment({ action: 'chargeback', type: undefined }))?.report.type).toBe('refunded')
    expect(read(anAdjustment({ type: 'partial' }))?.report).toEqual({ type: 'refunded_in_part', ...given })
    expect(read(anAdjustment({ totals: undefined }))?.report).toEqual({
      type: 'refunded',
      ...given,
      money: undefined,
    })
  })

  // Guards what people paid for: the money is ours again.
  it('reports a chargeback that was reversed, but for a part', () => {
    const given = { transactionId: 'txn_01', adjustmentId: 'adj_01', money: GIVEN_BACK }
    const reversals = [{ action: 'chargeback', status: 'reversed' }, { action: 'chargeback_reverse' }]
    for (const reversal of reversals) {
      expect(read(anAdjustment(reversal))).toMatchObject({
        subscriptionId: 'sub_01',
        report: { type: 'restored', ...given },
      })
      expect(read(anAdjustment({ ...reversal, type: 'partial' }))).toBeUndefined()
    }
  })

  it('gives nothing for an event that is not about a plan', () => {
    expect(read({ ...aSubscription(), event_type: 'customer.updated', data: {} })).toBeUndefined()
    expect(read(anAdjustment({ status: 'pending_approval' }))).toBeUndefined()
    expect(read(anAdjustment({ type: 'partial', action: 'credit' }))).toBeUndefined()
    expect(read(anAdjustment({ action: 'credit' }))).toBeUndefined()
  })

  // Guards against a plan that nobody pays for any more.
  it('ignores items that are neither active nor on trial, except in a paused subscription', () => {
    const items = [
      { status: 'inactive', price: { id: 'pri_basic' } },
      { status: 'active', price: { id: 'pri_other' } },
    ]

    expect(read(aSubscription({ items }))).toMatchObject({
      priceIds: ['pri_other'],
      report: { type: 'paid', planId: null },
    })
    expect(read(aSubscription({ items: items.slice(0, 1), status: 'paused' }))?.report).toMatchObject({
      planId: 2,
    })
  })

  it('reports a price that is no plan here by its id, and no plan', () => {
    const items = [{ price: { id: 'pri_addon' } }, { price: { id: 'pri_other' } }]

    expect(read(aSubscription({ items }))).toMatchObject({
      priceIds: ['pri_addon', 'pri_other'],
      report: { type: 'paid', planId: null, until: new Date('2026-04-01T11:59:00Z') },
    })
    expect(read(aSubscription({ items, status: 'past_due' }))?.report).toEqual({
      type: 'payment_failed',
      planId: null,
    })
    expect(read(aSubscription({ items: [...items, { price: { id: 'pri_basic' } }] }))?.report).toMatchObject({
      planId: 2,
    })
  })

  it('ignores a subscription without a period, and warns', () => {
    warned.length = 0

    expect(read(aSubscription({ current_billing_period: null }))).toBeUndefined()

    expect(warned).toHaveLength(1)
  })

  it('ignores a user id that is not a string, whatever a stranger put there', () => {
    for (const custom_data of [null, undefined, 'x', [], { userID: 7 }, { userID: 'x'.repeat(101) }]) {
      expect(read(aSubscription({ custom_data }))).toMatchObject({ accountId: undefined })
    }
  })

  it('checks the signature before anything else', () => {
    const body = Buffer.from('{ not even JSON')

    expect(() => readPaddleWebhook(PARTS, body, 'ts=1;h1=00')).toThrow(
      expect.objectContaining({ errorType: 'ERR_FORBIDDEN' }),
    )
  })

  it('is refused if it is signed but of another form', () => {
    for (const message of [
      '',
      '{"event_id":"evt_01"',
      'null',
      '[]',
      { ...aSubscription(), event_id: undefined },
      { ...aSubscription(), occurred_at: 'yesterday' },
      { ...aSubscription(), data: null },
      aSubscription({ status: 'unheard of' }),
      aSubscription({ id: 7 }),
      aSubscription({ id: 'sub_\0' }),
      aSubscription({ id: 'sub_\ud800' }),
      aSubscription({ customer_id: 'ctm 01' }),
      aSubscription({ items: 'none' }),
      aTransaction({ details: {} }),
      aTransaction({ details: { totals: { grand_total: '-1', currency_code: 'USD' } } }),
      anAdjustment({ transaction_id: undefined }),
    ]) {
      expect(() => read(message)).toThrow(expect.objectContaining({ errorType: 'ERR_VALIDATION' }))
    }
  })

  it('is stored without characters that a database cannot hold', () => {
    const message = aSubscription({ custom_data: { userID: 'a-user', note: 'a\0b', 'half\ud800': '\udc00' } })

    expect(read(message)?.raw).toMatchObject({
      data: { custom_data: { userID: 'a-user', note: 'ab', 'half\ufffd': '\ufffd' } },
    })
  })

  it('is stored without links that open a page and without personal data', () => {
    const kept = JSON.stringify([read(aSubscription())?.raw, read(aTransaction())?.raw])

    expect(kept).toContain('sub_01')
    for (const secret of ['buyer.example', '4242', 'management_urls', 'address_id']) {
      expect(kept).not.toContain(secret)
    }
    expect(
      withoutSecrets({ subscription_id: 1, client_token: 2, email: 3, list: [{ last_name: 4 }] }),
    ).toEqual({
      subscription_id: 1,
      list: [{}],
    })
  })
})

/** Messages as Paddle's own library types them: the compiler fails when a member that we read is called otherwise. */
describe('a webhook of Paddle as its library reads it', () => {
  const inLibrary = async (message: object) => {
    const body = JSON.stringify(message)
    return new Paddle('a-key').webhooks.unmarshal(body, 'secret', signWebhook('secret', body, Date.now()))
  }

  it('has its sums, period and origin where we look for them', async () => {
    const charged = read(aTransaction())!.report as BillingReport & { type: 'charged' }
    const { data } = (await inLibrary(aTransaction({ items: [] }))) as TransactionCompletedEvent

    expect({ origin: data.origin, from: data.billingPeriod?.startsAt }).toEqual({
      origin: charged.origin,
      from: '2026-03-01T11:59:00Z',
    })
    expect(sumsOf(data.details!.totals!)).toEqual(pick(charged))
    expect(sumsOf(data.details!.payoutTotals!)).toEqual(charged.payout)
  })

  it('has the sums of a refund where we look for them', async () => {
    const { data } = (await inLibrary(anAdjustment({ items: [] }))) as AdjustmentUpdatedEvent

    expect(data.id).toBe('adj_01')
    const { totals, payoutTotals } = data
    expect(sumsOf({ ...totals, grandTotal: totals.total })).toEqual(pick(GIVEN_BACK))
    expect(sumsOf({ ...payoutTotals!, grandTotal: payoutTotals!.total })).toEqual(GIVEN_BACK.payout)
  })
})

describe('a webhook of Paddle on a single payment', () => {
  const single = { subscription_id: null, billing_period: null }
  const items = [{ quantity: 1, price: { id: 'pri_day' } }]

  it('reports what was bought, and trusts no claim about its owner', () => {
    const custom_data = { userID: 'a-stranger', orderID: 482_913_377 }

    expect(read(aTransaction({ ...single, items, custom_data }))).toMatchObject({
      provider: 'paddle',
      id: 'evt_02',
      transactionId: 'txn_01',
      isForHistory: true,
      report: { type: 'charged', amount: 9_301n, currency: 'USD', tax: 1_501n, priceId: 'pri_day' },
    })
    expect(read(aTransaction({ ...single, items }))).not.toHaveProperty('accountId')
  })

  it('names no price if it is for more than one piece of one', () => {
    const others = [
      [],
      undefined,
      'x',
      [{ quantity: 2, price: { id: 'pri_day' } }],
      [...items, ...items],
      [{ quantity: 1 }],
    ]
    for (const items of others) {
      expect(read(aTransaction({ ...single, items }))).toMatchObject({ report: { priceId: null } })
    }
  })

  it('is for history by its price, or by the claim of its checkout', () => {
    const isForHistory = (data: object) => {
      const event = read(aTransaction({ ...single, ...data }))
      return event && 'isForHistory' in event && event.isForHistory
    }

    expect(isForHistory({ items, custom_data: null })).toBe(true)
    expect(isForHistory({ items: [], custom_data: { orderID: 'x' } })).toBe(true)
    expect(isForHistory({ items: [{ quantity: 1, price: { id: 'pri_shirt' } }] })).toBe(false)
  })

  it('reports refunds, chargebacks and their reversal, parts as such, and nothing undecided', () => {
    const said = (over: object) => {
      const event = read(anAdjustment({ subscription_id: null, ...over }))
      return event?.report.type
    }

    expect(said({})).toBe('refunded')
    expect(said({ action: 'chargeback' })).toBe('charged_back')
    expect(said({ action: 'chargeback', status: 'reversed' })).toBe('restored')
    expect(said({ action: 'chargeback_reverse' })).toBe('restored')
    expect(said({ type: 'partial' })).toBe('refunded_in_part')
    for (const nothing of [
      { type: 'partial', action: 'chargeback_reverse' },
      { status: 'pending_approval' },
      { status: 'rejected' },
      { action: 'credit' },
      { action: 'chargeback_warning' },
    ]) {
      expect(said(nothing)).toBeUndefined()
    }
  })

  it('never takes an adjustment of a subscription for one of an order, nor the other way round', () => {
    expect(read(anAdjustment())).toMatchObject({ subscriptionId: 'sub_01' })
    expect(read(anAdjustment({ subscription_id: null }))).not.toHaveProperty('subscriptionId')
    expect(read(aTransaction({ ...single, items }))).not.toHaveProperty('subscriptionId')
  })
})
