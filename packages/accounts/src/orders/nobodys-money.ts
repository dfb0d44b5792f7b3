import { sql } from 'drizzle-orm'
import { isGivenBack } from '../billing/is-given-back.ts'
import type { Queries } from '../database/open-database.ts'
import { orderEvents, orders } from '../database/schema.ts'

/**
 * Counts single payments that were not refunded and give nobody hours: their order's account was gone when the money arrived,
 * the price is not their order's, or the order does not exist.
 */
export async function countNobodysMoney(db: Queries): Promise<number> {
  const { rows } = await db.execute(sql`
    select
      (select count(*)::int from ${orders} where is_owed and state in ('paid', 'failed')) +
      (select count(distinct (provider, transaction_id))::int from ${orderEvents} event
        where type = 'charged' and not exists (select 1 from ${orders}
          where orders.provider = event.provider and orders.transaction_id = event.transaction_id
            and orders.price_id = event.price_id
        ) and not ${isGivenBack(orderEvents, sql`'refunded', 'charged_back'`)}) as count`)
  return Number(rows[0]?.count)
}

/** Deletes reports on payments received before `oldest` if there is no order, before `oldestInBooks` if its account is gone. */
export async function sweepOrderEvents(db: Queries, oldest: Date, oldestInBooks: Date): Promise<void> {
  await db.delete(orderEvents).where(sql`${orderEvents.receivedAt} <= ${oldest} and not exists (
    select 1 from ${orders} where orders.provider = ${orderEvents.provider}
      and orders.transaction_id = ${orderEvents.transactionId}
      and (account_id is not null or ${orderEvents.receivedAt} > ${oldestInBooks}))`)
}
