import { type PlanId, planById } from '@pairwire/contract'
import { and, asc, desc, eq, gt, isNull, lte, or } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import type { Queries } from '../database/open-database.ts'
import { billingEvents, subscriptions } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** A paid plan as its provider and its account know it. */
export type PaidSubscription = Readonly<{
  accountId: string
  /** Null, with both ids set, for a plan that no provider charges for. */
  provider: string | null
  subscriptionId: string | null
  customerId: string | null
  planId: PlanId
  startedAt: Date
  /** The next payment; null once it is cancelled. */
  renewsAt: Date | null
  /** When it stops being in force unless it is paid for. */
  endsAt: Date | null
  isCancelled: boolean
  isPastDue: boolean
}>

/** A payment for part of a plan's time. */
export type Payment = Readonly<{
  provider: string
  subscriptionId: string
  transactionId: string
  paidAt: Date
  /** The end of the paid time. */
  until: Date
  /** In the currency's smallest unit. */
  amount: bigint
  currency: string
}>

/** Reads the running paid plan, in force or waiting for its payment; if there are several, the one that began last. */
export async function getPaidSubscription(
  { db, now }: Store,
  accountId: string,
): Promise<PaidSubscription | undefined> {
  const [row] = await readRunningPaid(db, accountId, now())
  return row && toPaidSubscription(row)
}

/** Lists running plans of `provider` whose next payment is due, the most overdue first, 100 at most. */
export async function listDueRenewals({ db, now }: Store, provider: string): Promise<PaidSubscription[]> {
  const rows = await db
    .select()
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.provider, provider),
        isNull(subscriptions.endedAt),
        eq(subscriptions.state, 'active'),
        lte(subscriptions.renewsAt, now()),
      ),
    )
    .orderBy(asc(subscriptions.renewsAt))
    .limit(RENEWALS_AT_ONCE)
  return rows.map(toPaidSubscription)
}

/** Lists what the account was charged, newest first. */
export async function listPayments({ db }: Store, accountId: string): Promise<Payment[]> {
  if (!isAccountId(accountId)) return []
  const rows = await db
    .select()
    .from(billingEvents)
    .where(and(eq(billingEvents.accountId, accountId), eq(billingEvents.type, 'charged')))
    .orderBy(desc(billingEvents.occurredAt), desc(billingEvents.id))
    .limit(PAYMENTS_LISTED)
  return rows.flatMap(({ provider, subscriptionId, transactionId, occurredAt, until, amount, currency }) =>
    transactionId && until && amount !== null && currency
      ? [{ provider, subscriptionId, transactionId, paidAt: occurredAt, until, amount, currency }]
      : [],
  )
}

/** Paid plans that the account has, whether in force or waiting for a payment, the one that counts first. */
export async function readRunningPaid(queries: Queries, accountId: string, now: Date): Promise<Row[]> {
  if (!isAccountId(accountId)) return []
  return queries
    .select()
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.accountId, accountId),
        eq(subscriptions.kind, 'paid'),
        isNull(subscriptions.endedAt),
        // A cancelled plan is over by the clock, even before that is recorded.
        or(isNull(subscriptions.cancelledAt), gt(subscriptions.endsAt, now)),
      ),
    )
    .orderBy(desc(subscriptions.startedAt), desc(subscriptions.id))
}

type Row = typeof subscriptions.$inferSelect

/** Renewals in one batch; the rest wait for the next one. */
const RENEWALS_AT_ONCE = 100

/** Payments shown at most: five years of months. */
const PAYMENTS_LISTED = 60

function toPaidSubscription(row: Row): PaidSubscription {
  const plan = planById(row.planId)
  if (!plan) throw new Error(`subscription ${row.id} names plan ${row.planId}, which does not exist`)
  const { accountId, provider, startedAt, renewsAt, endsAt } = row
  return {
    ...{ accountId, provider, startedAt, renewsAt, endsAt, planId: plan.id },
    subscriptionId: row.providerSubscriptionId,
    customerId: row.providerCustomerId,
    isCancelled: row.cancelledAt !== null,
    isPastDue: row.state === 'past_due',
  }
}
