import { DAY_MS } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import { accounts, gateways, leases, mails, subscriptions, webhooks } from '../database/schema.ts'
import { countFailedOrders } from '../orders/settle-orders.ts'
import { isInForce } from '../standing/plan-in-force.ts'
import type { Store } from '../store.ts'
import { type BillingAlarms, countBillingAlarms } from './billing-alarms.ts'

/** What the database knows of the conditions of alarms. */
export type AlarmFacts = BillingAlarms &
  Readonly<{
    failedOrders: number
    /** Mails given up in the last 24 hours, and when the oldest that waits was queued; null if none waits. */
    givenUpMails: number
    oldestMailAt: Date | null
    /** Gateways that ended without a word in the last hour and have not come back. */
    lostGateways: number
    /** Endpoints of webhooks that should get events, those of them that fail, and those that no process serves. */
    webhooks: Readonly<{ on: number; failing: number; unserved: number }>
    /** Milliseconds by which the database's clock is at least ahead of this process's, or behind if negative. */
    clockAheadMs: number
  }>

/** Reads the facts. Mails about alarms do not count: one that cannot be sent would keep its own alarm standing. */
export async function readAlarmFacts(store: Store): Promise<AlarmFacts> {
  // More than so little memory holds: the database writes it to its disk, or fails if that is full.
  await store.db.execute(sql`set local work_mem = 64; select 1 from unnest(array[repeat('1.5 MB', 250000)])`)
  const counts = await countBillingAlarms(store)
  const failedOrders = await countFailedOrders(store)
  const asked = store.now()
  const { rows } = await store.db.execute<Read & { now: number; oldest: number | null }>(sql`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now,
      (select count(*)::int from ${mails} where state = 'given_up' and template <> 'operator_alarm'
        and next_try_at > ${new Date(asked.getTime() - DAY_MS)}) as "givenUpMails",
      (select extract(epoch from min(created_at))::float8 * 1000 from ${mails}
        where state = 'queued' and template <> 'operator_alarm') as oldest,
      (select count(distinct name)::int from ${gateways} lost where until <= clock_timestamp() and not exists (
        select 1 from ${gateways} running where running.name = lost.name and running.until > clock_timestamp()
      )) as "lostGateways",
      (select json_build_object('on', count(*), 'failing', count(*) filter (where state = 'failing'),
        'unserved', count(*) filter (where not exists (
          select from ${leases} where owner = ${webhooks.owner} and until > clock_timestamp())))
        from ${webhooks} where state in ('on', 'failing') and exists (
          select from ${subscriptions} join ${accounts} on ${accounts.id} = ${subscriptions.accountId}
          where ${accounts.id} = ${webhooks.accountId} and suspended_at is null and ${isInForce(asked)})) as webhooks`)
  const { now, oldest, ...read } = rows[0]!
  return {
    ...counts,
    ...read,
    failedOrders,
    oldestMailAt: oldest === null ? null : new Date(oldest),
    clockAheadMs: beyond(now, asked.getTime(), store.now().getTime()),
  }
}

type Read = Pick<AlarmFacts, 'givenUpMails' | 'lostGateways' | 'webhooks'>

/** By how much `value` is outside of the range; 0 within it. */
function beyond(value: number, from: number, to: number): number {
  return value > to ? value - to : Math.min(value - from, 0)
}
