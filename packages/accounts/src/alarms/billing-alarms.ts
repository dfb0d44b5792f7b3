import { sql } from 'drizzle-orm'
import { LACKS_PLAN } from '../billing/billing-event-row.ts'
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
        where ${LACKS_PLAN} and (person is null or account_gone) and not exists (${saidLater})) as unknown_prices,
      (select count(distinct (provider, subscription_id))::int from ${billingEvents}
        where account_gone and (
          (type = 'paid' and not exists (${saidLater})) or (type = 'charged' and not exists (${givenBack}))
        )) as gone_accounts`)
  const [counts] = rows
  const goneAccounts = Number(counts?.gone_accounts) + (await countNobodysMoney(db))
  return { unknownPrices: Number(counts?.unknown_prices), goneAccounts }
}

/** A later report on the same subscription; of a deleted account one from after the deletion. */
const saidLater = sql`select 1 from billing_events later
  where later.provider = billing_events.provider and later.subscription_id = billing_events.subscription_id
    and later.type in ('paid', 'payment_failed', 'cancelled', 'ended')
    and later.occurred_at > billing_events.occurred_at and later.account_gone = billing_events.account_gone`

/** The refund of the same charge. */
const givenBack = sql`select 1 from billing_events refund
  where refund.provider = billing_events.provider and refund.subscription_id = billing_events.subscription_id
    and refund.type = 'refunded' and refund.transaction_id = billing_events.transaction_id and refund.account_gone`
