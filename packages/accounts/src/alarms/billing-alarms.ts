import { type SQL, sql } from 'drizzle-orm'
import { LACKS_PLAN } from '../billing/billing-event-row.ts'
import { isGivenBack } from '../billing/is-given-back.ts'
import { billingEvents } from '../database/schema.ts'
import { countNobodysMoney } from '../orders/nobodys-money.ts'
import type { Store } from '../store.ts'

/** Counts of subscriptions and payments that are charged but give nobody anything. */
export type BillingAlarms = Readonly<{
  /** Their price is no plan here: their accounts keep what they had. */
  unknownPrices: number
  /** Charged for a deleted account or for no order, and not refunded; or still reported as paid. */
  goneAccounts: number
}>

/** Counts the subscriptions that an operator must look at now. */
export async function countBillingAlarms({ db }: Store): Promise<BillingAlarms> {
  const { rows } = await db.execute(sql`
    select
      (select count(distinct (provider, subscription_id))::int from ${billingEvents}
        where ${LACKS_PLAN} and (person is null or account_gone) and not exists (${saidLater(sql`billing_events`)})) as unknown_prices,
      (select count(distinct (provider, subscription_id))::int from ${billingEvents} event
        where account_gone and (
          (type = 'paid' and not exists (${saidLater(sql`event`)}))
          or (type = 'charged' and not ${isGivenBack(billingEvents, sql`'refunded'`)})
        )) as gone_accounts`)
  const [counts] = rows
  const goneAccounts = Number(counts?.gone_accounts) + (await countNobodysMoney(db))
  return { unknownPrices: Number(counts?.unknown_prices), goneAccounts }
}

/** A later report on the same subscription; of a deleted account one from after the deletion. */
const saidLater = (event: SQL) => sql`select 1 from billing_events later
  where later.provider = ${event}.provider and later.subscription_id = ${event}.subscription_id
    and later.type in ('paid', 'payment_failed', 'cancelled', 'ended')
    and later.occurred_at > ${event}.occurred_at and later.account_gone = ${event}.account_gone`
