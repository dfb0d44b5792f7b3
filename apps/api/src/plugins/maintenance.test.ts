import { describe, expect, it } from 'vitest'
import { createApiUnderTest } from '../testing/api-under-test.ts'

describe('maintenance', () => {
  it('refuses what would change something with the operator’s sentence, and lets sign in and read', async () => {
    const { app, accounts, clock, email, signIn, post, register, refreshNotices } = await createApiUnderTest()
    const token = await signIn()
    const headers = { authorization: `Bearer ${token}` }
    await accounts.beginMaintenance('Moving house.', { endsAt: new Date(clock.now + 90_000) })
    await refreshNotices()

    for (const path of ['/api/resetkey', '/api/disconnect', '/api/subscription/starttrial']) {
      const answer = await post(path, { plan_id: 1 }, token)
      expect(answer.statusCode, path).toBe(503)
      expect(answer.json()).toEqual({ errorType: 'ERR_UNAVAILABLE', errorMessage: 'Moving house.' })
      expect(answer.headers['retry-after']).toBe('90')
    }
    expect((await register({ email: `new-${email}` })).statusCode).toBe(503)
    expect((await app.inject({ url: '/api/account', headers })).statusCode).toBe(200)
    expect((await post('/api/login', { email })).statusCode).toBe(200)
    expect((await app.inject('/api/systemstatus')).json()[0].Details).toMatch(/^Moving house\./)
    expect((await post('/api/logout', undefined, token)).statusCode).toBe(200)
    await accounts.endMaintenance()
  })

  it('ends by itself, and says when to retry without an end', async () => {
    const { accounts, clock, signIn, post, refreshNotices } = await createApiUnderTest()
    const token = await signIn()
    await accounts.beginMaintenance('Soon over.', { endsAt: new Date(clock.now + 1_000) })
    await refreshNotices()
    clock.now += 1_000
    expect((await post('/api/resetkey', undefined, token)).statusCode).toBe(200)

    await accounts.beginMaintenance('Moving house.')
    await refreshNotices()
    expect((await post('/api/resetkey', undefined, token)).headers['retry-after']).toBe('300')
    await accounts.endMaintenance()
  })
})
