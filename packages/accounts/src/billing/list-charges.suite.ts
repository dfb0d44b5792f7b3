import { describe, expect, it } from 'vitest'
import { anEvent, at, charged, paid, refunded } from '../testing/a-billing-event.ts'
import type { AccountsUnderTest } from '../testing/accounts-under-test.ts'

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
  })
}
