import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'
import { deliverWebhooks } from './sandbox.ts'

describe('GET /metrics', () => {
  it('returns the counts of the parts, the same twice', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await app.inject('/metrics')

    const answer = await app.inject('/metrics')

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    for (const line of [
      'pairwire_part_up{part="database"} 1',
      'pairwire_disk_free_bytes 5000000000',
      'pairwire_source_up 1',
    ]) {
      expect(answer.payload.split('\n')).toContain(line)
    }
  })

  it('has revenue by currency, and people who pay, try or owe, read once a minute', async () => {
    const { app, accounts, clock, sandbox, signIn } = await createApiUnderTest()
    const accountId = decodeJwt(await signIn()).sub!
    await accounts.startTrial(accountId, 1)
    const money = async () =>
      (await app.inject('/metrics')).payload.match(/^pairwire_(mrr|paying|trials|past_due).*$/gm)
    const before = ['pairwire_paying_accounts 0', 'pairwire_trials 1', 'pairwire_past_due 0']
    expect(await money()).toEqual(before)

    await deliverWebhooks(app, sandbox.pay({ accountId, planId: 2, subscriptionId: 'sub_1' }))

    clock.now += 59_999
    expect(await money()).toEqual(before)
    clock.now += 1
    expect(await money()).toEqual([
      'pairwire_mrr{currency="USD"} 7900',
      'pairwire_paying_accounts 1',
      'pairwire_trials 0',
      'pairwire_past_due 0',
    ])
  })

  it('has no label that a stranger or a user sent', async () => {
    const { app, post, email } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await post('/api/login', { email })
    await app.inject('/api/made-up-path?t=secret')
    await app.inject('/made-up-page')

    const { payload } = await app.inject('/metrics')

    expect(payload).not.toMatch(/made-up|secret/)
    expect(payload).not.toContain(email)
    expect(payload).toContain('route="none",status="404"')
  })

  it('answers other machines with its token, and 404 with another', async () => {
    const metricsToken = 'a-token-of-the-operator'
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, isLocal: false, metricsToken })
    const ask = async (authorization?: string) =>
      (await app.inject({ url: '/metrics', headers: authorization ? { authorization } : {} })).statusCode

    expect(await ask(`Bearer ${metricsToken}`)).toBe(200)
    expect(await ask(`bearer ${metricsToken}`)).toBe(200)
    for (const wrong of [undefined, 'Bearer', 'Bearer x', `Basic ${metricsToken}`, `Bearer ${metricsToken}x`])
      expect(await ask(wrong), wrong).toBe(404)
  })

  it('accepts no token if none is set', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, isLocal: false })

    for (const authorization of ['Bearer', 'Bearer undefined', 'Bearer null'])
      expect((await app.inject({ url: '/metrics', headers: { authorization } })).statusCode).toBe(404)
  })
})
