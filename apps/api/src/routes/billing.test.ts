import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { createPaddleBilling } from '../adapters/billing-paddle.ts'
import { signWebhook } from '../adapters/webhook-signature.ts'
import { type ApiUnderTest, createApiUnderTest } from '../testing/api-under-test.ts'

const SECRET = 'pdl_ntfset_test'

/** The app with Paddle, a signed-in person, and what sends webhooks. */
async function createPaddleUnderTest() {
  const clock = { now: Date.now() }
  const under: ApiUnderTest = await createApiUnderTest({
    sandbox: undefined,
    clock: () => clock.now,
    billing: createPaddleBilling({
      apiKey: 'key',
      clientToken: 'token',
      webhookSecret: SECRET,
      prices: { 1: 'pri_1', 2: 'pri_2', 3: 'pri_3' },
      production: false,
      clock: () => clock.now,
      warn: () => {},
    }),
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
  /** A report of this person's subscription, `seconds` from now. */
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
  return { ...under, token, accountId, clock, send, report, plan, cancelled }
}

describe('POST /api/billing/webhook', () => {
  it('200 gives the plan that was paid for and tells the gateways', async () => {
    const { send, report, plan, sent, accountId } = await createPaddleUnderTest()

    const answer = await send(report('paid', 0))

    expect([answer.statusCode, answer.json()]).toEqual([200, { ok: true }])
    expect(await plan()).toBe('Pro')
    expect(sent).toEqual([{ type: 'planChanged', accountId }])
  })

  it('200 for a delivery of what was applied, which changes and tells nothing', async () => {
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

  it('200 for reports in the wrong order, of which the newest counts', async () => {
    const { send, report, plan, cancelled } = await createPaddleUnderTest()

    await send(report('cancel', 5, cancelled))
    await send(report('change', 3, { items: [{ price: { id: 'pri_1' } }] }))
    await send(report('paid', 0))

    expect(await plan()).toBe('Pro until')
  })

  it('200 for what says nothing about a plan, and for accounts that there are not', async () => {
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

  // Guards plans against whoever knows this address.
  it('403 for a webhook that is forged, replayed later, cut off or not signed', async () => {
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

  it('400 for a webhook that is signed and cut off', async () => {
    const { send, report } = await createPaddleUnderTest()

    const answer = await send(report('paid', 0).slice(0, -20))

    expect(answer.statusCode).toBe(400)
    expect(answer.json().errorType).toBe('ERR_VALIDATION')
  })

  it('413 for a webhook that is too large to be one', async () => {
    const { send } = await createPaddleUnderTest()

    expect((await send('x'.repeat(300_000))).statusCode).toBe(413)
  })

  it('404 where plans are not sold', async () => {
    const { post, signIn } = await createApiUnderTest({ billing: undefined, sandbox: undefined })

    expect((await post('/api/billing/webhook', {})).statusCode).toBe(404)
    expect((await post('/api/subscription/checkout', { plan_id: 1 }, await signIn())).statusCode).toBe(404)
  })
})

describe('the pages’ policy', () => {
  it('allows Paddle where Paddle is used, and only there', async () => {
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
  it('says how plans are paid for, and nothing where they are not', async () => {
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
