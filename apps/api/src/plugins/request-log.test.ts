import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

describe('the request log', () => {
  it('names the route but never the query, the requested address or the session', async () => {
    const { app, logged } = await createApiUnderTest({
      accounts: NO_ACCOUNTS,
      health: () => ({ database: false }),
    })

    await app.inject({ url: '/healthz?t=secret-token', headers: { authorization: 'Bearer secret.session' } })

    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('"route":"/healthz"')
    expect(logged[0]).not.toContain('secret')
  })

  it('does not mention calls that succeeded, or were the caller’s fault', async () => {
    const { app, logged } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    await app.inject('/dashboard/login?t=secret-token')
    await app.inject('/api/unknown?t=secret-token')

    expect(logged).toEqual([])
  })
})
