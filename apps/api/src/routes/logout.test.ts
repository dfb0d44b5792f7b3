import { AppError, routes } from '@pairwire/contract'
import { decodeJwt } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { type ApiUnderTest, createApiUnderTest } from '../testing/api-under-test.ts'

/** Bodies of the calls that need one. */
const BODIES: Readonly<Record<string, object>> = {
  [routes.logos.path]: { urls: ['https://logos.example/a.png'] },
  [routes.closeConnection.path]: { id: '2b1f3c7e-5a39-4c35-9f0e-0c1d2e3f4a5b' },
  [routes.startTrial.path]: { plan_id: 3 },
  [routes.checkout.path]: { plan_id: 3 },
}

describe('POST /api/logout', () => {
  it('200 with an empty object ends this session, and no other of the account', async () => {
    const api = await createApiUnderTest()
    const [here, there] = [await api.signIn(), await signInAgain(api)]

    const answer = await api.post('/api/logout', undefined, here)

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({})
    expect(await statusOf(api, here)).toBe(401)
    expect(await statusOf(api, there)).toBe(200)
    expect((await api.post('/api/logout', undefined, here)).statusCode).toBe(401)
  })

  it('does not affect the API key or its connections', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    const { account } = await api.accounts.findAccount(api.email)

    await api.post('/api/logout', undefined, token)

    expect(await api.accounts.authorizeKey(account.user.APIKey)).toMatchObject({ outcome: 'no_plan' })
    expect(api.sent).toEqual([])
  })
})

describe('POST /api/logoutall', () => {
  it('200 with an empty object ends every session of the account, and none of another', async () => {
    const api = await createApiUnderTest()
    const [here, there] = [await api.signIn(), await signInAgain(api)]
    const another = await createApiUnderTest()
    const stranger = await another.signIn()

    const answer = await api.post('/api/logoutall', undefined, here)

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({})
    expect(await statusOf(api, here)).toBe(401)
    expect(await statusOf(api, there)).toBe(401)
    expect(await statusOf(another, stranger)).toBe(200)
  })

  it('200 even while somebody with a stolen session uses up the account’s rate', async () => {
    const api = await createApiUnderTest()
    const [mine, stolen] = [await api.signIn(), await signInAgain(api)]
    for (let count = 0; count < 130; count++) await statusOf(api, stolen)
    expect(await statusOf(api, mine)).toBe(429)

    expect((await api.post('/api/logoutall', undefined, mine)).statusCode).toBe(200)

    expect(await statusOf(api, stolen)).toBe(401)
  })

  it('lets the owner sign in again', async () => {
    const api = await createApiUnderTest()
    await api.post('/api/logoutall', undefined, await api.signIn())

    expect(await statusOf(api, await signInAgain(api))).toBe(200)
  })
})

describe('a session that has ended', () => {
  it('stays ended after a restart, and the others stay open', async () => {
    const before = await createApiUnderTest()
    const [here, there] = [await before.signIn(), await signInAgain(before)]
    await before.post('/api/logout', undefined, here)

    const after = await createApiUnderTest()

    expect(await statusOf(after, here)).toBe(401)
    expect(await statusOf(after, there)).toBe(200)
  })

  it('is refused from the next call on, even if a call was in progress when it ended', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    let answerLate = () => {}
    vi.spyOn(api.accounts, 'findSession').mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answerLate = () => resolve(decodeJwt(token).sub)
        }),
    )
    const early = statusOf(api, token)
    await expect.poll(() => vi.mocked(api.accounts.findSession).mock.calls.length).toBeGreaterThan(0)

    // By another call of the same account, as the first one's answer would be cached too late.
    await api.post('/api/logoutall', undefined, await signInAgain(api))
    answerLate()

    expect(await early).toBe(200)
    expect(await statusOf(api, token)).toBe(401)
  })

  it('in another process is refused within ten seconds', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    expect(await statusOf(api, token)).toBe(200)
    await api.accounts.endSession(decodeJwt(token).jti!)

    api.clock.now += 10_000

    expect(await statusOf(api, token)).toBe(401)
  })

  it('of a deleted account signs nothing: 401 on every call that needs a session', async () => {
    const api = await createApiUnderTest()
    const [token, another] = [await api.signIn(), await signInAgain(api)]
    expect(await statusOf(api, another)).toBe(200)
    expect((await call(api, routes.deleteAccount, token)).statusCode).toBe(200)

    const calls = Object.values(routes).filter(({ session }) => session)
    for (const route of calls) {
      for (const gone of [token, another]) {
        expect((await call(api, route, gone)).statusCode, route.path).toBe(401)
      }
    }
    expect(calls.length).toBeGreaterThan(10)
  })
})

describe('an open session', () => {
  it('costs one database query in ten seconds, however many calls it makes', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    const asked = vi.spyOn(api.accounts, 'findSession')

    for (let count = 0; count < 50; count++) expect(await statusOf(api, token)).toBe(200)
    expect(asked).toHaveBeenCalledTimes(1)

    api.clock.now += 10_000
    await statusOf(api, token)
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('does not count as ended because the database was away', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    vi.spyOn(api.accounts, 'findSession').mockRejectedValueOnce(new AppError('ERR_UNAVAILABLE'))

    expect(await statusOf(api, token)).toBe(503)
    expect(await statusOf(api, token)).toBe(200)
  })
})

describe('a login link', () => {
  it('of a deleted account signs nobody in, even when the email is registered again', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    const { token: email_token } = await api.accounts.requestLogin(api.email)
    await call(api, routes.deleteAccount, token)
    await api.register()

    expect((await api.post('/api/authenticate', { email_token })).statusCode).toBe(401)
  })
})

/** A second session of the same account. */
async function signInAgain(api: ApiUnderTest): Promise<string> {
  const { token } = await api.accounts.requestLogin(api.email)
  return (await api.post('/api/authenticate', { email_token: token })).json().token
}

async function statusOf(api: ApiUnderTest, token: string): Promise<number> {
  return (await call(api, routes.getAccount, token)).statusCode
}

function call({ app }: ApiUnderTest, route: { method: string; path: string }, token: string) {
  return app.inject({
    method: route.method as 'GET' | 'POST' | 'DELETE', // the contract's routes have no other
    url: route.path,
    headers: { authorization: `Bearer ${token}` },
    ...(BODIES[route.path] && { payload: BODIES[route.path]! }),
  })
}
