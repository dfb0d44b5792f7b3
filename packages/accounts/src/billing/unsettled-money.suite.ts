import { randomUUID } from 'node:crypto'
import { AppError, type PlanId } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { anEvent, at, cancelled, charged, paid, refunded } from '../testing/a-billing-event.ts'
import { type AccountsUnderTest, expectRefusal } from '../testing/accounts-under-test.ts'
import type { ProviderSubscription } from './billing-event.ts'

/** Reports that match no account: what every database must guarantee for them. */
export function describeUnsettledMoney({ accounts, db, clock, aPerson }: AccountsUnderTest): void {
  const tell = accounts.applyBillingEvent
  const planName = async (accountId: string) =>
    (await accounts.getAccount(accountId)).activeSubscription?.planName
  const events = async () => (await db.execute(sql`select count(*)::int as n from billing_events`)).rows[0]?.n

  describe('a report that is dated in the future', () => {
    // Guards plans against a date that would outweigh every report for a year.
    it('counts from its arrival, so that later events come after it', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 365, paid(400)))

      clock.now = at(1).getTime()
      await tell(anEvent(accountId, 1, { type: 'ended' }))

      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
    })

    it('begins its plan, and is listed as paid, at its arrival', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 365, paid(31)))
      await tell(anEvent(accountId, 365, charged('txn_1', 31)))

      expect(await accounts.authorizeKey(key)).toMatchObject({ period: '2026-01-31' })
      expect(await accounts.listPayments(accountId)).toMatchObject([{ paidAt: at(0) }])
    })

    it('keeps its date if the provider’s clock is half a minute ahead', async () => {
      const { accountId } = await aPerson()
      const inSeconds = (seconds: number) => ({ occurredAt: new Date(clock.now + seconds * 1_000) })
      await tell(anEvent(accountId, 0, cancelled(31), inSeconds(30)))

      await tell(anEvent(accountId, 0, paid(31), inSeconds(29)))

      expect((await accounts.getAccount(accountId)).activeSubscription?.willCancel).not.toBe('')
    })
  })

  describe('a trial', () => {
    it('is unchanged by an older report, and ended by a newer one', async () => {
      const { accountId } = await aPerson()
      clock.now = at(10).getTime()
      await accounts.startTrial(accountId, 3)
      const trials = () =>
        db.execute(sql`select 1 from subscriptions where kind = 'trial' and ended_at is null`)

      await tell(anEvent(accountId, 0, cancelled(9)))
      expect(await planName(accountId)).toBe('Pro')
      await tell(anEvent(accountId, 8, paid(39)))
      expect((await trials()).rows).toHaveLength(1)

      clock.now = at(11).getTime()
      await tell(anEvent(accountId, 11, paid(41)))
      expect((await trials()).rows).toHaveLength(0)
    })
  })

  describe('a refund', () => {
    it('that refunds another charge than the subscription’s changes nothing', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await tell(anEvent(accountId, 0, charged('txn_1', 31)))
      await tell(anEvent(accountId, 0, charged('txn_2', 31), { subscriptionId: 'sub_2' }))
      const before = await accounts.getAccount(accountId)

      for (const transaction of ['txn_2', 'txn_of_a_single_sale']) {
        await tell(anEvent(null, 0, refunded(transaction)))
        expect(await accounts.getAccount(accountId)).toEqual(before)
      }
      await tell(anEvent(null, 0, refunded('txn_1')))
      expect(await planName(accountId)).toBeUndefined()
    })
  })

  describe('a price that is no plan here', () => {
    const price = { priceIds: ['pri_addon', 'pri_new'] }
    const planOf = (priceId: string): PlanId | undefined => (priceId === 'pri_new' ? 3 : undefined)

    it('leaves the account its plan, and raises an alarm until the price is known', async () => {
      const { accountId, key } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      expect(await accounts.countBillingAlarms()).toEqual({ unknownPrices: 0, goneAccounts: 0 })

      clock.now = at(31).getTime()
      await tell(anEvent(accountId, 31, paid(59, null), price))
      clock.now = at(50).getTime()

      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed', planId: 2 })
      expect((await accounts.getAccount(accountId)).activeSubscription?.renewalDate).toBe(
        at(59).toISOString(),
      )
      expect(await accounts.countBillingAlarms()).toEqual({ unknownPrices: 1, goneAccounts: 0 })

      expect(await accounts.applyKnownPrices('sandbox', planOf)).toEqual([])
      expect(await accounts.applyKnownPrices('paddle', () => undefined)).toEqual([])
      expect(await accounts.applyKnownPrices('paddle', planOf)).toEqual([accountId])
      expect(await accounts.applyKnownPrices('paddle', planOf)).toEqual([])
      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 3 })
      expect(await accounts.countBillingAlarms()).toEqual({ unknownPrices: 0, goneAccounts: 0 })
    })

    it('gives no plan and ends no trial until its plan is known, and then gives that plan', async () => {
      const { accountId } = await aPerson()
      await accounts.startTrial(accountId, 1)

      await tell(anEvent(accountId, 0, paid(31, null), price))

      expect((await accounts.getAccount(accountId)).activeSubscription?.isFreeTrial).toBe(true)
      await accounts.applyKnownPrices('paddle', planOf)
      expect((await accounts.getAccount(accountId)).activeSubscription).toMatchObject({
        planName: 'Pro',
        isFreeTrial: false,
      })
    })

    it('clears its alarm once a later report names a plan, or the end', async () => {
      const { accountId } = await aPerson()
      const other = { ...price, subscriptionId: 'sub_2' }
      await tell(anEvent(accountId, 0, paid(31, null), price))
      await tell(anEvent(null, 0, paid(31, null), other))
      expect((await accounts.countBillingAlarms()).unknownPrices).toBe(2)

      clock.now = at(2).getTime()
      await tell(anEvent(accountId, 1, paid(31)))
      await tell(anEvent(null, 1, { type: 'ended' }, other))

      expect((await accounts.countBillingAlarms()).unknownPrices).toBe(0)
    })

    it('is kept for the account that it turns out to belong to', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(null, 0, paid(31, null), price))
      expect(await accounts.applyKnownPrices('paddle', planOf)).toEqual([])

      await tell(anEvent(accountId, 0, charged('txn_1', 31)))

      expect(await planName(accountId)).toBe('Pro')
    })
  })

  describe('an account being deleted', () => {
    /** A refunded plan that still runs at its provider. */
    async function aRefundedPerson() {
      const person = await aPerson()
      await tell(anEvent(person.accountId, 0, paid(31)))
      await tell(anEvent(person.accountId, 0, charged('txn_1', 31)))
      await tell(anEvent(null, 0, refunded('txn_1')))
      return person
    }

    // Guards a card: a refund ends the plan here, but not at the provider.
    it('has its refunded subscription ended at the provider first', async () => {
      const { accountId } = await aRefundedPerson()
      const ended: ProviderSubscription[] = []

      await accounts.deleteAccount(accountId, async (subscription) => {
        expect(await accounts.getAccount(accountId)).toBeDefined()
        ended.push(subscription)
      })

      expect(ended).toEqual([{ provider: 'paddle', subscriptionId: 'sub_1' }])
      await expectRefusal('ERR_LOGIN_REQUIRED', accounts.getAccount(accountId))
    })

    it('has an unpaid subscription ended once it is out of force', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      clock.now = at(31).getTime()
      await tell(anEvent(accountId, 31, { type: 'payment_failed', planId: 2 }))
      const ended: ProviderSubscription[] = []
      const remove = () => accounts.deleteAccount(accountId, async (given) => void ended.push(given))

      clock.now = at(38).getTime() - 1
      await expectRefusal('ACTIVE_SUBSCRIPTION', remove())
      expect(ended).toEqual([])
      clock.now = at(38).getTime()
      await remove()

      expect(ended).toEqual([{ provider: 'paddle', subscriptionId: 'sub_1' }])
    })

    it('stays complete if the provider does not end its subscription', async () => {
      const { accountId } = await aRefundedPerson()
      const before = await accounts.getAccount(accountId)

      await expectRefusal('ACTIVE_SUBSCRIPTION', accounts.deleteAccount(accountId))
      const away = accounts.deleteAccount(accountId, async () => {
        throw new AppError('ERR_UNAVAILABLE')
      })

      await expectRefusal('ERR_UNAVAILABLE', away)
      expect(await accounts.getAccount(accountId)).toEqual(before)
      expect(await events()).toBe(3)
    })

    it('is kept when its user pays for a plan again while the provider is asked', async () => {
      const { accountId } = await aRefundedPerson()

      const deletion = accounts.deleteAccount(accountId, async () => {
        await tell(anEvent(accountId, 0, paid(31), { subscriptionId: 'sub_2' }))
      })

      await expectRefusal('ACTIVE_SUBSCRIPTION', deletion)
      expect(await planName(accountId)).toBe('Basic')
    })

    it('is deleted without a call to the provider when its plan is cancelled or over there', async () => {
      const ask = async () => expect.fail('the provider was asked')
      const leaver = await aPerson('leaver@example.org')
      await tell(anEvent(leaver.accountId, 0, paid(31)))
      await tell(anEvent(leaver.accountId, 0, cancelled(31)))
      const over = await aPerson('over@example.org')
      await tell(anEvent(over.accountId, 0, paid(31), { subscriptionId: 'sub_2' }))
      await tell(anEvent(over.accountId, 0, { type: 'ended' }, { subscriptionId: 'sub_2' }))

      await accounts.deleteAccount(leaver.accountId, ask)
      await accounts.deleteAccount(over.accountId, ask)

      expect(await accounts.countBillingAlarms()).toEqual({ unknownPrices: 0, goneAccounts: 0 })
    })

    it('is refused without a call to the provider while its plan runs, whether or not we know its price', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await tell(anEvent(accountId, 0, paid(31, null), { priceIds: ['pri_new'] }))

      const deletion = accounts.deleteAccount(accountId, async () => expect.fail('the provider was asked'))

      await expectRefusal('ACTIVE_SUBSCRIPTION', deletion)
    })
  })

  describe('a deleted account', () => {
    it('has its charges kept, which raise an alarm until they are refunded', async () => {
      const { accountId } = await aPerson()
      await accounts.deleteAccount(accountId)

      const outcomes = [
        await tell(anEvent(accountId, 0, charged('txn_1', 31))),
        await tell(anEvent(null, 0, charged('txn_2', 59))),
      ]

      expect(outcomes).toEqual(outcomes.map(() => ({ outcome: 'unknown_account', isCharged: true })))
      expect(await events()).toBe(2)
      expect(await accounts.countBillingAlarms()).toEqual({ unknownPrices: 0, goneAccounts: 1 })
      await tell(anEvent(null, 0, refunded('txn_1')))
      expect((await accounts.countBillingAlarms()).goneAccounts).toBe(1)
      await tell(anEvent(null, 0, refunded('txn_2')))
      expect((await accounts.countBillingAlarms()).goneAccounts).toBe(0)
    })

    it('raises its alarm again once the chargeback of a charge is reversed, until that is refunded', async () => {
      const alarms = async () => (await accounts.countBillingAlarms()).goneAccounts
      const back = (day: number, type: 'refunded' | 'restored', adjustmentId: string) =>
        tell(anEvent(null, day, { type, transactionId: 'txn_1', adjustmentId }))
      const { accountId } = await aPerson()
      await accounts.deleteAccount(accountId)
      await tell(anEvent(accountId, 0, charged('txn_1', 31)))
      await back(1, 'refunded', 'adj_1')
      expect(await alarms()).toBe(0)

      await back(2, 'restored', 'adj_1')

      expect(await alarms()).toBe(1)
      await back(3, 'refunded', 'adj_2')
      expect(await alarms()).toBe(0)
    })

    // Guards us: such an alarm asks the operator to refund what a bank has just decided to be ours.
    it('raises none for an earlier charge whose chargeback is reversed', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent(accountId, 0, paid(31)))
      await tell(anEvent(accountId, 0, charged('txn_1', 31)))
      await tell(anEvent(accountId, 1, { type: 'ended' }))
      clock.now = at(2).getTime()
      await accounts.deleteAccount(accountId)

      await tell(anEvent(null, 3, refunded('txn_1')))
      await tell(anEvent(null, 4, { type: 'restored', transactionId: 'txn_1' }))

      expect((await accounts.countBillingAlarms()).goneAccounts).toBe(0)
    })

    it('raises an alarm for a running subscription until that ends', async () => {
      const nobody = randomUUID()
      await tell(anEvent(nobody, 0, paid(31)))
      expect((await accounts.countBillingAlarms()).goneAccounts).toBe(1)

      clock.now = at(1).getTime()
      await tell(anEvent(nobody, 1, { type: 'ended' }))

      expect((await accounts.countBillingAlarms()).goneAccounts).toBe(0)
    })

    it('keeps no report that charges nothing', async () => {
      for (const accountId of [randomUUID(), 'no-uuid', '']) {
        for (const report of [
          cancelled(31),
          { type: 'ended' },
          { type: 'payment_failed', planId: 2 },
        ] as const) {
          const outcome = await tell(anEvent(accountId, 0, report))

          expect(outcome).toEqual({ outcome: 'unknown_account', isCharged: false })
        }
      }
      expect(await events()).toBe(0)
    })

    it('gives its subscription to the account that a later report names', async () => {
      const { accountId } = await aPerson()
      await tell(anEvent('mistyped', 0, paid(31)))

      await tell(anEvent(accountId, 0, charged('txn_1', 31)))

      expect(await planName(accountId)).toBe('Basic')
      expect((await accounts.countBillingAlarms()).goneAccounts).toBe(0)
    })

    it('has its charges remembered for a year, and those that name no account for a month', async () => {
      await tell(anEvent(randomUUID(), 0, charged('txn_1', 31)))
      await tell(anEvent(null, 0, charged('txn_2', 31), { subscriptionId: 'sub_2' }))

      const left: unknown[] = []
      for (const days of [31, 365, 367]) {
        clock.now = at(days).getTime()
        await accounts.sweep()
        left.push(await events())
      }

      expect(left).toEqual([1, 1, 0])
    })
  })
}
