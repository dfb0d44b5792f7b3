import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { countedBatches, deliveredCounts, deliveredDays, streamSeats } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Notifications sent to an account on a day of a billing period. */
export type DeliveredCount = Readonly<{
  accountId: string
  /** The id of the trial, paid plan or grant whose period it is, from `authorizeKey`. */
  planInForceId: string
  /** UTC date on which the billing period began, `YYYY-MM-DD`. */
  period: string
  /** UTC date on which they were sent. */
  day: string
  kind: 'newPair' | 'buy' | 'sell'
  count: number
  /** How they were sent, if not over a websocket. */
  face?: 'http' | 'webhooks' | undefined
}>

/** Swaps of an account in a billing period so far. */
export type SwapsSoFar = Pick<DeliveredCount, 'accountId' | 'planInForceId' | 'period' | 'count'>

/** Names the rows of one call: a call with the same counter and number, or a lower one, adds nothing again. */
export type CountedBatch = Readonly<{ counter: string; number: number }>

/**
 * Adds to the counts of periods and of days, and frees the seats of closed connections, in one statement: so a connection
 * that takes a freed seat sees the counts of the one before. Rows are merged and sorted: a statement may not touch a row
 * twice, and gateways that lock rows in one order cannot deadlock.
 *
 * @returns what all gateways have recorded for these periods
 */
export async function recordDelivered(
  { db, now }: Store,
  rows: readonly DeliveredCount[],
  leftSeats: readonly string[] = [],
  batch: CountedBatch = { counter: randomUUID(), number: 1 },
): Promise<readonly SwapsSoFar[]> {
  if (rows.length + leftSeats.length === 0) return []

  // As JSON, which the runtime serialises natively: arrays are written element by element, which blocked the event loop.
  const written = await db.execute<SwapsSoFar & { kind: string }>(sql`
    with ${countBatch(batch, now())}, given as (
      select "accountId" as account_id, "planInForceId" as plan_in_force_id, period, day, kind, count, face
      from json_to_recordset(${JSON.stringify(rows)}::json) as given (
        "accountId" uuid, "planInForceId" uuid, period date, day date, kind text, count bigint, face text
      ) where exists (select from batch)
    ), freed as (
      delete from ${streamSeats} where connection_id = any(${sql.param([...leftSeats])}::uuid[])
    ), ${addCounts}
    select account_id as "accountId", plan_in_force_id as "planInForceId", period::text, kind, count::float8 as count
    from periods
  `)
  return written.rows.filter(({ kind }) => kind === 'swap')
}

/** The part `batch` of a statement, which has a row if its call was not counted before. */
export const countBatch = ({ counter, number }: CountedBatch, now: Date) => sql`
  batch as (
    insert into ${countedBatches} (counter, number, at) values (${counter}, ${number}, ${now})
    on conflict (counter) do update set number = excluded.number, at = excluded.at
      where ${countedBatches.number} < excluded.number
    returning 1
  )`

/** The parts of a statement that add what its part `given` has to the counts of days and, as `periods`, of periods. */
export const addCounts = sql`
  days as (
    insert into ${deliveredDays} (account_id, day, kind, count, http, webhooks)
    select account_id, day, kind, sum(count), sum(case face when 'http' then count else 0 end),
      sum(case face when 'webhooks' then count else 0 end)
    from given group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, day, kind) do update set count = ${deliveredDays}.count + excluded.count,
      http = ${deliveredDays}.http + excluded.http, webhooks = ${deliveredDays}.webhooks + excluded.webhooks
  ), periods as (
    insert into ${deliveredCounts} (account_id, plan_in_force_id, period, kind, count)
    select account_id, plan_in_force_id, period, case kind when 'newPair' then kind else 'swap' end, sum(count)
    from given group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (account_id, plan_in_force_id, period, kind) do update set count = ${deliveredCounts}.count + excluded.count
    returning *
  )`
