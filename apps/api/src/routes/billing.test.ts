import { DAY_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { signWebhook } from '../adapters/webhook-signature.ts'
import { anArchive } from '../testing/an-archive.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'
import { give, givePortal, OVERVIEW, PORTAL } from '../testing/paddle-double.ts'
import { createPaddleUnderTest, SECRET } from '../testing/paddle-under-test.ts'

describe('POST /api/billing/webhook', () => {
  it('200 gives the paid plan and tells the gateways', async () => {
    const { send, report, plan, sent, accountId } = await createPaddleUnderTest()

    const answer = await send(report('paid', 0))

    expect([answer.statusCode, answer.json()]).toEqual([200, { ok: true }])
    expect(await plan()).toBe('Pro')
    expect(sent).toEqual([{ type: 'planChanged', accountId }])
  })

  it('200 for a repeated delivery, which changes nothing and tells nobody', async () => {
    const { send, report, plan, sent, cancelled } = await createPaddleUnderTest()
    const paid = report('paid', 0)
    await send(paid)
    await send(report('cancel', 5, cancelled))
    sent.length = 0

    const answers = await Promise.all([send(paid), send(paid), send(report('cancel', 5, cancelled))])

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(await plan()).toBe('Pro until')
    expect(sent).toEqual([])
  })

  it('200 for reports in the wrong order; the newest counts', async () => {
    const { send, report, plan, cancelled } = await createPaddleUnderTest()

    await send(report('cancel', 5, cancelled))
    await send(report('change', 3, { items: [{ price: { id: 'pri_1' } }] }))
    await send(report('paid', 0))

    expect(await plan()).toBe('Pro until')
  })

  it('200 for events that are not about a plan, and for unknown accounts', async () => {
    const { send, report, sent } = await createPaddleUnderTest()

    const other = await send(
      JSON.stringify({
        event_id: 'evt',
        event_type: 'address.created',
        occurred_at: '2026-01-01T00:00:00Z',
        data: {},
      }),
    )
    const gone = await send(report('gone', 0, { id: 'sub_gone', custom_data: { userID: 'nobody' } }))

    expect([other.statusCode, gone.statusCode]).toEqual([200, 200])
    expect(sent).toEqual([])
  })

  // Guards plans against strangers who know this address.
  it('403 for a webhook that is forged, replayed later, truncated or not signed', async () => {
    const { app, send, report, plan, clock, sent } = await createPaddleUnderTest()
    const body = report('paid', 0)
    const signature = signWebhook(SECRET, body, clock.now)
    const old = signWebhook(SECRET, body, clock.now - 60_000)

    const answers = [
      await send(body, signWebhook('guessed', body, clock.now)),
      await send(body.replace('pri_3', 'pri_2'), signature),
      await send(body.slice(0, -20), signature),
      await send(body, old),
      await send('', signature),
      await app.inject({ method: 'POST', url: '/api/billing/webhook', payload: body }),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 403))
    expect(answers[0]?.json()).toEqual({
      errorType: 'ERR_FORBIDDEN',
      errorMessage: 'The signature is not valid.',
    })
    expect(await plan()).toBeUndefined()
    expect(sent).toEqual([])
  })

  it('400 for a webhook that is signed but truncated', async () => {
    const { send, report } = await createPaddleUnderTest()

    const answer = await send(report('paid', 0).slice(0, -20))

    expect(answer.statusCode).toBe(400)
    expect(answer.json().errorType).toBe('ERR_VALIDATION')
  })

  it('413 for a webhook that is too large', async () => {
    const { send } = await createPaddleUnderTest()

    expect((await send('x'.repeat(300_000))).statusCode).toBe(413)
  })

  it('404 if plans are not sold', async () => {
    const { post, signIn } = await createApiUnderTest({ billing: undefined, sandbox: undefined })

    expect((await post('/api/billing/webhook', {})).statusCode).toBe(404)
    expect((await post('/api/subscription/checkout', { plan_id: 1 }, await signIn())).statusCode).toBe(404)
  })
})

describe('a price', () => {
  it('that is no longer sold still gives its plan', async () => {
    const { send, report, plan } = await createPaddleUnderTest()

    await send(report('paid', 0, { items: [{ price: { id: 'pri_3_older' } }] }))

    expect(await plan()).toBe('Pro')
  })

  // Guards paid plans against an operator who changes a price only at the provider.
  it('that is no plan here removes no plan, and shows in the log and the metrics until it is known', async () => {
    const { send, report, plan, accounts, accountId, clock, logged, metric } = await createPaddleUnderTest()
    const before = await metric('unknown_price_subscriptions')
    await send(report('paid', 0))
    clock.now += 30 * DAY_MS

    const renewal = report('renewed', 0, { items: [{ price: { id: `pri_new_${accountId}` } }] })
    expect((await send(renewal)).statusCode).toBe(200)
    clock.now += 20 * DAY_MS

    expect(await plan()).toBe('Pro')
    expect(await metric('unknown_price_subscriptions')).toBe(before + 1)
    expect(logged.filter((line) => line.includes(`pri_new_${accountId}`))).toHaveLength(1)

    const changed = await accounts.applyKnownPrices('paddle', (price) =>
      price === `pri_new_${accountId}` ? 1 : undefined,
    )
    expect(changed).toEqual([accountId])
    expect(await plan()).toBe('NewPairs Only')
    expect(await metric('unknown_price_subscriptions')).toBe(before)
  })
})

describe('a refund', () => {
  it('ends the refunded plan', async () => {
    const { send, report, charge, refund, plan } = await createPaddleUnderTest()
    await send(report('paid', 0))
    await send(charge('charge', 1))

    await send(refund('refund', 2))

    expect(await plan()).toBeUndefined()
  })

  it('that is a chargeback gives the plan back once it is reversed, and the gateways are told', async () => {
    const { send, report, charge, refund, plan, sent, accountId } = await createPaddleUnderTest()
    await send(report('paid', 0))
    await send(charge('charged', 1))
    const chargeback = { id: 'adj_1', action: 'chargeback' }
    await send(refund('taken', 2, chargeback))
    expect(await plan()).toBeUndefined()
    sent.length = 0

    await send(refund('reversed', 3, { ...chargeback, status: 'reversed' }))
    await send(refund('reversal', 4, { id: 'adj_2', action: 'chargeback_reverse' }))

    expect(await plan()).toBe('Pro')
    expect(sent).toContainEqual({ type: 'planChanged', accountId })
  })

  it('that refunds another charge than the subscription’s changes nothing', async () => {
    const { send, report, charge, refund, plan } = await createPaddleUnderTest()
    await send(report('paid', 0))
    await send(charge('charge', 1))

    await send(refund('refund', 2, { transaction_id: 'txn_of_a_single_sale' }))

    expect(await plan()).toBe('Pro')
  })
})

describe('a webhook', () => {
  it('that is dated in the future counts from its arrival', async () => {
    const { send, report, plan, clock } = await createPaddleUnderTest()
    await send(report('ahead', 365 * 86_400))
    clock.now += 60_000

    await send(report('ended', 0, { status: 'canceled' }))

    expect(await plan()).toBeUndefined()
  })

  it('that is older than the trial does not change the trial', async () => {
    const { send, report, post, plan, token, accounts, accountId } = await createPaddleUnderTest()
    await post('/api/subscription/starttrial', { plan_id: 1 }, token)

    await send(report('paid', -86_400))
    expect(await plan()).toBe('Pro')
    await send(report('ended', -86_000, { status: 'canceled' }))

    const { activeSubscription } = await accounts.getAccount(accountId)
    expect(activeSubscription).toMatchObject({ planName: 'NewPairs Only', isFreeTrial: true })
  })
})

describe('GET /api/subscription/manage', () => {
  it('opens the portal for a payer with the email of the account, and for nobody else', async () => {
    const { send, report, paddle, call, email } = await createPaddleUnderTest()
    await send(report('paid', 0))
    paddle.answers['POST /customers/ctm_1/portal-sessions'] = givePortal()

    paddle.answers['GET /customers/ctm_1'] = give({ email })
    expect((await call('GET', '/api/subscription/manage')).json()).toEqual({ url: OVERVIEW })
    paddle.answers['GET /customers/ctm_1'] = give({ email: 'victim@example.com' })
    expect((await call('GET', '/api/subscription/manage')).json()).toEqual({ url: PORTAL })
  })
})

describe('DELETE /api/account/delete', () => {
  const PATH = '/api/account/delete'

  async function createRefunded() {
    const under = await createPaddleUnderTest()
    await under.send(under.report('paid', 0))
    await under.send(under.charge('charge', 1))
    expect((await under.call('DELETE', PATH)).json().errorType).toBe('ACTIVE_SUBSCRIPTION')
    await under.send(under.refund('refund', 2))
    expect(under.paddle.asked).toEqual([])
    under.sent.length = 0
    return { ...under, subscription: `/subscriptions/sub_${under.accountId}` }
  }

  it('200 ends a refunded subscription, which still runs at the provider, before the account is deleted', async () => {
    const { paddle, subscription, call, sent, accountId } = await createRefunded()
    paddle.answers[`POST ${subscription}/cancel`] = give({ status: 'canceled' })

    const answer = await call('DELETE', PATH)

    expect(answer.statusCode).toBe(200)
    expect(paddle.asked).toMatchObject([
      { line: `POST ${subscription}/cancel`, body: { effective_from: 'immediately' } },
    ])
    expect(sent).toEqual([{ type: 'accountDeleted', accountId }])
    expect((await call('GET', '/api/account')).statusCode).toBe(401)
  })

  it('400 with a sentence if the provider does not end it: nothing is deleted, and it can be tried again', async () => {
    const { paddle, subscription, call, sent } = await createRefunded()
    paddle.answers[`POST ${subscription}/cancel`] = (response) => response.destroy()

    const answer = await call('DELETE', PATH)

    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      {
        errorType: 'ACTIVE_SUBSCRIPTION',
        errorMessage:
          'The payment provider did not end your subscription and could still charge you, so nothing was deleted. Try again in a minute.',
      },
    ])
    expect(sent).toEqual([])
    expect((await call('GET', '/api/account')).statusCode).toBe(200)

    paddle.answers[`GET ${subscription}`] = give({ status: 'canceled' })
    expect((await call('DELETE', PATH)).statusCode).toBe(200)
  })

  it('200 once the plan is cancelled, whether the provider answers or not', async () => {
    const { send, report, cancelled, call, paddle } = await createPaddleUnderTest()
    await send(report('paid', 0))
    await send(report('cancel', 1, cancelled))

    expect((await call('DELETE', PATH)).statusCode).toBe(200)
    expect(paddle.asked).toEqual([])
  })

  it('records later charges of the deleted account, and shows them in the log and the metrics', async () => {
    const { paddle, subscription, call, send, charge, refund, report, logged, metric } =
      await createRefunded()
    paddle.answers[`POST ${subscription}/cancel`] = give({ status: 'canceled' })
    await call('DELETE', PATH)
    const before = await metric('gone_account_subscriptions')

    expect((await send(report('ended', 3, { status: 'canceled' }))).statusCode).toBe(200)
    expect(await metric('gone_account_subscriptions')).toBe(before)
    const late = charge('late', 4, { id: 'txn_late' })
    expect((await send(late)).statusCode).toBe(200)
    await send(late)

    expect(await metric('gone_account_subscriptions')).toBe(before + 1)
    expect(
      logged.filter((line) => line.startsWith('The provider charges an account that does not exist.')),
    ).toHaveLength(1)
    await send(refund('given-back', 5, { transaction_id: 'txn_late' }))
    expect(await metric('gone_account_subscriptions')).toBe(before)
  })
})

describe('the pages’ policy', () => {
  it('allows Paddle only if Paddle is used', async () => {
    const paddle = await (await createPaddleUnderTest()).app.inject('/status')
    const sandbox = await (await createApiUnderTest()).app.inject('/status')

    expect(paddle.headers['content-security-policy']).toContain("script-src 'self' https://cdn.paddle.com")
    expect(paddle.headers['content-security-policy']).toContain('https://sandbox-buy.paddle.com')
    expect(paddle.headers['permissions-policy']).toContain('payment=("https://sandbox-buy.paddle.com")')
    expect(sandbox.headers['content-security-policy']).not.toContain('paddle')
    expect(sandbox.headers['permissions-policy']).toContain('payment=()')
  })
})

describe('GET /api/config', () => {
  it('says how plans are paid for, and nothing if they are not sold', async () => {
    const paddle = await (await createPaddleUnderTest()).app.inject('/api/config')
    const sandbox = await (await createApiUnderTest()).app.inject('/api/config')
    const none = await (await createApiUnderTest({ billing: undefined, sandbox: undefined })).app.inject(
      '/api/config',
    )

    expect(paddle.json().payment).toEqual({
      provider: 'paddle',
      environment: 'sandbox',
      clientToken: 'token',
      prices: { 1: 'pri_1', 2: 'pri_2', 3: 'pri_3' },
    })
    expect(sandbox.json().payment).toEqual({ provider: 'sandbox' })
    expect(none.json()).not.toHaveProperty('payment')
  })
})

describe('a payment for an order', () => {
  /** A person with an unpaid order of a day. */
  async function createOrderUnderTest() {
    const { archive } = anArchive(Date.now(), 24)
    const under = await createPaddleUnderTest({}, { archive })
    under.paddle.answers['POST /transactions'] = give(
      {
        id: `txn_${under.accountId}`,
        details: { totals: { subtotal: '1000', currency_code: 'USD' } },
      },
      201,
    )
    const { order } = (await under.post('/api/history/orders', { offer: 'day' }, under.token)).json()
    const status = async () => (await under.accounts.findOrder(under.accountId, order.id))?.status
    return { ...under, order, status }
  }

  it('opens the order, and changes no plan', async () => {
    const { send, chargeOrder, status, plan, sent } = await createOrderUnderTest()
    sent.length = 0

    const answers = [await send(chargeOrder('paid')), await send(chargeOrder('paid'))]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect([await status(), await plan(), sent]).toEqual(['paid', undefined, []])
  })

  // Guards orders against claims of a browser: price, quantity and buyer.
  it('for another price, or from a stranger who names the order, gives nothing, logs an error and raises the alarm', async () => {
    const { send, chargeOrder, refundOrder, order, accountId, status, logged, metric } =
      await createOrderUnderTest()
    const before = await metric('gone_account_subscriptions')

    await send(chargeOrder('cheap', { items: [{ quantity: 1, price: { id: 'pri_hour' } }] }))
    await send(
      chargeOrder('forged', { id: 'txn_forged', custom_data: { userID: accountId, orderID: order.id } }),
    )

    expect(await status()).toBe('awaiting_payment')
    expect(logged.filter((line) => line.includes('gives nobody history'))).toHaveLength(2)
    expect(await metric('gone_account_subscriptions')).toBe(before + 2)
    await send(refundOrder('back'))
    await send(refundOrder('back_too', { transaction_id: 'txn_forged' }))
    expect(await metric('gone_account_subscriptions')).toBe(before)
  })

  it('ends the order on a chargeback, and opens it again when that is reversed', async () => {
    const { send, chargeOrder, refundOrder, status, clock, at } = await createOrderUnderTest()
    await send(chargeOrder('paid'))
    const states: unknown[] = []

    for (const data of [{ type: 'partial' }, { action: 'chargeback' }, { action: 'chargeback_reverse' }]) {
      clock.now += 60_000
      const message = JSON.parse(refundOrder(JSON.stringify(data).replaceAll(/\W/g, ''), data))
      await send(JSON.stringify({ ...message, occurred_at: at(0) }))
      states.push(await status())
    }

    expect(states).toEqual(['paid', 'refunded', 'paid'])
  })

  it('is ignored if it was for another product', async () => {
    const { send, chargeOrder, logged, metric } = await createOrderUnderTest()
    const before = await metric('gone_account_subscriptions')

    await send(
      chargeOrder('shirt', {
        id: 'txn_shirt',
        custom_data: null,
        items: [{ quantity: 1, price: { id: 'pri_shirt' } }],
      }),
    )

    expect(logged.join()).not.toContain('history')
    expect(await metric('gone_account_subscriptions')).toBe(before)
  })
})
