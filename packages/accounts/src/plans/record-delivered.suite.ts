import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AccountsUnderTest, DAY_MS } from '../testing/accounts-under-test.ts'

/** Counts of delivered events: what every database must keep of them. */
export function describeCounts(under: AccountsUnderTest): void {
  const { accounts, db, clock, aPerson, aPaidPlan } = under

  describe('counts', () => {
    /** The part of an account's authorization that concerns counts. */
    const planInForceOf = async (accountId: string) => {
      const answer = await accounts.authorizeAccount(accountId)
      return answer.outcome === 'allowed' ? answer.planInForceId : expect.fail(answer.outcome)
    }

    it('add up for each kind and restart with the next billing period', async () => {
      const { accountId, key } = await aPerson()
      await accounts.grantPlan('ann@example.org', 1)
      const period = '2026-01-31'
      const ofPlan = { accountId, planInForceId: await planInForceOf(accountId), period }

      await accounts.recordDelivered([
        { ...ofPlan, day: period, kind: 'buy', count: 3 },
        { ...ofPlan, day: '2026-02-01', kind: 'buy', count: 4 },
        { ...ofPlan, day: period, kind: 'newPair', count: 5 },
      ])
      await accounts.recordDelivered([{ ...ofPlan, day: period, kind: 'sell', count: 10 }])

      expect(await accounts.authorizeKey(key)).toMatchObject({
        period,
        delivered: { newPair: 5, swap: 17 },
      })
      clock.now = Date.UTC(2026, 1, 28)
      expect(await accounts.authorizeKey(key)).toMatchObject({
        period: '2026-02-28',
        periodEndsAt: new Date('2026-03-31T00:00:00Z'),
        delivered: { newPair: 0, swap: 0 },
      })
    })

    // A trial of NewPairs Only sends at most 1,000 swaps; a user who pays for it the same day gets 1,000 more.
    it('of a trial are not charged to a plan paid for on the same day', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 1)
      const period = '2026-01-31'
      const trial = await planInForceOf(accountId)
      const row = { accountId, period, day: period, kind: 'buy', count: 1_000 } as const
      await accounts.recordDelivered([{ ...row, planInForceId: trial }])

      await aPaidPlan(accountId, { planId: 1 })
      expect(await accounts.authorizeKey(key)).toMatchObject({ period, delivered: { swap: 0 } })

      // Events that the gateway sent before it heard of the payment still belong to the trial.
      const paid = await planInForceOf(accountId)
      await accounts.recordDelivered([
        { ...row, planInForceId: trial },
        { ...row, planInForceId: paid, count: 7 },
      ])
      expect(paid).not.toBe(trial)
      expect(await accounts.authorizeKey(key)).toMatchObject({ period, delivered: { swap: 7 } })
    })

    // Guards caps: what another gateway has recorded comes with a gateway's own counts.
    it('are answered with the swaps of the same periods so far, and no others', async () => {
      const [ann, bob, planInForceId] = [randomUUID(), randomUUID(), randomUUID()]
      const period = '2026-01-31'
      const row = { accountId: ann, planInForceId, period, day: period, kind: 'buy', count: 3 } as const
      await accounts.recordDelivered([row, { ...row, accountId: bob }, { ...row, period: '2026-02-28' }])

      const soFar = await accounts.recordDelivered([
        { ...row, kind: 'sell', count: 4 },
        { ...row, accountId: bob, kind: 'newPair', count: 5 },
      ])

      expect(soFar).toMatchObject([{ accountId: ann, planInForceId, period, count: 7 }])
      expect(await accounts.recordDelivered([], [randomUUID()])).toEqual([])
    })

    // Guards usage: a gateway whose answer was lost cannot know whether its batch was recorded.
    it('add a batch once, even if it is sent again, later or twice at once', async () => {
      const [accountId, planInForceId, counter] = [randomUUID(), randomUUID(), randomUUID()]
      const [period, day] = ['2026-01-31', '2026-01-31']
      const row = { accountId, planInForceId, period, day, kind: 'buy', count: 3 } as const
      const send = (number: number, of = counter) =>
        accounts.recordDelivered([row], [], { counter: of, number })

      await Promise.all([send(1), send(1)])

      expect(await send(2)).toMatchObject([{ count: 6 }])
      expect([await send(2), await send(1)]).toEqual([[], []])
      expect(await send(1, randomUUID())).toMatchObject([{ count: 9 }])
      expect(await accounts.getUsage(accountId)).toMatchObject([{ buys: 9 }])
      clock.now += 31 * DAY_MS
      await accounts.sweep()
      expect((await db.execute(sql`select from counted_batches`)).rows).toEqual([])
    })

    it('equal the sum of all batches, however they are split and interleaved', async () => {
      const people = await Promise.all(['a', 'b', 'c'].map((name) => aPerson(`${name}@example.org`)))
      for (const name of ['a', 'b', 'c']) await accounts.grantPlan(`${name}@example.org`, 3)
      const plans = await Promise.all(
        people.map(async ({ accountId }) => ({ accountId, planInForceId: await planInForceOf(accountId) })),
      )
      const counted = fc.record({
        period: fc.constant('2026-01-31'),
        day: fc.constantFrom('2026-01-30', '2026-01-31'),
        kind: fc.constantFrom('newPair' as const, 'buy' as const, 'sell' as const),
        count: fc.nat(1_000_000_000_000),
      })
      const row = fc.tuple(fc.constantFrom(...plans), counted).map(([plan, rest]) => ({ ...plan, ...rest }))
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 6 }), async (batches) => {
          for (const table of ['delivered_counts', 'delivered_days']) {
            await db.execute(sql`delete from ${sql.identifier(table)}`)
          }

          await Promise.all(batches.map((batch) => accounts.recordDelivered(batch)))

          for (const { accountId } of people) {
            const sum = (kind: string, day?: string) =>
              batches
                .flat()
                .filter((entry) => entry.accountId === accountId && entry.kind === kind)
                .filter((entry) => day === undefined || entry.day === day)
                .reduce((total, entry) => total + entry.count, 0)
            expect(await accounts.authorizeAccount(accountId)).toMatchObject({
              delivered: { newPair: sum('newPair'), swap: sum('buy') + sum('sell') },
            })
            const usage = await accounts.getUsage(accountId)
            for (const { day, newPairs, buys, sells } of usage) {
              expect([newPairs, buys, sells]).toEqual([
                sum('newPair', day),
                sum('buy', day),
                sum('sell', day),
              ])
            }
            expect(usage.reduce((total, { buys }) => total + buys, 0)).toBe(sum('buy'))
          }
        }),
        { numRuns: 15 },
      )
    })

    it('of an account deleted meanwhile affect no other, and are swept', async () => {
      const ann = await aPerson('ann@example.org')
      const bob = await aPerson('bob@example.org')
      await accounts.grantPlan('bob@example.org', 3)
      await accounts.deleteAccount(ann.accountId)

      const planInForceId = await planInForceOf(bob.accountId)
      const row = { planInForceId, period: '2026-01-31', day: '2026-01-31', kind: 'buy' } as const
      await accounts.recordDelivered([
        { ...row, accountId: ann.accountId, count: 1 },
        { ...row, accountId: bob.accountId, count: 2 },
      ])
      await accounts.sweep()

      expect(await accounts.authorizeAccount(bob.accountId)).toMatchObject({ delivered: { swap: 2 } })
      const { rows } = await db.execute(sql`
        select (select count(*)::int from delivered_counts) as periods,
          (select count(*)::int from delivered_days) as days`)
      expect(rows).toEqual([{ periods: 1, days: 1 }])
    })
  })
}
