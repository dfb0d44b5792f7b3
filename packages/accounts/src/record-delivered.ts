import { sql } from 'drizzle-orm'
import type { DeliveredCount } from './accounts.ts'
import { deliveredCounts } from './schema.ts'
import type { Store } from './store.ts'

/**
 * Adds to the counts in one statement, all rows or none. Rows are merged and sorted first: a statement may not
 * touch a row twice, and two gateways that lock rows in one order cannot wait for each other in a circle.
 * See `Accounts.recordDelivered`.
 */
export async function recordDelivered({ db }: Store, rows: readonly DeliveredCount[]): Promise<void> {
  const merged = new Map<string, DeliveredCount>()
  for (const row of rows) {
    const place = `${row.accountId} ${row.period} ${row.kind}`
    merged.set(place, { ...row, count: row.count + (merged.get(place)?.count ?? 0) })
  }
  const sorted = [...merged].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)
  if (sorted.length === 0) return

  const column = (read: (row: DeliveredCount) => string | number) => sql.param(sorted.map(read))
  await db.execute(sql`
    insert into ${deliveredCounts} (account_id, period, kind, count)
    select * from unnest(
      ${column((row) => row.accountId)}::uuid[],
      ${column((row) => row.period)}::date[],
      ${column((row) => row.kind)}::text[],
      ${column((row) => row.count)}::bigint[]
    )
    on conflict (account_id, period, kind) do update set count = ${deliveredCounts}.count + excluded.count
  `)
}
