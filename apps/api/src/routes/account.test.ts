import { decodeJwt, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { type ApiUnderTest, createApiUnderTest, SESSION_SECRET } from '../testing/api-under-test.ts'

const SIGNED_IN_CALLS = [
  ['GET', '/api/account'],
  ['DELETE', '/api/account/delete'],
  ['POST', '/api/disconnect'],
  ['POST', '/api/resetkey'],
  ['POST', '/api/subscription/starttrial'],
] as const

describe('GET /api/account', () => {
  it('200 returns the account of the session', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    const answer = await call(api, 'GET', '/api/account', token)

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({
      user: {
        ID: decodeJwt(token).sub,
        Email: api.email,
        APIKey: expect.stringMatching(/^[0-9a-f]{32}$/),
        CreatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
      hasHadFreeTrial: false,
    })
    expect(answer.headers['cache-control']).toBe('no-store')
  })
})

describe('POST /api/resetkey', () => {
  it('200 creates a new key and tells the gateways', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    const before = (await call(api, 'GET', '/api/account', token)).json().user

    const answer = await call(api, 'POST', '/api/resetkey', token)

    const after = (await call(api, 'GET', '/api/account', token)).json().user
    expect(answer.statusCode).toBe(200)
    expect(after.APIKey).not.toBe(before.APIKey)
    expect(api.sent).toEqual([{ type: 'keyReset', accountId: before.ID }])
  })
})

describe('POST /api/disconnect', () => {
  it('200 tells the gateways', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    const answer = await call(api, 'POST', '/api/disconnect', token)

    expect(answer.statusCode).toBe(200)
    expect(api.sent).toEqual([{ type: 'disconnect', accountId: decodeJwt(token).sub }])
  })

  it('200 even with a content type and no body, which many clients send', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    const answer = await api.app.inject({
      method: 'POST',
      url: '/api/disconnect',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })

    expect(answer.statusCode).toBe(200)
  })
})

describe('DELETE /api/account/delete', () => {
  it('200 deletes the account, tells the gateways, and its session ends', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    const answer = await call(api, 'DELETE', '/api/account/delete', token)

    expect(answer.statusCode).toBe(200)
    expect(api.sent).toEqual([{ type: 'accountDeleted', accountId: decodeJwt(token).sub }])
    expect((await api.post('/api/login', { email: api.email })).statusCode).toBe(401)
    for (const [method, path] of SIGNED_IN_CALLS) {
      const payload = path.endsWith('starttrial') ? { plan_id: 3 } : undefined
      expect((await call(api, method, path, token, payload)).statusCode, path).toBe(401)
    }
    expect(api.sent).toHaveLength(1)
  })

  it('400 while a paid plan is running, and deletes nothing', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    await api.accounts.grantPlan(api.email, 3)

    const answer = await call(api, 'DELETE', '/api/account/delete', token)

    expect(answer.statusCode).toBe(400)
    expect(answer.json().errorType).toBe('ACTIVE_SUBSCRIPTION')
    expect((await call(api, 'GET', '/api/account', token)).statusCode).toBe(200)
    expect(api.sent).toEqual([])
  })
})

describe('calls that need a session', () => {
  it.each(SIGNED_IN_CALLS)('answer 401 without one: %s %s', async (method, path) => {
    const api = await createApiUnderTest()

    const answer = await call(api, method, path, undefined)

    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toEqual({ errorType: 'ERR_LOGIN_REQUIRED', errorMessage: 'Sign in first.' })
  })

  it('answer 401 before they read the body', async () => {
    const { app } = await createApiUnderTest()

    const answer = await app.inject({
      method: 'POST',
      url: '/api/subscription/starttrial',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    })

    expect(answer.statusCode).toBe(401)
  })

  it('answer 401 after 30 days', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    api.clock.now += 30 * 24 * 60 * 60_000 + 1_000

    const answer = await call(api, 'GET', '/api/account', token)

    expect(answer.statusCode).toBe(401)
  })

  it('answer 401 to every forged token', async () => {
    const api = await createApiUnderTest()
    const real = await api.signIn()
    const claims = decodeJwt(real)
    const [head, body, signature] = real.split('.') as [string, string, string]
    const sign = (secret: Uint8Array, alg = 'HS256', changed: object = {}) =>
      new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg }).sign(secret)
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')

    const forged = [
      `${unsigned}.${body}.`,
      `${unsigned}.${body}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'another' })).toString('base64url')}.${signature}`,
      await sign(new Uint8Array(32).fill(8)),
      await sign(SESSION_SECRET, 'HS512'),
      await sign(SESSION_SECRET, 'HS256', { iss: 'another' }),
      await sign(SESSION_SECRET, 'HS256', { aud: 'another' }),
      await sign(SESSION_SECRET, 'HS256', { sub: undefined }),
      await sign(SESSION_SECRET, 'HS256', { exp: undefined }),
      await sign(SESSION_SECRET, 'HS256', { sub: 'not-an-account' }),
      'x'.repeat(10_000),
      '',
    ]
    for (const token of forged) {
      const answer = await call(api, 'GET', '/api/account', token)
      expect(answer.statusCode, token.slice(0, 80)).toBe(401)
    }
    expect((await call(api, 'GET', '/api/account', real)).statusCode).toBe(200)
  })

  it('answer 401 to the token with another scheme', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    const answer = await api.app.inject({ url: '/api/account', headers: { authorization: `Basic ${token}` } })

    expect(answer.statusCode).toBe(401)
  })
})

function call(
  { app }: ApiUnderTest,
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  token: string | undefined,
  payload?: object,
) {
  return app.inject({
    method,
    url,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(payload && { payload }),
  })
}
