import { PLANS } from '@pairwire/contract'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { createApiUnderTest } from '../testing/api-under-test.ts'

const PATH = '/api/subscription/starttrial'

describe('POST /api/subscription/starttrial', () => {
  it('200 starts a trial of five days and tells the gateways', async () => {
    const { signIn, post, sent, clock } = await createApiUnderTest()
    const token = await signIn()

    const answer = await post(PATH, { plan_id: 3 }, token)

    expect(answer.statusCode).toBe(200)
    const { activeSubscription, hasHadFreeTrial } = answer.json()
    expect(hasHadFreeTrial).toBe(true)
    expect(activeSubscription).toMatchObject({ planName: 'Pro', isFreeTrial: true, connectionLimit: 1 })
    const endsAt = Date.parse(activeSubscription.willCancel || activeSubscription.renewalDate)
    expect(endsAt - clock.now).toBe(5 * 24 * 60 * 60_000)
    expect(sent).toEqual([{ type: 'planChanged', accountId: decodeJwt(token).sub }])
  })

  it.each([[{ plan_id: 4 }], [{ plan_id: '3' }], [{ plan_id: null }], [{}]])('400 for %j', async (body) => {
    const { signIn, post, sent } = await createApiUnderTest()
    const token = await signIn()

    const answer = await post(PATH, body, token)

    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      errorType: 'ERR_VALIDATION',
      errorMessage: 'The field plan_id is missing or does not have the expected form.',
    })
    expect(sent).toEqual([])
  })

  it('403 for a suspended account, whose page says since when and why, until it is freed again', async () => {
    const { app, accounts, signIn, post } = await createApiUnderTest()
    const token = await signIn()
    const accountId = decodeJwt(token).sub!
    const by = { actor: 'root', via: 'tool', address: null, verb: 'account suspend' } as const
    const account = async () =>
      (await app.inject({ url: '/api/account', headers: { authorization: `Bearer ${token}` } })).json()
    await accounts.suspend(accountId, { reason: 'Resells.', message: 'You resell the stream.' }, by)

    for (const [path, body] of [
      [PATH, { plan_id: 1 }],
      ['/api/subscription/checkout', { plan_id: 1 }],
      ['/api/filter/try', { kind: 'swap', hours: 1 }],
    ] as const) {
      const answer = await post(path, body, token)
      expect(answer.statusCode, path).toBe(403)
      expect(answer.json()).toEqual({
        errorType: 'ACCOUNT_SUSPENDED',
        errorMessage: expect.stringMatching(/^This account is suspended\. Write to \S+@\S+\.$/),
      })
    }
    expect((await account()).suspension).toMatchObject({ message: 'You resell the stream.' })
    await accounts.unsuspend(accountId, by)
    expect(await account()).not.toHaveProperty('suspension')
    expect((await post(PATH, { plan_id: 1 }, token)).statusCode).toBe(200)
  })

  it('409 if the trial was used, even by a deleted account', async () => {
    const { app, signIn, post, clock } = await createApiUnderTest()
    const token = await signIn()
    await post(PATH, { plan_id: 1 }, token)
    clock.now += 6 * 24 * 60 * 60_000
    const again = await post(PATH, { plan_id: 3 }, token)
    await app.inject({
      method: 'DELETE',
      url: '/api/account/delete',
      headers: { authorization: `Bearer ${token}` },
    })
    clock.now = Date.now()

    const later = await post(PATH, { plan_id: 3 }, await signIn())

    for (const answer of [again, later]) {
      expect(answer.statusCode).toBe(409)
      expect(answer.json().errorType).toBe('TRIAL_USED')
    }
  })

  it('409 while there is a plan', async () => {
    const { signIn, post, accounts, email } = await createApiUnderTest()
    const token = await signIn()
    await accounts.grantPlan(email, 2)

    const answer = await post(PATH, { plan_id: 3 }, token)

    expect(answer.statusCode).toBe(409)
    expect(answer.json().errorType).toBe('SUBSCRIPTION_EXISTS')
  })
})

// Guards the swaps of a plan that caps them: a page that spends them without asking would.
describe('GET /v1/plan', () => {
  it('200 says what the plan of a key allows, to programs of any page, and null without one', async () => {
    const { app, signIn, post } = await createApiUnderTest()
    const token = await signIn()
    const authorization = `Bearer ${token}`
    const key = (await app.inject({ url: '/api/account', headers: { authorization } })).json().user.APIKey
    const without = await app.inject(`/v1/plan?key=${key}`)
    await post(PATH, { plan_id: 1 }, token)

    const answers = await Promise.all([
      app.inject(`/v1/plan?key=${key}`),
      app.inject({ url: '/v1/plan', headers: { 'x-api-key': key } }),
    ])

    expect(without.json()).toEqual({ plan: null, simulated: true })
    for (const answer of answers) {
      expect(answer.json()).toEqual({ plan: PLANS[0], simulated: true })
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
      })
    }
  })

  it.each(['/v1/plan', '/v1/plan?key=no', `/v1/plan?key=${'0'.repeat(32)}`])('401 for %s', async (url) => {
    const { app } = await createApiUnderTest()

    const answer = await app.inject(url)

    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toMatchObject({
      errorType: 'KEY_UNKNOWN',
      docs: expect.stringMatching(/\/docs\/errors\/key-unknown$/),
    })
  })
})
