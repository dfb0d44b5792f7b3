import { randomUUID } from 'node:crypto'
import type { BillingEvent, BillingReport, ReportedPlan } from '../billing/billing-event.ts'
import type { Money } from '../database/money.ts'
import { DAY_MS, START } from './accounts-under-test.ts'

/** A moment by its distance from the start. */
export const at = (days: number) => new Date(START + days * DAY_MS)

/** A report of one subscription, on a day after the start; `accountId` null leaves out whose it is. */
export function anEvent(
  accountId: string | null,
  day: number,
  report: BillingReport,
  over: Partial<BillingEvent> = {},
): BillingEvent {
  return {
    provider: 'paddle',
    id: randomUUID(),
    occurredAt: at(day),
    subscriptionId: 'sub_1',
    customerId: 'ctm_1',
    accountId: accountId ?? undefined,
    priceIds: [],
    raw: { said: report.type },
    report,
    ...over,
  }
}

/** Paid for until that day; `planId` null for a price that is no plan here. */
export const paid = (until: number, planId: ReportedPlan = 2) =>
  ({ type: 'paid', planId, until: at(until) }) as const

/** Cancelled, and left until that day. */
export const cancelled = (until: number, planId: ReportedPlan = 2) =>
  ({ type: 'cancelled', planId, until: at(until) }) as const

/** Money taken for the time until that day. */
export const charged = (transactionId: string, until: number) =>
  ({
    type: 'charged',
    transactionId,
    from: at(until - 31),
    until: at(until),
    origin: 'web',
    ...someMoney(7_900n),
  }) as const

/** Money in dollars, without tax. */
export const someMoney = (cents: bigint, payout: Money['payout'] = null): Money => ({
  ...{ currency: 'USD', amount: cents, net: cents, tax: 0n, fee: null },
  payout,
})

/** That money given back. */
export const refunded = (transactionId: string) => ({ type: 'refunded', transactionId }) as const
