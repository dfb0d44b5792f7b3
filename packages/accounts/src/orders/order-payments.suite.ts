import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DELIVERIES } from '../billing/billing.suite.ts'
import { anEvent, at, charged, paid, refunded } from '../testing/a-billing-event.ts'
import type { AccountsUnderTest } from '../testing/accounts-under-test.ts'
import { anOrderEvent, bought } from '../testing/an-order-event.ts'
import { ended, someOrders, WANTED } from '../testing/some-orders.ts'
import type { OrderEvent, OrderReport } from './order-event.ts'

/** Payments for orders, refunds and chargebacks, in any order of delivery, also after the account is deleted. */
export function describeOrderPayments({ accounts, db, clock, aPerson }: AccountsUnderTest): void {
  const { anOrder, aPaidOrder, order } = someOrders(accounts)

  describe('a payment for an order', () => {
    const alarms = async () => (await accounts.countBillingAlarms()).goneAccounts
    const tell = (transactionId: string, report: OrderReport, over: Partial<OrderEvent> = {}) =>
      accounts.applyOrderEvent(anOrderEvent(transactionId, 0, report, over))

    it('is applied once, even if it is reported several times at once', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)
      const event = anOrderEvent('txn_1', 0, bought())

      const outcomes = await Promise.all([1, 2, 3].map(() => accounts.applyOrderEvent(event)))

      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['applied', 'repeated', 'repeated'])
      expect(outcomes).toContainEqual({
        outcome: 'applied',
        orderId: id,
        from: 'awaiting_payment',
        to: 'paid',
      })
    })

    it('counts even if its report arrived before we knew of the payment', async () => {
      const { accountId } = await aPerson()
      const { id } = await accounts.createOrder(accountId, WANTED)
      expect(await tell('txn_1', bought())).toMatchObject({ outcome: 'nobodys', isCharged: true })
      expect(await alarms()).toBe(1)

      await accounts.noteOrderTransaction(id, {
        provider: 'paddle',
        transactionId: 'txn_1',
        priceId: 'pri_day',
      })

      expect((await order(accountId, id)).status).toBe('paid')
      expect(await alarms()).toBe(0)
    })

    it('still pays for a lapsed order', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)
      clock.now = at(1).getTime()
      await accounts.lapseOrders()
      expect((await order(accountId, id)).status).toBe('lapsed')

      await accounts.applyOrderEvent(anOrderEvent('txn_1', 1, bought()))

      expect(await order(accountId, id)).toMatchObject({ status: 'paid', expiresAt: at(31) })
    })

    // Guards the price: a browser can change what a checkout sells.
    it('for another price gives nothing, and raises an alarm until it is refunded', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)

      for (const priceId of ['pri_hour', null]) {
        expect(await tell('txn_1', bought(priceId))).toEqual({
          outcome: 'nobodys',
          isCharged: true,
          orderId: id,
        })
      }

      expect((await order(accountId, id)).status).toBe('awaiting_payment')
      expect(await alarms()).toBe(1)
      await tell('txn_1', { type: 'refunded' })
      expect(await alarms()).toBe(0)
    })

    // Guards orders against strangers: the owner of a payment is known from the order alone.
    it('that we did not create gives nothing, whatever it claims about an order', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)

      const forged = await tell('txn_of_a_stranger', bought(), {
        raw: { data: { custom_data: { userID: accountId, orderID: id } } },
      })
      const other = await tell('txn_1', bought(), { provider: 'sandbox' })

      expect([forged, other]).toEqual(
        [1, 2].map(() => ({ outcome: 'nobodys', isCharged: true, orderId: undefined })),
      )
      expect((await order(accountId, id)).status).toBe('awaiting_payment')
      expect(await alarms()).toBe(2)
      await tell('txn_1', { type: 'charged_back' }, { provider: 'sandbox' })
      await tell('txn_of_a_stranger', { type: 'refunded' })
      expect(await alarms()).toBe(0)
    })

    it('raises its alarm again once its chargeback is reversed, until it is refunded', async () => {
      await tell('txn_1', bought())
      await tell('txn_1', { type: 'charged_back', adjustmentId: 'adj_1' })
      expect(await alarms()).toBe(0)

      const back = await tell('txn_1', { type: 'restored', adjustmentId: 'adj_2' })

      expect(back).toEqual({ outcome: 'nobodys', isCharged: true, orderId: undefined })
      expect(await alarms()).toBe(1)
      await tell('txn_1', { type: 'refunded', adjustmentId: 'adj_3' })
      expect(await alarms()).toBe(0)
    })

    it('for another product is ignored', async () => {
      const outcome = await tell('txn_of_a_shirt', bought('pri_shirt'), { isForHistory: false })

      expect(outcome).toEqual({ outcome: 'not_ours' })
      expect(await alarms()).toBe(0)
    })

    it('dated in the future counts from its arrival', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)

      await accounts.applyOrderEvent(anOrderEvent('txn_1', 365, bought()))

      expect(await order(accountId, id)).toMatchObject({ status: 'paid', expiresAt: at(30) })
    })

    it('ends the order when refunded, even if the refund is reported first', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)
      const token = async () => (await order(accountId, id)).downloadToken

      await accounts.applyOrderEvent(anOrderEvent('txn_1', 1, { type: 'charged_back' }))
      await tell('txn_1', bought())
      expect([(await order(accountId, id)).status, await token()]).toEqual(['refunded', null])

      clock.now = at(3).getTime()
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 2, { type: 'restored' }))
      expect((await order(accountId, id)).status).toBe('paid')
      expect(await token()).not.toBeNull()
    })

    // Its hours have had 30 days from the payment, and may be removed since.
    it('that a bank returns after 30 days brings the order back as expired', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 5, { type: 'charged_back' }))
      clock.now = at(40).getTime()

      await accounts.applyOrderEvent(anOrderEvent('txn_1', 40, { type: 'restored' }))

      expect(await order(accountId, id)).toMatchObject({
        status: 'expired',
        expiresAt: at(30),
        downloadToken: null,
      })
      expect(await accounts.listNeededHours()).toEqual([])
    })

    it('moves no plan, and a plan’s payment moves no order', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)
      await accounts.applyBillingEvent(anEvent(accountId, 0, paid(31)))
      await accounts.applyBillingEvent(anEvent(accountId, 0, charged('txn_1', 31)))
      const before = await accounts.getAccount(accountId)

      await tell('txn_1', { type: 'refunded' })
      expect(await accounts.getAccount(accountId)).toEqual(before)

      const other = await aPaidOrder(accountId, 'txn_2')
      await accounts.applyBillingEvent(anEvent(null, 0, refunded('txn_1')))
      await accounts.applyBillingEvent(anEvent(null, 0, refunded('txn_2')))
      expect((await order(accountId, id)).status).toBe('refunded')
      expect((await order(accountId, other)).status).toBe('paid')
      expect(await accounts.getAccount(accountId)).not.toHaveProperty('activeSubscription')
    })
  })

  describe('an order of a deleted account', () => {
    const alarms = async () => (await accounts.countBillingAlarms()).goneAccounts

    it('raises an alarm for a payment after the deletion, until it is refunded', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)
      await accounts.deleteAccount(accountId)
      expect(await alarms()).toBe(0)

      const outcome = await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, bought()))

      expect(outcome).toEqual({ outcome: 'nobodys', isCharged: true, orderId: id })
      expect(await alarms()).toBe(1)
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, { type: 'refunded' }))
      expect(await alarms()).toBe(0)
    })

    it('raises none for an earlier payment, however often it is reported', async () => {
      const { accountId } = await aPerson()
      await aPaidOrder(accountId)
      await accounts.deleteAccount(accountId)

      await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, bought()))

      expect(await alarms()).toBe(0)
    })

    // Guards us: such an alarm asks the operator to refund what a bank has just decided to be ours.
    it('raises none for an earlier payment whose chargeback is reversed, and one again for a later', async () => {
      const [ann, bob] = [await aPerson('ann@example.org'), await aPerson('bob@example.org')]
      const id = await aPaidOrder(ann.accountId)
      await anOrder(bob.accountId, 'txn_2')
      for (const { accountId } of [ann, bob]) await accounts.deleteAccount(accountId)
      const tell = async (transactionId: string, day: number, report: OrderReport) => [
        await accounts.applyOrderEvent(anOrderEvent(transactionId, day, report)),
        await alarms(),
      ]

      await tell('txn_1', 1, { type: 'charged_back' })
      const back = { outcome: 'applied', orderId: id, from: 'refunded', to: 'paid' }
      expect(await tell('txn_1', 2, { type: 'restored' })).toEqual([back, 0])
      expect(await tell('txn_2', 3, bought())).toMatchObject([{ outcome: 'nobodys', isCharged: true }, 1])
      expect(await tell('txn_2', 4, { type: 'charged_back' })).toMatchObject([{ isCharged: false }, 0])
      expect(await tell('txn_2', 5, { type: 'restored' })).toMatchObject([{ isCharged: true }, 1])
    })

    it('keeps no message of a refund after the deletion, which names its payer', async () => {
      const { accountId } = await aPerson()
      await aPaidOrder(accountId)
      await accounts.deleteAccount(accountId)

      await accounts.applyOrderEvent(anOrderEvent('txn_1', 1, { type: 'refunded' }))

      const { rows } = await db.execute(sql`select type, raw from order_events order by occurred_at`)
      expect(rows).toEqual([
        { type: 'charged', raw: null },
        { type: 'refunded', raw: null },
      ])
    })

    it('keeps its number and payment, and no personal data', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)
      const token = (await order(accountId, id)).downloadToken!
      await accounts.noteDownloaded(id, '20260130-120000')

      await accounts.deleteAccount(accountId)

      const rows = async (table: string) =>
        (await db.execute(sql`select * from ${sql.identifier(table)}`)).rows
      expect(await rows('orders')).toMatchObject([{ id, account_id: null, transaction_id: 'txn_1' }])
      expect(await rows('order_events')).toMatchObject([{ transaction_id: 'txn_1', raw: null }])
      expect(await rows('order_downloads')).toEqual([])
      expect(await accounts.findOrderByToken(token)).toBeUndefined()
      expect(await accounts.readKnownOrder(id)).toBeUndefined()
      expect([await accounts.listOpenOrders(), await accounts.listAllOrders()]).toEqual([[], []])
      clock.now = at(3_650).getTime()
      await accounts.sweep()
      expect([(await rows('orders')).length, (await rows('order_events')).length]).toEqual([1, 1])
      clock.now = at(3_654).getTime()
      await accounts.sweep()
      expect([(await rows('orders')).length, (await rows('order_events')).length]).toEqual([1, 0])
    })
  })

  // Guards money: a provider delivers late, twice and in any order, orders and plans mixed.
  it(`leaves orders and plans in the same state after ${DELIVERIES} shuffled and repeated deliveries`, async () => {
    const people = [await aPerson('one@example.org'), await aPerson('two@example.org')]
    const ids = await Promise.all(
      people.flatMap(({ accountId }, person) =>
        [1, 2, 3, 4].map((number) => anOrder(accountId, `txn_${person}_${number}`, ended(number))),
      ),
    )
    type Delivery = () => Promise<unknown>
    const story = people.flatMap(({ accountId }, person): Delivery[] => {
      const subscription = { subscriptionId: `sub_${person}` }
      const billing = [
        anEvent(accountId, 0, paid(31), subscription),
        anEvent(null, 0, charged(`txn_${person}_2`, 31), subscription),
        anEvent(null, 1, refunded(`txn_${person}_1`), subscription),
        anEvent(accountId, 2, paid(31, 3), subscription),
      ]
      const single = [
        anOrderEvent(`txn_${person}_1`, 0, bought()),
        anOrderEvent(`txn_${person}_2`, 0, bought()),
        anOrderEvent(`txn_${person}_2`, 1, { type: 'charged_back' }),
        anOrderEvent(`txn_${person}_2`, 2, { type: 'restored' }),
        anOrderEvent(`txn_${person}_3`, 0, bought()),
        anOrderEvent(`txn_${person}_3`, 1, { type: 'refunded' }),
        anOrderEvent(`txn_${person}_4`, 0, bought('pri_hour')),
        anOrderEvent(`txn_${person}_forged`, 0, bought()),
      ]
      return [
        ...billing.map((event) => () => accounts.applyBillingEvent(event)),
        ...single.map((event) => () => accounts.applyOrderEvent(event)),
      ]
    })
    clock.now = at(2).getTime()
    const look = async () => ({
      orders: (await accounts.listAllOrders()).map(({ id, status, paidAt }) => ({ id, status, paidAt })),
      plans: await Promise.all(
        people.map(async ({ accountId }) => (await accounts.getAccount(accountId)).activeSubscription),
      ),
      alarms: await accounts.countBillingAlarms(),
    })
    for (const deliver of story) await deliver()
    const wanted = await look()
    const statuses = new Map(wanted.orders.map(({ id, status }) => [id, status]))
    expect(ids.map((id) => statuses.get(id))).toEqual(
      [1, 2].flatMap(() => ['paid', 'paid', 'refunded', 'lapsed']),
    )
    expect(wanted.plans.map((plan) => plan?.planName)).toEqual(['Pro', 'Pro'])
    expect(wanted.alarms).toEqual({ unknownPrices: 0, goneAccounts: 4 })

    const perRound = 50
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(story.length - 1), { minLength: perRound, maxLength: perRound }),
        fc.shuffledSubarray(story, { minLength: story.length }),
        async (picks, tail) => {
          for (const table of ['billing_events', 'subscriptions', 'order_events'])
            await db.execute(sql`delete from ${sql.identifier(table)}`)
          await db.execute(sql`update orders set state = 'awaiting_payment', paid_at = null`)

          const repeated = picks.slice(0, perRound - tail.length).map((pick) => story[pick]!)
          for (const deliver of [...repeated, ...tail]) await deliver()

          expect(await look()).toEqual(wanted)
        },
      ),
      { numRuns: DELIVERIES / perRound, endOnFailure: true },
    )
  })
}
