import { inCi } from '@pairwire/basics/testing/in-ci'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import { anEvent, at, cancelled, charged, paid, refunded, someMoney } from '../testing/a-billing-event.ts'
import { type AccountsUnderTest, DAY_MS, expectRefusal } from '../testing/accounts-under-test.ts'
import type { BillingEvent } from './billing-event.ts'

/** Deliveries in the property tests, each a round trip; the fold alone is tested with 10,000 shuffles. */
export const DELIVERIES = inCi(100, 50)

/** Paid plans as a provider reports them: what every database must keep of them. */
export function describeBilling(under: AccountsUnderTest): void {
  const { accounts, db, clock, aPerson } = under
  /** Applies a report at the moment it happened. */
  const tell = (event: BillingEvent) => {
    clock.now = Math.max(clock.now, event.occurredAt.getTime())
    return accounts.applyBillingEvent(event)
  }

  const events = async () => (await db.execute(sql`select count(*)::int as n from billing_events`)).rows[0]?.n

  describe('a payment provider', () => {
    it('begins a plan that renews, and ends the trial', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 1)
      clock.now += DAY_MS

      const outcome = await tell(anEvent(accountId, 1, paid(31)))

      expect(outcome).toEqual({ outcome: 'applied', accountId, from: 'none', to: 'active' })
      expect(await accounts.getAccount(accountId)).toMatchObject({
        activeSubscription: {
          planName: 'Basic',
          isFreeTrial: false,
          willCancel: '',
          renewalDate: at(31).toISOString(),
          connectionLimit: 1,
        },
        paidSubscription: { planName: 'Basic', forbidManageSubscription: false },
        hasHadFreeTrial: true,
      })
      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 2, period: '2026-02-01' })
      clock.now = at(60).getTime()
      expect(await accounts.getAccount(accountId)).not.toHaveProperty('activeSubscription')
    })

    it('has each event applied once, even if it arrives several times at once', async () => {
      const { accountId } = await aPerson()
      const event = anEvent(accountId, 0, paid(31))

      const outcomes = await Promise.all(Array.from({ length: 5 }, () => accounts.applyBillingEvent(event)))

      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
        'applied',
        'repeated',
        'repeated',
        'repeated',
        'repeated',
      ])
      expect(await events()).toBe(1)
    })

    it('may name the owner of a plan after reporting everything else', async () => {
      const { accountId } = await aPerson()
      const first = await tell(anEvent(null, 5, cancelled(31)))

      const second = await tell(anEvent(accountId, 0, paid(31)))

      expect(first).toEqual({ outcome: 'waiting' })
      expect(second).toMatchObject({ outcome: 'applied', to: 'cancelled' })
      expect((await accounts.getAccount(accountId)).activeSubscription?.willCancel).toBe(at(31).toISOString())
    })

    // Guards against a power cut: the first delivery may still wait for the disk, or have failed there.
    it('is told that a report was received before only once it is on disk', async () => {
      const { accountId } = await aPerson()
      const event = anEvent(accountId, 0, paid(31))
      await accounts.applyBillingEvent(event)
      const barrier = () => Promise.reject(new Error('the disk is full'))
      const slow = createAccounts({ ...under.parts, barrier })

      await expect(slow.applyBillingEvent(event)).rejects.toThrow('the disk is full')
      expect(await accounts.applyBillingEvent(event)).toEqual({ outcome: 'repeated' })
    })

    it('changes nothing with an older report that arrives late', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await tell(anEvent(accountId, 9, cancelled(31)))
      const before = await accounts.getAccount(accountId)

      await tell(anEvent(accountId, 5, { type: 'payment_failed', planId: 3 }))
      await tell(anEvent(accountId, 4, paid(31, 3)))

      expect(await accounts.getAccount(accountId)).toEqual(before)
    })

    it('ends no plan with an end dated before its beginning, in whichever order they arrive', async () => {
      const [late, early] = [await aPerson('late@example.com'), await aPerson('early@example.com')]
      const reports = ({ accountId }: { accountId: string }) => {
        const subscriptionId = `sub ${accountId}`
        return [
          anEvent(accountId, 3, paid(31), { subscriptionId }),
          anEvent(accountId, 1, { type: 'ended' }, { subscriptionId }),
          anEvent(accountId, 5, paid(31, 3), { subscriptionId }),
        ]
      }
      for (const report of reports(late)) await tell(report)
      for (const report of reports(early).reverse()) await tell(report)

      for (const { accountId } of [late, early])
        expect((await accounts.getAccount(accountId)).activeSubscription?.planName).toBe('Pro')
    })

    it('keeps a plan in force for seven days after a failed payment, and manageable after that', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      clock.now = at(31).getTime()
      await tell(anEvent(accountId, 31, { type: 'payment_failed', planId: 2 }))

      expect((await accounts.getAccount(accountId)).activeSubscription).toMatchObject({
        willCancel: '',
        renewalDate: at(38).toISOString(),
      })
      expect(await accounts.authorizeKey(key)).toMatchObject({ endsAt: at(38) })
      clock.now = at(38).getTime()
      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
      const account = await accounts.getAccount(accountId)
      expect(account).not.toHaveProperty('activeSubscription')
      expect(account.paidSubscription).toEqual({ planName: 'Basic', forbidManageSubscription: false })
      await expectRefusal('SUBSCRIPTION_EXISTS', accounts.startTrial(accountId, 1))
      await expectRefusal('ACTIVE_SUBSCRIPTION', accounts.deleteAccount(accountId))

      await tell(anEvent(accountId, 40, paid(62)))
      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed', planId: 2 })
    })

    it('changes the plan within its period, which continues', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31, 1)))

      await tell(anEvent(accountId, 10, paid(31, 3)))

      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 3, period: '2026-01-31' })
    })

    it('ends the plan at once when its payment is refunded', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await tell(anEvent(accountId, 0, charged('txn_1', 31)))

      await tell(anEvent(null, 3, refunded('txn_1')))

      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
      expect(await accounts.getAccount(accountId)).not.toHaveProperty('paidSubscription')
      expect(await accounts.getPaidSubscription(accountId)).toBeUndefined()
    })

    // Guards what people paid for.
    it('has its plan again once the chargeback that took it is reversed', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await tell(anEvent(accountId, 0, charged('txn_1', 31)))
      await tell(anEvent(null, 3, { ...refunded('txn_1'), adjustmentId: 'adj_1', money: someMoney(7_900n) }))
      const listed = async () => (await accounts.listCharges({ accountId }, 1))[0]?.refunded
      expect(await listed()).toBe('whole')

      const restored = { type: 'restored', transactionId: 'txn_1', adjustmentId: 'adj_2' } as const
      const told = await tell(anEvent(null, 9, restored))

      expect(told).toEqual({ outcome: 'applied', accountId, from: 'ended', to: 'active' })
      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed', planId: 2 })
      expect(await listed()).toBe('no')
    })

    it('goes on when only what a change of plan cost is refunded', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31, 1)))
      await tell(anEvent(accountId, 0, charged('txn_1', 31)))
      await tell(anEvent(accountId, 10, paid(31, 3)))
      await tell(anEvent(accountId, 10, { ...charged('txn_2', 31), origin: 'subscription_update' }))

      await tell(anEvent(null, 12, refunded('txn_2')))

      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed', planId: 3 })
    })

    it('counts one plan if a user paid for two, and the other once the first ends', async () => {
      const { accountId, key } = await aPerson()
      const second = { subscriptionId: 'sub_2' }
      await tell(anEvent(accountId, 1, paid(32, 3), second))
      await tell(anEvent(accountId, 0, paid(31, 1)))

      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 3, connectionLimit: 1 })
      expect((await accounts.getAccount(accountId)).paidSubscription?.planName).toBe('Pro')
      await tell(anEvent(accountId, 2, { type: 'ended' }, second))
      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 1 })
    })

    it('is asked about a plan by its own ids, and its payments are listed', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await tell(anEvent(accountId, 1, charged('txn_1', 31), { customerId: 'ctm_2' }))

      expect(await accounts.getPaidSubscription(accountId)).toEqual({
        accountId,
        provider: 'paddle',
        subscriptionId: 'sub_1',
        customerId: 'ctm_2',
        planId: 2,
        startedAt: at(0),
        renewsAt: at(31),
        endsAt: at(38),
        isCancelled: false,
        isPastDue: false,
      })
      expect(await accounts.listPayments(accountId)).toEqual([
        {
          provider: 'paddle',
          subscriptionId: 'sub_1',
          transactionId: 'txn_1',
          paidAt: at(1),
          until: at(31),
          amount: 7_900n,
          currency: 'USD',
        },
      ])
      expect(await accounts.listPayments('no-uuid')).toEqual([])
      expect(await accounts.getPaidSubscription('no-uuid')).toBeUndefined()
    })

    it('is asked for the plans that are due', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))

      expect(await accounts.listDueRenewals('paddle')).toEqual([])
      clock.now = at(31).getTime()
      expect(await accounts.listDueRenewals('paddle')).toMatchObject([{ accountId, renewsAt: at(31) }])
      expect(await accounts.listDueRenewals('sandbox')).toEqual([])
      await tell(anEvent(accountId, 31, cancelled(40)))
      expect(await accounts.listDueRenewals('paddle')).toEqual([])
    })

    it('leaves its reports, and no plan, for an account deleted after its plan was cancelled', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await expectRefusal('ACTIVE_SUBSCRIPTION', accounts.deleteAccount(accountId))
      await tell(anEvent(accountId, 1, cancelled(31)))

      await accounts.deleteAccount(accountId)
      const late = await tell(anEvent(accountId, 31, { type: 'ended' }))

      expect(late).toEqual({ outcome: 'unknown_account', isCharged: false })
      expect(await events()).toBe(3)
      expect((await db.execute(sql`select * from subscriptions`)).rows).toEqual([])
    })

    it('has its reports deleted if it never names the owner of a plan', async () => {
      await tell(anEvent(null, 0, paid(31)))
      await accounts.sweep()
      expect(await events()).toBe(1)

      clock.now += 31 * DAY_MS
      await accounts.sweep()

      expect(await events()).toBe(0)
    })
  })

  describe('the clock', () => {
    it('ends trials and cancelled plans on time and once, and nothing else', async () => {
      const trial = await aPerson('trial@example.org')
      const leaver = await aPerson('leaver@example.org')
      const payer = await aPerson('payer@example.org')
      await accounts.startTrial(trial.accountId, 1)
      const other = { subscriptionId: 'sub_2' }
      await tell(anEvent(leaver.accountId, 0, cancelled(8)))
      await tell(anEvent(payer.accountId, 0, paid(8), other))

      expect(await accounts.nextPlanEnd()).toEqual(at(5))
      clock.now = at(5).getTime() - 1
      expect(await accounts.endDuePlans()).toEqual([])
      clock.now = at(5).getTime()
      expect(await accounts.endDuePlans()).toEqual([trial.accountId])
      expect(await accounts.nextPlanEnd()).toEqual(at(8))
      clock.now = at(500).getTime()
      expect(await accounts.endDuePlans()).toEqual([leaver.accountId])
      expect(await accounts.endDuePlans()).toEqual([])
      expect(await accounts.nextPlanEnd()).toBeNull()
    })

    it('does not stop a plan from being resumed, or bought again, after its end', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 0, cancelled(8)))
      clock.now = at(9).getTime()
      await accounts.endDuePlans()
      expect(await accounts.getAccount(accountId)).not.toHaveProperty('paidSubscription')

      await tell(anEvent(accountId, 9, paid(39, 3), { subscriptionId: 'sub_2' }))

      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 3 })
      await tell(anEvent(accountId, 10, paid(40, 1)))
      expect((await accounts.getPaidSubscription(accountId))?.subscriptionId).toBe('sub_2')
    })
  })

  // Guards what people paid for: a provider delivers late, twice and in any order.
  it(`ends in the same state after ${DELIVERIES} shuffled and repeated deliveries`, async () => {
    const people = [await aPerson('one@example.org'), await aPerson('two@example.org')]
    const story = people.flatMap(({ accountId }, person) => {
      const over = { subscriptionId: `sub_${person}` }
      const again = { subscriptionId: `sub_${person}_again` }
      return [
        anEvent(accountId, 0, paid(31, 1), over),
        anEvent(null, 0, charged(`txn_${person}`, 31), over),
        anEvent(accountId, 12, paid(31, 3), over),
        anEvent(accountId, 31, { type: 'payment_failed', planId: 3 }, over),
        anEvent(accountId, 33, paid(59, 3), over),
        anEvent(accountId, 40, cancelled(59, 3), over),
        anEvent(accountId, 41, paid(59, 3), over),
        anEvent(null, 42, refunded(`txn_${person}`), over),
        anEvent(accountId, 50, cancelled(59, 3), over),
        anEvent(accountId, 55, paid(86, 2), again),
        anEvent(accountId, 57, cancelled(86), again),
        ...(person === 0 ? [anEvent(accountId, 58, { type: 'ended' }, again)] : []),
      ]
    })
    clock.now = at(58).getTime()
    const look = async () => {
      const { rows } = await db.execute(sql`
        select provider_subscription_id, plan_id, started_at, ends_at, renews_at, cancelled_at, ended_at, state,
          provider_customer_id from subscriptions order by provider_subscription_id`)
      const views = await Promise.all(people.map(({ accountId }) => accounts.getAccount(accountId)))
      return {
        rows,
        plans: views.map(({ activeSubscription, paidSubscription }) => ({
          activeSubscription,
          paidSubscription,
        })),
      }
    }
    for (const event of story) await accounts.applyBillingEvent(event)
    const wanted = await look()
    expect(wanted.rows).toHaveLength(4)
    expect(wanted.plans.map(({ activeSubscription }) => activeSubscription?.planName)).toEqual([
      'Pro',
      'Basic',
    ])

    // Each pass delivers every event at least once, and most of them several times.
    const perRound = 50
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(story.length - 1), { minLength: perRound, maxLength: perRound }),
        fc.shuffledSubarray(story, { minLength: story.length }),
        async (picks, tail) => {
          await db.execute(sql`delete from billing_events`)
          await db.execute(sql`delete from subscriptions`)

          const repeated = picks.slice(0, perRound - tail.length).map((pick) => story[pick]!)
          for (const event of [...repeated, ...tail]) await accounts.applyBillingEvent(event)

          expect(await look()).toEqual(wanted)
        },
      ),
      { numRuns: DELIVERIES / perRound, endOnFailure: true },
    )
  })
}
