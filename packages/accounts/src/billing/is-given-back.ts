import { type SQL, sql } from 'drizzle-orm'
import type { billingEvents, orderEvents } from '../database/schema.ts'

/** Whether such a report tells of the payment of `event`, and no bank returned that: by its id, or as all that was given back. */
export function isGivenBack(table: typeof billingEvents | typeof orderEvents, types: SQL): SQL {
  return sql`exists (select 1 from ${table} refund where ${IS_SAME} and type in (${types}) and not exists (
    select 1 from ${table} where ${IS_SAME} and type = 'restored' and refund.type <> 'refunded_in_part' and (
      adjustment_id = refund.adjustment_id or not exists (
        select 1 from ${table} where ${IS_SAME} and type in (${types}) and adjustment_id <> refund.adjustment_id))))`
}

const IS_SAME = sql`provider = event.provider and transaction_id = event.transaction_id`
