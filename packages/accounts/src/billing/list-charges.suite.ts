import { describe, expect, it } from 'vitest'
import type { OrderReport } from '../orders/order-event.ts'
import { anEvent, at, charged, paid, refunded } from '../testing/a-billing-event.ts'
import { type AccountsUnderTest, START } from '../testing/accounts-under-test.ts'
import { anOrderEvent, bought } from '../testing/an-order-event.ts'

/** The list of charges: what every database must answer. */
export function describeCharges({ accounts, clock, aPerson }: AccountsUnderTest): void {
  describe('the list of charges', () => {
    it('is newest first, page by page, with refunds, and keeps what a deleted account had paid', async () => {
      clock.now = at(40).getTime()
      const [ann, bob] = [await aPerson('ann@example.org'), await aPerson('bob@example.org')]
      for (const [person, name] of [
        [ann, 'a'],
        [bob, 'b'],
      ] as const) {
        const over = { subscriptionId: `sub_${name}` }
        await accounts.applyBillingEvent(anEvent(person.accountId, 0, paid(31), over))
        for (const day of [0, 31]) {
          await accounts.applyBillingEvent(
            anEvent(person.accountId, day, charged(`txn_${name}${day}`, day + 31), over),
          )
        }
      }
      await accounts.applyBillingEvent(
        anEvent(ann.accountId, 2, refunded('txn_a0'), { subscriptionId: 'sub_a' }),
      )

      const all = await accounts.listCharges({}, 10)
      const first = await accounts.listCharges({}, 3)
      const { paidAt, id } = first.at(-1)!
      const rest = await accounts.listCharges({ before: { at: paidAt, id } }, 3)
      const mine = await accounts.listCharges({ accountId: ann.accountId, since: at(1) }, 10)
      await accounts.deleteAccount(bob.accountId, async () => {})
      const after = await accounts.listCharges({}, 10)

      expect([...first, ...rest]).toEqual(all)
      expect(all.map(({ paidAt }) => paidAt)).toEqual([31, 31, 0, 0].map((day) => at(day).toISOString()))
      expect(all.filter(({ refunded }) => refunded === 'whole')).toMatchObject([{ transactionId: 'txn_a0' }])
      expect(mine).toMatchObject([
        {
          ...{ email: 'ann@example.org', planId: 2, orderId: null, transactionId: 'txn_a31' },
          ...{ amount: '7900', tax: '0', currency: 'USD', origin: 'web', refunded: 'no' },
        },
      ])
      expect(after).toHaveLength(4)
      expect(after.filter(({ email }) => email === null)).toHaveLength(2)
    })

    it('calls no charge refunded whose chargeback was reversed, unless it was refunded or charged back besides', async () => {
      const { accountId } = await aPerson()
      const wanted = { source: 'chain', offer: 'day', to: new Date(START) } as const
      const { id } = await accounts.createOrder(accountId, wanted)
      await accounts.noteOrderTransaction(id, {
        provider: 'paddle',
        transactionId: 'txn_1',
        priceId: 'pri_day',
      })
      const said = async (day: number, report: OrderReport) => {
        await accounts.applyOrderEvent(anOrderEvent('txn_1', day, report))
        return (await accounts.listCharges({}, 10))[0]?.refunded
      }

      expect(await said(0, bought())).toBe('no')
      expect(await said(1, { type: 'charged_back', adjustmentId: 'adj_1' })).toBe('whole')
      expect(await said(2, { type: 'restored', adjustmentId: 'adj_2' })).toBe('no')
      expect(await said(2, { type: 'restored', adjustmentId: 'adj_1' })).toBe('no')
      expect(await said(3, { type: 'refunded_in_part', adjustmentId: 'adj_3' })).toBe('part')
      expect(await said(4, { type: 'charged_back', adjustmentId: 'adj_4' })).toBe('whole')
      expect(await said(5, { type: 'restored', adjustmentId: 'adj_4' })).toBe('part')
      expect(await said(6, { type: 'refunded', adjustmentId: 'adj_5' })).toBe('whole')
    })
  })
}
