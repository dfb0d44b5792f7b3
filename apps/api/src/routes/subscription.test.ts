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
