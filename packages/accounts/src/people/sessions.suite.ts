import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type AccountsUnderTest, DAY_MS, expectRefusal, START } from '../testing/accounts-under-test.ts'

/** Sessions: what every database must keep of them. */
export function describeSessions({ accounts, db, clock, register, aPerson }: AccountsUnderTest): void {
  const signIn = async (email: string) =>
    accounts.exchangeLoginToken((await accounts.requestLogin(email)).token)

  describe('sessions', () => {
    it('are opened by a login token, for 30 days', async () => {
      const { token } = await register('ann@example.org')

      const { accountId, sessionId, expiresAt } = await accounts.exchangeLoginToken(token)

      expect(sessionId).toMatch(/^[\w-]{22}$/)
      expect(expiresAt).toEqual(new Date(START + 30 * DAY_MS))
      expect(await accounts.findSession(sessionId)).toBe(accountId)
      expect(await accounts.findSession('unknown')).toBeUndefined()
    })

    it('note when and from where they were last used, to a minute', async () => {
      const { accountId } = await aPerson('ann@example.org')
      clock.now += 1
      const { sessionId } = await signIn('ann@example.org')
      const seen = async () => (await accounts.listSessions(accountId))[0]

      await accounts.findSession(sessionId)
      expect(await seen()).toMatchObject({ seenAt: null, address: null })
      const first = clock.now
      await accounts.findSession(sessionId, '192.0.2.7')
      clock.now += 59_000
      await accounts.findSession(sessionId, '192.0.2.8')
      expect(await seen()).toMatchObject({ seenAt: new Date(first), address: '192.0.2.7' })
      clock.now += 1_000
      await accounts.findSession(sessionId, '192.0.2.8')
      expect(await seen()).toMatchObject({ seenAt: new Date(clock.now), address: '192.0.2.8' })
      expect((await accounts.listAccounts({ sort: 'seen', limit: 1 })).people).toMatchObject([
        { email: 'ann@example.org', seenAt: new Date(clock.now).toISOString() },
      ])
      expect(await accounts.listSessions(accountId)).toHaveLength(2)
    })

    it('are ended one at a time', async () => {
      const { accountId } = await aPerson('ann@example.org')
      const [first, second] = [await signIn('ann@example.org'), await signIn('ann@example.org')]

      await accounts.endSession(first.sessionId)
      await accounts.endSession(first.sessionId)

      expect(await accounts.findSession(first.sessionId)).toBeUndefined()
      expect(await accounts.findSession(second.sessionId)).toBe(accountId)
    })

    it('are ended together, without those of other accounts', async () => {
      const ann = await aPerson('ann@example.org')
      await aPerson('bob@example.org')
      const anns = [await signIn('ann@example.org'), await signIn('ann@example.org')]
      const bobs = await signIn('bob@example.org')

      await accounts.endSessions(ann.accountId)

      for (const { sessionId } of anns) expect(await accounts.findSession(sessionId)).toBeUndefined()
      expect(await accounts.findSession(bobs.sessionId)).toBe(bobs.accountId)
    })

    it('end with their account, even one opened during the deletion', async () => {
      for (let round = 0; round < 5; round++) {
        await aPerson('ann@example.org')
        const before = await signIn('ann@example.org')
        const { token } = await accounts.requestLogin('ann@example.org')

        const [opened] = await Promise.allSettled([
          accounts.exchangeLoginToken(token),
          accounts.deleteAccount(before.accountId),
        ])

        const ids = opened.status === 'fulfilled' ? [opened.value.sessionId] : []
        for (const id of [before.sessionId, ...ids]) expect(await accounts.findSession(id)).toBeUndefined()
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.exchangeLoginToken(token))
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.endSessions(before.accountId))
      }
    })

    it('are limited to 100 per account; beyond that the oldest end', async () => {
      const { accountId } = await aPerson('ann@example.org')
      const oldest = await signIn('ann@example.org')
      clock.now += 1
      const next = await signIn('ann@example.org')
      await db.execute(sql`
        insert into sessions (id, account_id, opened_at, expires_at)
        select 'more-' || number, ${accountId}, to_timestamp(${(clock.now + 1) / 1_000}), to_timestamp(${(clock.now + DAY_MS) / 1_000})
        from generate_series(1, 98) as number`)
      clock.now += 2

      const newest = await signIn('ann@example.org')

      expect(await accounts.findSession(oldest.sessionId)).toBeUndefined()
      expect(await accounts.findSession(next.sessionId)).toBe(accountId)
      expect(await accounts.findSession(newest.sessionId)).toBe(accountId)

      // A clock that was set back makes the newest look like the oldest.
      clock.now = START - DAY_MS
      const early = await signIn('ann@example.org')
      expect(await accounts.findSession(early.sessionId)).toBe(accountId)
    })

    it('are deleted when their token expires', async () => {
      await aPerson('ann@example.org')
      const old = await signIn('ann@example.org')
      clock.now += DAY_MS
      const young = await signIn('ann@example.org')

      clock.now = START + 30 * DAY_MS
      await accounts.sweep()

      expect(await accounts.findSession(old.sessionId)).toBeUndefined()
      expect(await accounts.findSession(young.sessionId)).toBe(young.accountId)
    })
  })
}
