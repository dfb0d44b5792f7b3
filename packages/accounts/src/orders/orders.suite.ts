import { randomUUID } from 'node:crypto'
import { HOUR_MS, SAMPLE_ORDER } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { at } from '../testing/a-billing-event.ts'
import {
  type AccountsUnderTest,
  DAY_MS,
  expectRefusal,
  START,
  winners,
} from '../testing/accounts-under-test.ts'
import { anOrderEvent, bought } from '../testing/an-order-event.ts'

/** Orders of history: what every database must keep of them. */
export function describeOrders({ accounts, clock, aPerson }: AccountsUnderTest): void {
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

    it('is the same one while it is unpaid, also when it is asked for twice at once', async () => {
      const { accountId } = await aPerson()

      const made = await Promise.all([1, 2, 3].map(() => accounts.createOrder(accountId, WANTED)))

      expect(new Set(made.map(({ id }) => id)).size).toBe(1)
      const other = await accounts.createOrder(accountId, ended(1))
      expect(other.id).not.toBe(made[0]!.id)
    })

    it('is refused while five others wait for their payment', async () => {
      const { accountId } = await aPerson()

      const made = await Promise.allSettled(
        Array.from({ length: 7 }, (_, index) => accounts.createOrder(accountId, ended(index))),
      )

      expect(winners(made)).toBe(5)
      await expectRefusal('ERR_RATE_LIMITED', accounts.createOrder(accountId, ended(9)))
    })

    it('keeps the payment that was made for it first', async () => {
      const { accountId } = await aPerson()
      const { id } = await accounts.createOrder(accountId, WANTED)
      const note = (transactionId: string) =>
        accounts.noteOrderTransaction(id, { provider: 'paddle', transactionId, priceId: 'pri_day' })

      const kept = await Promise.all([note('txn_1'), note('txn_2')])

      expect(kept[0]).toEqual(kept[1])
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

    it('is nobody else’s, by number, key or token', async () => {
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

    it('counts each hour that was downloaded once', async () => {
      const { accountId } = await aPerson()
      const id = await aPaidOrder(accountId)

      for (const hour of ['20260130-120000', '20260130-130000', '20260130-120000']) {
        await accounts.noteDownloaded(id, hour)
      }

      expect((await order(accountId, id)).downloadedHours).toBe(2)
    })

    it('is given for nothing by the operator, who sees everybody’s', async () => {
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
    it('is order 1 of every account, each with a token of its own that ends with the account', async () => {
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
    it('may be played again while every one of them is in an open order of the source', async () => {
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

    it('are needed while an order can be downloaded, and for an hour from any order', async () => {
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
}
