import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApiUnderTest } from '../testing/api-under-test.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('rate limits', () => {
  it('count register, login and authenticate calls of an address together', async () => {
    const { app, post, email, register } = await createApiUnderTest({ authRatePerAddress: 3 })
    await register()
    await post('/api/login', { email })
    await post('/api/authenticate', { email_token: 'x' })

    for (const path of ['/api/register', '/api/login', '/api/authenticate']) {
      const answer = await post(path, {})
      expect(answer.statusCode).toBe(429)
      expect(answer.json().errorType).toBe('ERR_RATE_LIMITED')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
    }
    expect((await app.inject('/api/config')).statusCode).toBe(200)
  })

  it('open again after a minute', async () => {
    const { post } = await createApiUnderTest({ authRatePerAddress: 1 })
    vi.useFakeTimers({ toFake: ['Date'] })
    await post('/api/login', {})
    expect((await post('/api/login', {})).statusCode).toBe(429)

    vi.setSystemTime(Date.now() + 60_000)

    expect((await post('/api/login', {})).statusCode).toBe(400)
  })

  it('allow five mails an hour to one email, in any case, and others still', async () => {
    const { post, register, email, mailbox, mailsSettled } = await createApiUnderTest()
    await register()
    for (let count = 0; count < 4; count++) await post('/api/login', { email: ` ${email}`.trim() })

    const answer = await post('/api/login', { email: email.toUpperCase() })

    expect(answer.statusCode).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_500)
    expect(answer.json().errorMessage).toBe('Too many requests. Try again in 60 minutes.')
    await mailsSettled()
    expect(mailbox.list()).toHaveLength(5)
    expect((await register({ email: `other-${email}` })).statusCode).toBe(200)
  })

  it('allow 120 other calls a minute to one account', async () => {
    const { app, signIn } = await createApiUnderTest()
    const headers = { authorization: `Bearer ${await signIn()}` }
    const statuses = []
    for (let count = 0; count < 121; count++) {
      statuses.push((await app.inject({ url: '/api/account', headers })).statusCode)
    }

    expect(statuses.filter((status) => status === 200)).toHaveLength(120)
    expect(statuses.at(-1)).toBe(429)
  })

  it('do not believe a forwarded address from a stranger', async () => {
    const { app } = await createApiUnderTest({ authRatePerAddress: 1 })
    const login = (from: string) =>
      app.inject({ method: 'POST', url: '/api/login', payload: {}, headers: { 'x-forwarded-for': from } })

    await login('192.0.2.1')

    expect((await login('192.0.2.2')).statusCode).toBe(429)
  })

  it('count by the forwarded address behind a trusted proxy', async () => {
    const { app } = await createApiUnderTest({ authRatePerAddress: 1, trustProxy: ['127.0.0.1'] })
    const login = (from: string) =>
      app.inject({ method: 'POST', url: '/api/login', payload: {}, headers: { 'x-forwarded-for': from } })

    await login('192.0.2.1')

    expect((await login('192.0.2.2')).statusCode).toBe(400)
    expect((await login('192.0.2.1')).statusCode).toBe(429)
  })

  it('take the addresses of one IPv6 network for one', async () => {
    const { app } = await createApiUnderTest({ authRatePerAddress: 1 })
    const login = (remoteAddress: string) =>
      app.inject({ method: 'POST', url: '/api/login', payload: {}, remoteAddress })

    await login('2001:db8::1')

    expect((await login('2001:db8::2')).statusCode).toBe(429)
    expect((await login('2001:db8:0:1::1')).statusCode).toBe(400)
  })
})
