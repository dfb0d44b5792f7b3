import { randomUUID } from 'node:crypto'
import type { PlanId } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { usedTrials } from '../database/schema.ts'
import { createSecrets } from '../secrets.ts'
import {
  type AccountsUnderTest,
  aConnection,
  DAY_MS,
  expectRefusal,
  refusals,
  START,
  winners,
} from '../testing/accounts-under-test.ts'

/** Trials, paid plans and deletion: what every database must keep of them. */
export function describePlans({ accounts, db, parts, clock, aPerson, aPaidPlan }: AccountsUnderTest): void {
  describe('the free trial', () => {
    it('gives the plan for five days and ends by itself', async () => {
      const { accountId, key } = await aPerson()

      const account = await accounts.startTrial(accountId, 3)

      expect(account).toMatchObject({
        activeSubscription: {
          planName: 'Pro',
          isFreeTrial: true,
          willCancel: '',
          renewalDate: '2026-02-05T12:00:00.000Z',
          connectionLimit: 1,
        },
        hasHadFreeTrial: true,
      })
      expect(account.paidSubscription).toBeUndefined()
      expect(await accounts.authorizeKey(key)).toEqual({
        outcome: 'allowed',
        accountId,
        planId: 3,
        connectionLimit: 1,
        endsAt: new Date('2026-02-05T12:00:00Z'),
        planInForceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        period: '2026-01-31',
        periodEndsAt: new Date('2026-02-28T00:00:00Z'),
        standing: { key: expect.stringMatching(/^[0-9a-f]{16}$/), plan: expect.any(String) },
        delivered: { newPair: 0, swap: 0 },
      })

      clock.now = START + 5 * DAY_MS - 1
      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed' })
      clock.now = START + 5 * DAY_MS
      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
      expect(await accounts.getAccount(accountId)).toEqual({ user: account.user, hasHadFreeTrial: true })
    })

    it('is given once, even to several simultaneous calls', async () => {
      let round = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom<PlanId>(1, 2, 3), { minLength: 2, maxLength: 6 }),
          async (plans) => {
            const { accountId } = await aPerson(`trial-${round++}@example.org`)

            const results = await Promise.allSettled(
              plans.map((plan) => accounts.startTrial(accountId, plan)),
            )

            expect(winners(results)).toBe(1)
            expect(refusals(results)).toEqual(new Set(['TRIAL_USED']))
          },
        ),
        { numRuns: 10 },
      )
    })

    it('stays used after it ended, and after the account was deleted and registered again', async () => {
      const { accountId } = await aPerson('ann@example.org')
      await accounts.startTrial(accountId, 1)
      clock.now += 6 * DAY_MS
      await expectRefusal('TRIAL_USED', accounts.startTrial(accountId, 1))

      await accounts.deleteAccount(accountId)
      const again = await aPerson('ANN@example.org')

      await expectRefusal('TRIAL_USED', accounts.startTrial(again.accountId, 1))
      expect((await accounts.getAccount(again.accountId)).hasHadFreeTrial).toBe(true)
    })

    it('is given once per person: tags everywhere, dots and googlemail at Gmail are ignored', async () => {
      for (const [first, ...others] of [
        ['ann@gmail.com', 'A.N.N@gmail.com', 'ann+two@gmail.com', 'a.nn+3@googlemail.com'],
        ['bob+one@example.org', 'bob@example.org', 'bob+two@example.org'],
      ] as const) {
        const { accountId } = await aPerson(first)
        await accounts.startTrial(accountId, 3)

        for (const email of others) {
          const other = await aPerson(email)
          expect(await accounts.getAccount(other.accountId)).toMatchObject({
            user: { Email: email },
            hasHadFreeTrial: true,
          })
          await expectRefusal('TRIAL_USED', accounts.startTrial(other.accountId, 3))
          expect(await accounts.authorizeKey(other.key)).toMatchObject({ outcome: 'no_plan' })
        }
      }
      const other = await aPerson('b.ob@example.org')
      await expect(accounts.startTrial(other.accountId, 3)).resolves.toBeDefined()
    })

    it('is given to one of a person’s accounts if all ask at once', async () => {
      const ids = await Promise.all(
        ['ann', 'ann+1', 'a.nn', 'an.n+2'].map(
          async (name) => (await aPerson(`${name}@gmail.com`)).accountId,
        ),
      )

      const results = await Promise.allSettled(ids.map((id) => accounts.startTrial(id, 2)))

      expect(winners(results)).toBe(1)
      expect(refusals(results)).toEqual(new Set(['TRIAL_USED']))
    })

    it('stays used if it was recorded under the email as typed, and under the person from a deletion on', async () => {
      const typed = createSecrets(parts.secrets).hashEmail('ann+old@example.org')
      await db.insert(usedTrials).values({ emailHash: typed, usedAt: new Date(START) })
      const { accountId } = await aPerson('Ann+Old@example.org')
      await expectRefusal('TRIAL_USED', accounts.startTrial(accountId, 1))

      await accounts.deleteAccount(accountId)
      const again = await aPerson('ann@example.org')

      await expectRefusal('TRIAL_USED', accounts.startTrial(again.accountId, 1))
    })

    it('is refused beside a paid plan or a grant, and not used up by the refusal', async () => {
      const { accountId } = await aPerson()
      await accounts.grantPlan('ann@example.org', 2)

      await expectRefusal('SUBSCRIPTION_EXISTS', accounts.startTrial(accountId, 1))

      await accounts.grantPlan('ann@example.org', null)
      await expect(accounts.startTrial(accountId, 1)).resolves.toMatchObject({ hasHadFreeTrial: true })
    })

    it('is refused for a plan that does not exist', async () => {
      const { accountId } = await aPerson()

      await expectRefusal('ERR_VALIDATION', accounts.startTrial(accountId, 4 as PlanId))
    })
  })

  describe('a paid plan', () => {
    it('renews at the end of its period and can be managed', async () => {
      const { accountId } = await aPerson()
      await aPaidPlan(accountId)

      expect(await accounts.getAccount(accountId)).toMatchObject({
        activeSubscription: {
          planName: 'Basic',
          isFreeTrial: false,
          willCancel: '',
          renewalDate: '2026-03-02T12:00:00.000Z',
        },
        paidSubscription: { planName: 'Basic', forbidManageSubscription: false },
      })
      await expectRefusal('ACTIVE_SUBSCRIPTION', accounts.deleteAccount(accountId))
    })

    it('runs out at its end once cancelled, and no longer prevents deleting the account', async () => {
      const { accountId } = await aPerson()
      await aPaidPlan(accountId, { cancelledAt: new Date(clock.now) })

      expect((await accounts.getAccount(accountId)).activeSubscription).toMatchObject({
        willCancel: '2026-03-02T12:00:00.000Z',
        renewalDate: '',
      })
      await expect(accounts.deleteAccount(accountId)).resolves.toBeUndefined()
    })

    it('counts before a trial that still runs', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 1)
      await aPaidPlan(accountId)

      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 2 })
    })
  })

  describe('deletion', () => {
    it('removes the key, the tokens, the plan and the counts', async () => {
      const { accountId, key } = await aPerson()
      const { token } = await accounts.requestLogin('ann@example.org')
      await accounts.startTrial(accountId, 3)
      const period = '2026-01-31'
      const row = { accountId, period, day: period, kind: 'buy', count: 7 } as const
      await accounts.recordDelivered([{ ...row, planInForceId: randomUUID() }])
      await accounts.recordConnections([aConnection(accountId)])

      await accounts.deleteAccount(accountId)

      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
      expect(await accounts.authorizeAccount(accountId)).toEqual({ outcome: 'unknown_key' })
      await expectRefusal('ERR_LOGIN_REQUIRED', accounts.exchangeLoginToken(token))
      await expectRefusal('ERR_LOGIN_REQUIRED', accounts.requestLogin('ann@example.org'))
      const { rows } = await db.execute(sql`
        select (select count(*)::int from subscriptions) + (select count(*)::int from delivered_counts)
          + (select count(*)::int from delivered_days) + (select count(*)::int from stream_connections)
          + (select count(*)::int from login_tokens) as "left"`)
      expect(rows).toEqual([{ left: 0 }])
    })

    it('leaves every further call for the account signed out', async () => {
      const { accountId } = await aPerson()
      await accounts.deleteAccount(accountId)

      for (const gone of [accountId, 'no-uuid', '']) {
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.getAccount(gone))
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.resetKey(gone))
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.startTrial(gone, 1))
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.deleteAccount(gone))
        expect(await accounts.authorizeAccount(gone)).toEqual({ outcome: 'unknown_key' })
      }
    })

    it('leaves no trace of an email that had no trial', async () => {
      const { accountId } = await aPerson()

      await accounts.deleteAccount(accountId)

      expect((await db.execute(sql`select * from used_trials`)).rows).toEqual([])
    })

    it('at the same time as a trial starts leaves nothing half done', async () => {
      const { accountId, key } = await aPerson()

      const [trial] = await Promise.allSettled([
        accounts.startTrial(accountId, 1),
        accounts.deleteAccount(accountId),
      ])

      if (trial.status === 'rejected') expect(trial.reason.errorType).toBe('ERR_LOGIN_REQUIRED')
      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
      expect((await db.execute(sql`select * from subscriptions`)).rows).toEqual([])
    })
  })
}
