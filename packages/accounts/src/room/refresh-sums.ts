import { DAY_MS } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import { accounts, deliveredDays, refusedUpgrades, streamConnections } from '../database/schema.ts'
import { firstUsageDay } from '../plans/get-usage.ts'
import type { Store } from '../store.ts'

/** Parts of all accounts that are summed in one statement each, so that no other query waits long behind one. */
export const SUM_PARTS = 64

/** Ends of connections that are the client's fault. */
const FAULTY_ENDS = ['slowConsumer', 'malformed', 'tooBig', 'tooManyFragments', 'binary']

/**
 * Sums, for one part of the accounts, the events sent in 30 days and the faults of 24 hours, by which the operator's list can
 * be sorted: refused requests and upgrades, and connections that ended by a fault of the client.
 */
export async function refreshSums({ db, now: readClock }: Store, part: number): Promise<void> {
  const now = readClock()
  const since = new Date(now.getTime() - DAY_MS).toISOString()
  const bound = (at: number) =>
    `${((at * 256) / SUM_PARTS).toString(16).padStart(2, '0')}000000-0000-0000-0000-000000000000`
  const isOfPart = (column: unknown) =>
    part + 1 < SUM_PARTS
      ? sql`${column} >= ${bound(part)}::uuid and ${column} < ${bound(part + 1)}::uuid`
      : sql`${column} >= ${bound(part)}::uuid`
  await db.execute(sql`
    with events as (
      select account_id, sum(count)::bigint as sum from ${deliveredDays}
      where ${isOfPart(deliveredDays.accountId)} and day >= ${firstUsageDay(now)} group by 1
    ), faults as (
      select account_id, sum(count)::int as sum from (
        select account_id, count from ${refusedUpgrades}
        where ${isOfPart(refusedUpgrades.accountId)} and hour > ${since}::timestamptz
        union all
        select account_id, (select coalesce(sum(value::int), 0) from jsonb_each_text(faults))
          + (case when ended = any(${sql.param(FAULTY_ENDS)}::text[]) then 1 else 0 end)
        from ${streamConnections}
        where ${isOfPart(streamConnections.accountId)} and seen_at > ${since}::timestamptz
      ) both_kinds group by 1
    ), summed as (
      select id, coalesce(events.sum, 0) as events, coalesce(faults.sum, 0) as faults from ${accounts}
      left join events on events.account_id = id left join faults on faults.account_id = id
      where ${isOfPart(accounts.id)}
    )
    update ${accounts} set events_30d = summed.events, faults_24h = summed.faults from summed
    where ${accounts.id} = summed.id and (${accounts.events30d} <> summed.events or ${accounts.faults24h} <> summed.faults)`)
}
