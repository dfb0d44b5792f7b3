import { randomUUID } from 'node:crypto'
import { HOUR_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { at } from '../testing/a-billing-event.ts'
import { type AccountsUnderTest, START } from '../testing/accounts-under-test.ts'
import { anOrderEvent, bought } from '../testing/an-order-event.ts'
import { ended, someOrders } from '../testing/some-orders.ts'

/** The hours of orders: which an account may replay, which are needed, and what happens if some are missing. */
export function describeOrderHours({ accounts, clock, aPerson }: AccountsUnderTest): void {
  const { anOrder, aPaidOrder, order } = someOrders(accounts)

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
}
