import { randomUUID } from 'node:crypto'
import { HOUR_MS, SAMPLE_ORDER } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DELIVERIES } from '../billing/billing.suite.ts'
import { createAccounts } from '../create-accounts.ts'
import { anEvent, at, charged, paid, refunded } from '../testing/a-billing-event.ts'
import {
  type AccountsUnderTest,
  DAY_MS,
  expectRefusal,
  START,
  winners,
} from '../testing/accounts-under-test.ts'
import { anOrderEvent, bought } from '../testing/an-order-event.ts'
import type { OrderEvent, OrderReport } from './order-event.ts'

/** Orders of history: what every database must keep of them. */
export function describeOrders({ accounts, db, parts, clock, aPerson }: AccountsUnderTest): void {
  const WANTED = { source: 'chain', offer: 'day', to: new Date(START) } as const
  const ended = (hours: number) => ({ ...WANTED, to: new Date(START - hours * HOUR_MS) })

  /** An order that waits for its payment. */
  const anOrder = async (
    accountId: string,
    transactionId = 'txn_1',
    wanted = WANTED as typeof WANTED | ReturnType<typeof ended>,
  ) => {
    const { id } = await accounts.createOrder(accountId, wanted)
    await accounts.noteOrderTransaction(id, { provider: 'paddle', transactionId, priceId: 'pri_day' })
    return id
  }
  const aPaidOrder = async (accountId: string, transactionId = 'txn_1') => {
    const id = await anOrder(accountId, transactionId)
    await accounts.applyOrderEvent(anOrderEvent(transactionId, 0, bought()))
    return id
  }
  const order = async (accountId: string, id: number) => {
    const found = await accounts.findOrder(accountId, id)
    if (!found || found.status === 'sample') return expect.fail('there is no such order')
    return found
  }

  describe('an order of history', () => {
    it('is for the hours of its offer, at its price, under nine digits', async () => {
      const { accountId } = await aPerson()

      const made = await accounts.createOrder(accountId, WANTED)

      expect(String(made.id)).toMatch(/^[1-9]\d{8}$/)
      expect(made).toMatchObject({
        offer: 'day',
        from: new Date(START - DAY_MS),
        to: new Date(START),
        usd: 10,
        status: 'awaiting_payment',
        paidAt: null,
        expiresAt: null,
        downloadToken: null,
      })
      expect(await accounts.listOrders(accountId)).toEqual([made])
    })

    it('is the same one while unpaid, even if requested twice at once', async () => {
      const { accountId } = await aPerson()

      const made = await Promise.all([1, 2, 3].map(() => accounts.createOrder(accountId, WANTED)))

      expect(new Set(made.map(({ id }) => id)).size).toBe(1)
      const other = await accounts.createOrder(accountId, ended(1))
      expect(other.id).not.toBe(made[0]!.id)
    })

    it('is refused while five others are unpaid', async () => {
      const { accountId } = await aPerson()

      const made = await Promise.allSettled(
        Array.from({ length: 7 }, (_, index) => accounts.createOrder(accountId, ended(index))),
      )

      expect(winners(made)).toBe(5)
      await expectRefusal('ERR_RATE_LIMITED', accounts.createOrder(accountId, ended(9)))
    })

    it('keeps the first payment that was created for it', async () => {
      const { accountId } = await aPerson()
      const { id } = await accounts.createOrder(accountId, WANTED)
      const note = (transactionId: string) =>
        accounts.noteOrderTransaction(id, { provider: 'paddle', transactionId, priceId: 'pri_day' })

      const kept = await Promise.all([note('txn_1'), note('txn_2')])

      expect(kept[0]).toEqual(kept[1])
    })

    it('is paid at the provider that is used now, unless it was paid before', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)
      const note = (transactionId: string) =>
        accounts.noteOrderTransaction(id, { provider: 'sandbox', transactionId, priceId: 'pri_other' })

      const kept = [await note('txn_2'), await note('txn_3')]
      await accounts.applyOrderEvent(anOrderEvent('txn_2', 0, bought('pri_other'), { provider: 'sandbox' }))

      expect(kept.map(({ transactionId }) => transactionId)).toEqual(['txn_2', 'txn_2'])
      expect(await order(accountId, id)).toMatchObject({ status: 'paid', provider: 'sandbox' })
      const again = { provider: 'paddle', transactionId: 'txn_4', priceId: 'pri_day' }
      expect(await accounts.noteOrderTransaction(id, again)).toMatchObject({ transactionId: 'txn_2' })
    })

    it('has a payment that was reported before acknowledged only once it is on disk', async () => {
      const { accountId } = await aPerson()
      await anOrder(accountId)
      const event = anOrderEvent('txn_1', 0, bought())
      await accounts.applyOrderEvent(event)
      const barrier = () => Promise.reject(new Error('the disk is full'))

      const again = createAccounts({ ...parts, barrier }).applyOrderEvent(event)

      await expect(again).rejects.toThrow('the disk is full')
      expect(await accounts.applyOrderEvent(event)).toEqual({ outcome: 'repeated' })
    })

    it('can be downloaded for 30 days from its payment, by one token', async () => {
      const { accountId, key } = await aPerson()
      const id = await aPaidOrder(accountId)

      const { status, downloadToken, expiresAt } = await order(accountId, id)

      expect({ status, expiresAt }).toEqual({ status: 'paid', expiresAt: at(30) })
      expect(downloadToken).toMatch(/^[A-Za-z0-9_-]{40,100}$/)
      expect((await accounts.findOrderByToken(downloadToken!))?.id).toBe(id)
      expect(await accounts.findOrderOfKey(key, id)).toMatchObject({
        outcome: 'found',
        order: { id, downloadToken },
      })
      clock.now = at(30).getTime()
      expect(await accounts.findOrderByToken(downloadToken!)).toMatchObject({
        status: 'expired',
        downloadToken: null,
      })
    })

    it('is visible to nobody else, by number, key or token', async () => {
      const { accountId } = await aPerson()
      const other = await aPerson('bob@example.org')
      const id = await aPaidOrder(accountId)
      const token = (await order(accountId, id)).downloadToken!

      expect(await accounts.findOrder(other.accountId, id)).toBeUndefined()
      expect(await accounts.findOrderOfKey(other.key, id)).toEqual({
        outcome: 'not_found',
        accountId: other.accountId,
      })
      expect(await accounts.findOrderOfKey('0'.repeat(32), id)).toEqual({ outcome: 'unknown_key' })
      for (const forged of [
        token.replace(String(id), '100000001'),
        `${token.slice(0, -1)}~`,
        '',
        `${token}a`,
      ]) {
        expect(await accounts.findOrderByToken(forged)).toBeUndefined()
      }
      const last = token.at(-2) === 'A' ? 'B' : 'A'
      expect(await accounts.findOrderByToken(token.slice(0, -2) + last + token.at(-1))).toBeUndefined()
    })

    it('counts each downloaded hour once', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)

      for (const hour of ['20260130-120000', '20260130-130000', '20260130-120000']) {
        await accounts.noteDownloaded(id, hour)
      }

      expect((await order(accountId, id)).downloadedHours).toBe(2)
    })

    it('is granted for free by the operator, who sees everybody’s', async () => {
      const { accountId } = await aPerson()

      const given = await accounts.grantOrder('ANN@example.org', WANTED)

      expect(given).toMatchObject({ accountId, status: 'paid', usd: 0, provider: null, paidAt: at(0) })
      expect(await accounts.readKnownOrder(given.id)).toMatchObject({ email: 'ann@example.org', events: [] })
      expect(await accounts.listAllOrders('paid')).toMatchObject([{ id: given.id }])
      expect(await accounts.listAllOrders('failed')).toEqual([])
      clock.now = at(30).getTime()
      expect(await accounts.listAllOrders('paid')).toEqual([])
      expect(await accounts.listAllOrders('expired')).toMatchObject([{ id: given.id }])
      await expectRefusal('ERR_NOT_FOUND', accounts.grantOrder('bob@example.org', WANTED))
    })
  })

  describe('the sample', () => {
    it('is order 1 of every account, each with its own token that ends with the account', async () => {
      const [ann, bob] = [await aPerson(), await aPerson('bob@example.org')]

      const [own, others] = await Promise.all(
        [ann, bob].map(({ accountId }) => accounts.findOrder(accountId, SAMPLE_ORDER)),
      )

      expect(own).toMatchObject({ id: SAMPLE_ORDER, status: 'sample', accountId: ann.accountId })
      expect(own!.downloadToken).toMatch(/^[A-Za-z0-9_-]{40,100}$/)
      expect(own!.downloadToken).not.toBe(others!.downloadToken)
      expect(await accounts.findOrderOfKey(ann.key, SAMPLE_ORDER)).toEqual({ outcome: 'found', order: own })
      expect(await accounts.findOrderByToken(own!.downloadToken!)).toEqual(own)
      await accounts.deleteAccount(ann.accountId)
      expect(await accounts.findOrderByToken(own!.downloadToken!)).toBeUndefined()
    })
  })

  describe('the hours of orders', () => {
    it('may be replayed while every one of them is in an open order of the source', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)
      const may = (from: number, to: number, source: 'chain' | 'simulator' = 'chain') =>
        accounts.mayReplay(accountId, source, START + from * HOUR_MS, START + to * HOUR_MS)

      expect(await may(-24, 0)).toBe(true)
      expect(await may(-1.5, -0.5)).toBe(true)
      expect([await may(-25, -23), await may(-1, 1), await may(-2, -1, 'simulator')]).toEqual([
        false,
        false,
        false,
      ])
      expect(await accounts.mayReplay(randomUUID(), 'chain', START - HOUR_MS, START)).toBe(false)
      await accounts.grantOrder('ann@example.org', { ...ended(-1), offer: 'hour' })
      expect(await may(-2, 1)).toBe(true)
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, { type: 'refunded' }))
      expect(await may(-2, -1)).toBe(false)
      expect((await order(accountId, id)).status).toBe('refunded')
    })

    it.each(['0000-01-01T00:00:00Z', '9999-12-31T23:00:00Z'])('may not be replayed at %s', async (time) => {
      const { accountId } = await aPerson()
      await aPaidOrder(accountId)
      const begin = Date.parse(time)

      expect(await accounts.mayReplay(accountId, 'chain', begin, begin + HOUR_MS)).toBe(false)
    })

    it('are needed while an order can be downloaded, and for an hour after any order', async () => {
      const { accountId } = await aPerson()
      await anOrder(accountId, 'txn_1', ended(2))
      const unpaid = { source: 'chain', from: ended(26).to, to: ended(2).to }
      expect(await accounts.listNeededHours()).toEqual([unpaid])

      clock.now = START + HOUR_MS
      expect(await accounts.listNeededHours()).toEqual([])
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, bought()))
      expect(await accounts.listNeededHours()).toEqual([unpaid])
      clock.now = at(30).getTime()
      expect(await accounts.listNeededHours()).toEqual([])
    })
  })

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

  describe('the hours of a paid order', () => {
    const settle = async (accountId: string, id: number, ...missing: number[]) =>
      accounts.settleOrder(
        { id, accountId },
        missing.map((hours) => START - hours * HOUR_MS),
      )
    const mails = async () => {
      const due = await accounts.takeDueMails(100)
      for (const { id } of due.mails) await accounts.noteMailSent(id)
      return due.mails.map(({ letter }) => letter).filter(({ template }) => template.startsWith('history'))
    }

    it('are announced in one mail, when all exist for the first time', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)

      expect(await settle(accountId, id, 1)).toEqual({ from: 'paid', to: 'paid' })
      expect(await mails()).toEqual([])
      await settle(accountId, id)
      await settle(accountId, id)

      const { from, to, readyAt } = await order(accountId, id)
      expect(await mails()).toEqual([{ template: 'history_ready', orderId: id, from, to, missing: 0 }])
      expect(readyAt).toEqual(at(0))
    })

    it('make it fail after a day without them, and paid again once they exist, each with one mail', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)
      clock.now = at(1).getTime() - 1
      expect(await settle(accountId, id, 1, 2)).toEqual({ from: 'paid', to: 'paid' })

      clock.now = at(1).getTime()
      expect(await settle(accountId, id, 1, 2)).toEqual({ from: 'paid', to: 'failed' })
      expect(await settle(accountId, id, 1)).toEqual({ from: 'failed', to: 'failed' })

      expect(await order(accountId, id)).toMatchObject({
        status: 'failed',
        downloadToken: expect.stringMatching(/./),
      })
      expect(await accounts.countFailedOrders()).toBe(1)
      expect(await mails()).toMatchObject([{ template: 'history_failed', missing: 2 }])
      expect(await settle(accountId, id)).toEqual({ from: 'failed', to: 'paid' })
      expect(await settle(accountId, id, 1)).toEqual({ from: 'paid', to: 'failed' })
      expect(await settle(accountId, id)).toEqual({ from: 'failed', to: 'paid' })
      expect(await mails()).toMatchObject([{ template: 'history_ready' }])
      expect(await accounts.countFailedOrders()).toBe(0)
    })

    it('make it fail at once if one is gone, as after a late payment', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)

      expect(await settle(accountId, id, 2)).toEqual({ from: 'paid', to: 'paid' })
      expect(await settle(accountId, id, 3)).toEqual({ from: 'paid', to: 'failed' })
    })

    it('make it fail at once if money comes after the order lapsed and the newest hour is gone', async () => {
      const { accountId } = await aPerson()
      const id = await anOrder(accountId)
      clock.now = at(3).getTime()
      await accounts.lapseOrders()
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 3, bought()))

      expect(await settle(accountId, id, 1)).toEqual({ from: 'paid', to: 'failed' })
    })

    it('are not owed after a refund, and are owed again after another payment', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)
      await settle(accountId, id, 3)
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, { type: 'charged_back' }))

      expect(await settle(accountId, id)).toBeUndefined()
      expect(await accounts.listOpenOrders()).toEqual([])
      clock.now = at(2).getTime()
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 1, { type: 'restored' }))
      expect((await order(accountId, id)).status).toBe('failed')
    })

    it('are not settled while the account is being deleted', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)

      await Promise.all([accounts.deleteAccount(accountId), settle(accountId, id, 3)])

      expect(await settle(accountId, id, 3)).toBeUndefined()
    })
  })

  // Guards money: a provider delivers late, twice and in any order, orders and plans mixed.
  it(`end in the same state after ${DELIVERIES} shuffled and repeated deliveries, mixed with those of plans`, async () => {
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
