import type { RowOf } from '@pairwire/contract/operator'
import { sql } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import { accounts, billingEvents, orderEvents, orders } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { isGivenBack } from './is-given-back.ts'

/** A charge of anybody: for part of a plan's time, or for an order of history; with the plan by its id. */
export type Charge = Readonly<Omit<RowOf<'payments list'>, 'plan' | 'url'> & { planId: number | null }>

/** Which charges: since a moment, of an account, and those before the last one of a page. */
export type WantedCharges = Readonly<{
  since?: Date | undefined
  accountId?: string | undefined
  before?: Readonly<{ at: string; id: string }> | undefined
}>

/** Lists charges of plans and of orders of history, newest first, also those whose account is gone. */
export async function listCharges(
  { db }: Store,
  { since, accountId, before }: WantedCharges,
  limit: number,
): Promise<Charge[]> {
  if (accountId !== undefined && !isAccountId(accountId)) return []
  const conditions = [
    sql`type = 'charged'`,
    ...(since ? [sql`occurred_at >= ${since.toISOString()}::timestamptz`] : []),
    ...(before ? [sql`(occurred_at, event.id) < (${before.at}::timestamptz, ${before.id})`] : []),
    ...(accountId ? [sql`account_id = ${accountId}::uuid`] : []),
  ]
  const newest = sql`where ${sql.join(conditions, sql` and `)} order by occurred_at desc, event.id desc limit ${limit}`
  // Of both in order: then the newest of the two together.
  const { rows } = await db.execute<{ charge: Charge }>(sql`
    select json_build_object('id', charge.id, 'paidAt', ${utc('occurred_at')}, 'accountId', account_id, 'email', email,
      'provider', provider, 'transactionId', transaction_id, 'subscriptionId', subscription_id, 'planId', plan_id,
      'orderId', order_id, 'from', ${utc('"from"')}, 'until', ${utc('until')}, 'amount', amount::text, 'tax', tax::text,
      'currency', currency, 'origin', charge.origin, 'refunded', case when whole then 'whole' when part then 'part' else 'no' end
    ) as charge
    from (
      (select event.id, occurred_at, account_id, provider, transaction_id, subscription_id, ${PLAN} as plan_id, null::int as order_id,
        "from", until, amount, tax, currency, origin,
        ${isGivenBack(billingEvents, sql`'refunded'`)} as whole, ${isGivenBack(billingEvents, sql`'refunded_in_part'`)} as part
        from ${billingEvents} event ${newest})
      union all
      (select event.id, occurred_at, account_id, provider, transaction_id, null, null, orders.id, from_hour, to_hour,
        amount, tax, currency, null,
        ${isGivenBack(orderEvents, sql`'refunded', 'charged_back'`)}, ${isGivenBack(orderEvents, sql`'refunded_in_part'`)}
        from ${orderEvents} event left join ${orders} using (provider, transaction_id) ${newest})
    ) charge left join ${accounts} on ${accounts.id} = account_id
    order by occurred_at desc, charge.id desc limit ${limit}`)
  return rows.map(({ charge }) => charge)
}

/** The plan that was reported as paid at the time of the charge. */
const PLAN = sql`(select paid.plan_id from ${billingEvents} paid where paid.provider = event.provider
  and paid.subscription_id = event.subscription_id and paid.type = 'paid'
  order by abs(extract(epoch from paid.occurred_at - event.occurred_at)) limit 1)`

function utc(column: string) {
  return sql.raw(`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
}
