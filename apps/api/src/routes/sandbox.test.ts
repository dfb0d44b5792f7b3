import { DAY_MS } from '@pairwire/contract'
import { PAIRWIRE } from '@pairwire/process'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { type ApiUnderTest, createApiUnderTest } from '../testing/api-under-test.ts'
import { deliverWebhooks } from './sandbox.ts'

/** A signed-in person, with the browser's actions on the sandbox's pages. */
async function createSandboxUnderTest(over: Parameters<typeof createApiUnderTest>[0] = {}) {
  const under: ApiUnderTest = await createApiUnderTest(over)
  const { app, post, clock } = under
  let token = await under.signIn()
  const accountId = decodeJwt(token).sub!
  /** A session of 30 days ends within this test's months. */
  const signInAgain = async () => {
    const { token: email_token } = await under.accounts.requestLogin(under.email)
    token = (await post('/api/authenticate', { email_token })).json().token
  }
  const account = () => under.accounts.getAccount(accountId)

  const openCheckout = async (plan_id = 2) =>
    (await post('/api/subscription/checkout', { plan_id }, token)).json().url as string
  const openPortal = async () =>
    (
      await app.inject({ url: '/api/subscription/manage', headers: { authorization: `Bearer ${token}` } })
    ).json().url as string
  const press = (url: string, button: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(button).toString(),
    })
  const pay = async (plan = 2) => {
    const url = await openCheckout(plan)
    return { url, answer: await press(url, { outcome: 'pay' }) }
  }
  const days = async (count: number) => {
    clock.now += count * DAY_MS
    await signInAgain()
  }
  return { ...under, token, accountId, account, openCheckout, openPortal, press, pay, days }
}

describe('the checkout of the sandbox', () => {
  it('names the service, whatever letters its name has', async () => {
    const { app, openCheckout } = await createSandboxUnderTest({
      brand: { ...PAIRWIRE, name: 'Ca$$h$&Co' },
    })

    const page = await app.inject(await openCheckout())

    expect(page.body).toContain('<title>Checkout · Ca$$h$&amp;Co</title>')
  })

  it('shows the plan, with the band that says that nobody is charged', async () => {
    const { app, openCheckout, email } = await createSandboxUnderTest()

    const page = await app.inject(await openCheckout(2))

    expect(page.statusCode).toBe(200)
    expect(page.headers['cache-control']).toBe('no-store')
    for (const words of [
      'Test mode. No card is charged.',
      'Basic',
      '$79',
      email,
      '4242 4242 4242 4242',
      '10 of 1,000 dots',
      'Nothing you type here is sent.',
    ]) {
      expect(page.body).toContain(words)
    }
  })

  it('gives the plan once it is paid, by a webhook, and redirects to the account', async () => {
    const { app, pay, account, sent, accountId } = await createSandboxUnderTest()
    sent.length = 0

    const { answer } = await pay(3)

    expect(answer.statusCode).toBe(303)
    const page = await app.inject(answer.headers.location!)
    expect(page.body).toContain('data-continue="/dashboard/account?s=subscription"')
    expect(await account()).toMatchObject({
      activeSubscription: { planName: 'Pro', isFreeTrial: false, willCancel: '' },
      paidSubscription: { planName: 'Pro', forbidManageSubscription: false },
    })
    expect(sent).toContainEqual({ type: 'planChanged', accountId })
  })

  it.each([
    ['decline', 'The test card was declined.'],
    ['network', 'The connection failed before the payment was made.'],
    ['3ds', 'Confirm with your bank'],
  ])('charges nothing on %s, and says so', async (outcome, words) => {
    const { app, openCheckout, press, account } = await createSandboxUnderTest()

    const answer = await press(await openCheckout(), { outcome })

    expect((await app.inject(answer.headers.location!)).body).toContain(words)
    expect(await account()).not.toHaveProperty('paidSubscription')
  })

  it('charges once, however often Pay is pressed', async () => {
    const { app, pay, press, accounts, accountId } = await createSandboxUnderTest()
    const { url } = await pay()

    await Promise.all([press(url, { outcome: 'pay' }), press(url, { outcome: 'pay' })])

    expect(await accounts.listPayments(accountId)).toHaveLength(1)
    expect((await app.inject(url)).body).toContain('Already paid')
  })

  it('takes one payment of a person who pays two open checkouts at once', async () => {
    const { openCheckout, press, accounts, accountId } = await createSandboxUnderTest()
    const urls = [await openCheckout(1), await openCheckout(3)]

    await Promise.all(urls.map((url) => press(url, { outcome: 'pay' })))

    expect(await accounts.listPayments(accountId)).toHaveLength(1)
  })

  it('is closed to people with a paid plan', async () => {
    const { app, openCheckout, pay, post, token } = await createSandboxUnderTest()
    const second = await openCheckout(3)
    await pay(2)

    const refused = await post('/api/subscription/checkout', { plan_id: 1 }, token)

    expect([refused.statusCode, refused.json().errorType]).toEqual([409, 'SUBSCRIPTION_EXISTS'])
    expect((await app.inject(second)).body).toContain('Already paid')
  })

  it('expires after an hour, and never existed at an address that was not issued', async () => {
    const { app, openCheckout, openPortal, pay, press, clock, account } = await createSandboxUnderTest()
    const url = await openCheckout()
    const { url: paid } = await pay()
    const portal = await openPortal()
    clock.now += 61 * 60_000

    for (const old of [url, portal, paid]) {
      const shown = await app.inject(old)
      expect(shown.statusCode).toBe(410)
      // The page of a paid checkout, too.
      expect(shown.body).not.toContain('Nothing was charged')
      expect((await press(old, { outcome: 'pay', action: 'cancel' })).statusCode).toBe(410)
    }
    expect((await account()).activeSubscription?.willCancel).toBe('')
    for (const odd of ['x', 'a.b.c', portal.replace('/portal/', '/checkout/').split('/').pop()!]) {
      expect((await app.inject(`/sandbox/checkout/${odd}`)).statusCode).toBe(404)
      expect((await press(`/sandbox/portal/${odd.slice(1)}`, { action: 'cancel' })).statusCode).toBe(404)
    }
  })

  it('refuses buttons that it does not have', async () => {
    const { openCheckout, press, pay, openPortal } = await createSandboxUnderTest()

    expect((await press(await openCheckout(), { outcome: 'free' })).statusCode).toBe(400)
    await pay()
    expect((await press(await openPortal(), {})).statusCode).toBe(400)
  })

  it('does not exist in production', async () => {
    const { app, openCheckout } = await createSandboxUnderTest({ isLocal: false })

    for (const path of [await openCheckout(), '/sandbox/portal/x']) {
      expect((await app.inject(path)).statusCode).toBe(404)
    }
  })
})

describe('the portal of the sandbox', () => {
  it('shows the plan, its next payment, the card and the invoices to download', async () => {
    const { app, pay, openPortal, email } = await createSandboxUnderTest()
    await pay(2)

    const page = await app.inject(await openPortal())

    for (const words of [
      'Test mode',
      'Basic',
      'Next payment',
      'ending',
      '4242',
      '79.00 USD',
      'Paid until',
      'Back to Pairwire',
    ]) {
      expect(page.body).toContain(words)
    }
    const invoice = await app.inject(/href="([^"]+\/invoices\/[^"]+)"/.exec(page.body)![1]!)
    expect(invoice.headers['content-disposition']).toMatch(/^attachment; filename="pairwire-test-invoice-/)
    expect(invoice.body).toContain(email)
    expect(invoice.body).toContain('79.00 USD')
    expect((await app.inject(`${await openPortal()}/invoices/txn_other`)).statusCode).toBe(404)
  })

  it('cancels the plan at the end of its period, and revokes the cancellation', async () => {
    const { app, pay, openPortal, press, account, clock } = await createSandboxUnderTest()
    await pay()
    const renewal = (await account()).activeSubscription!.renewalDate
    const portal = await openPortal()

    await press(portal, { action: 'cancel' })
    await press(portal, { action: 'cancel' })

    expect((await account()).activeSubscription).toMatchObject({ willCancel: renewal, renewalDate: '' })
    expect((await app.inject(portal)).body).toContain('Keep plan')
    clock.now += 1_000
    await press(portal, { action: 'keep' })
    expect((await account()).activeSubscription).toMatchObject({ willCancel: '', renewalDate: renewal })
  })

  it('does not open without a paid plan, nor for one that support manages', async () => {
    const { app, token, accounts, email } = await createSandboxUnderTest()
    const manage = () =>
      app.inject({ url: '/api/subscription/manage', headers: { authorization: `Bearer ${token}` } })

    expect((await manage()).statusCode).toBe(404)
    await accounts.grantPlan(email, 2)
    expect((await manage()).statusCode).toBe(403)
    expect((await app.inject('/api/subscription/manage')).statusCode).toBe(401)
  })
})

describe('the sandbox provider by itself', () => {
  it('ends the plan by a refund of its payment, and by no other refund', async () => {
    const { app, pay, openPortal, press, account } = await createSandboxUnderTest()
    await pay(2)
    const portal = await openPortal()

    await press(portal, { action: 'refund-other' })
    expect((await account()).activeSubscription?.planName).toBe('Basic')
    await press(portal, { action: 'refund' })
    await press(portal, { action: 'refund' })

    expect(await account()).not.toHaveProperty('activeSubscription')
    expect(await account()).not.toHaveProperty('paidSubscription')
    expect((await app.inject(portal)).body).toContain('This account has no paid plan.')
  })

  it('keeps the plan on a price that is no plan here, and logs it', async () => {
    const { pay, openPortal, press, account, logged, days } = await createSandboxUnderTest()
    await pay(2)

    await press(await openPortal(), { action: 'reprice' })

    expect(logged.filter((line) => line.includes('pri_sandbox_unknown'))).toHaveLength(1)
    await days(20)
    expect((await account()).activeSubscription?.planName).toBe('Basic')
  })

  it('does not prevent deleting the account after a refund', async () => {
    const { app, pay, openPortal, press, token } = await createSandboxUnderTest()
    const headers = { authorization: `Bearer ${token}` }
    const remove = () => app.inject({ method: 'DELETE', url: '/api/account/delete', headers })
    await pay(2)
    expect((await remove()).json().errorType).toBe('ACTIVE_SUBSCRIPTION')

    await press(await openPortal(), { action: 'refund' })

    expect((await remove()).statusCode).toBe(200)
  })
})

describe('a person, from the trial to a second checkout', () => {
  it('sees page, API and stream agree at every step', async () => {
    const { app, token, accountId, account, accounts, post, pay, openPortal, press, days, sandbox } =
      await createSandboxUnderTest()
    const { APIKey } = (await account()).user
    const stream = async () => {
      const authorization = await accounts.authorizeKey(APIKey)
      return authorization.outcome === 'allowed' ? authorization.planId : authorization.outcome
    }

    await post('/api/subscription/starttrial', { plan_id: 1 }, token)
    expect([(await account()).activeSubscription?.isFreeTrial, await stream()]).toEqual([true, 1])

    await days(5)
    expect(await accounts.endDuePlans()).toContain(accountId)
    expect([(await account()).activeSubscription, await stream()]).toEqual([undefined, 'no_plan'])

    await pay(2)
    expect([(await account()).activeSubscription?.planName, await stream()]).toEqual(['Basic', 2])

    await days(31)
    for (const due of await accounts.listDueRenewals('sandbox')) {
      if (due.accountId !== accountId) continue
      await deliverWebhooks(app, sandbox.renew(due))
      await deliverWebhooks(app, sandbox.renew(due))
    }
    expect(await accounts.listPayments(accountId)).toHaveLength(2)
    expect(Date.parse((await account()).activeSubscription!.renewalDate)).toBeGreaterThan(
      Date.now() + 50 * DAY_MS,
    )

    await press(await openPortal(), { action: 'cancel' })
    expect([(await account()).activeSubscription?.willCancel !== '', await stream()]).toEqual([true, 2])

    await days(31)
    expect(await accounts.endDuePlans()).toContain(accountId)
    expect([await account(), await stream()]).toEqual([
      { user: expect.anything(), hasHadFreeTrial: true },
      'no_plan',
    ])

    await pay(3)
    expect([(await account()).activeSubscription?.planName, await stream()]).toEqual(['Pro', 3])
    expect(await accounts.listPayments(accountId)).toHaveLength(3)
  })
})
