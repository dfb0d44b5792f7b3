import { sql } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { orderEvents, orders } from '../database/schema.ts'

/**
 * Counts single payments that were not refunded and give nobody hours: their order's account was gone when the money arrived,
 * the price is not their order's, or the order does not exist.
 */
export async function countNobodysMoney(db: Queries): Promise<number> {
  const { rows } = await db.execute(sql`
    select
      (select count(*)::int from ${orders} where is_owed) +
      (select count(distinct (provider, transaction_id))::int from ${orderEvents} charge
        where type = 'charged' and not exists (select 1 from ${orders}
          where orders.provider = charge.provider and orders.transaction_id = charge.transaction_id
            and orders.price_id = charge.price_id
        ) and not exists (select 1 from ${orderEvents} back
          where back.provider = charge.provider and back.transaction_id = charge.transaction_id
            and back.type in ('refunded', 'charged_back')
        )) as count`)
  return Number(rows[0]?.count)
}

/** Deletes reports received before `oldest` on payments that belong to no account's order. */
export async function sweepOrderEvents(db: Queries, oldest: Date): Promise<void> {
  await db.delete(orderEvents).where(sql`${orderEvents.receivedAt} <= ${oldest} and not exists (
    select 1 from ${orders} where account_id is not null and orders.provider = ${orderEvents.provider}
      and orders.transaction_id = ${orderEvents.transactionId})`)
}
