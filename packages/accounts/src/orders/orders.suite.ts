import { SAMPLE_ORDER } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import { at } from '../testing/a-billing-event.ts'
import {
  type AccountsUnderTest,
  DAY_MS,
  expectRefusal,
  START,
  winners,
} from '../testing/accounts-under-test.ts'
import { anOrderEvent, bought } from '../testing/an-order-event.ts'
import { ended, someOrders, WANTED } from '../testing/some-orders.ts'

/** Orders of history: what every database must keep of them. */
export function describeOrders({ accounts, parts, clock, aPerson }: AccountsUnderTest): void {
  const { anOrder, aPaidOrder, order } = someOrders(accounts)

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
}
