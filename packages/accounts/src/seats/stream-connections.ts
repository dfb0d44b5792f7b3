import { randomUUID } from 'node:crypto'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { refusedUpgrades, streamConnections } from '../database/schema.ts'
import { type CountedBatch, countBatch } from '../plans/record-delivered.ts'
import type { Store } from '../store.ts'

/** A record of a stream connection. */
export type ConnectionNote = Readonly<typeof streamConnections.$inferSelect>

/** Upgrades of an account that were refused within the hour that begins then. */
export type RefusedUpgrades = Readonly<typeof refusedUpgrades.$inferSelect>

/** Milliseconds for which a connection is kept after it was last seen. */
const KEPT_MS = 24 * 60 * 60_000

/** Connections kept per account: a client that is refused over and over must not fill the disk. */
const KEPT_PER_ACCOUNT = 1_000

/** Records connections as opened, still open or ended, in one statement; the latest record of each is kept for a day. */
export async function recordConnections({ db }: Store, notes: readonly ConnectionNote[]): Promise<void> {
  const latest = [...new Map(notes.map((note) => [note.id, note])).values()]
  latest.sort((left, right) => (left.id < right.id ? -1 : 1))
  if (latest.length === 0) return

  await db.execute(sql`
    insert into ${streamConnections}
      (id, account_id, address, client, opened_at, seen_at, closed_at, ended, sent_events, faults)
    select * from json_to_recordset(${JSON.stringify(latest)}::json) as given (
      id uuid, "accountId" uuid, address text, client text, "openedAt" timestamptz, "seenAt" timestamptz,
      "closedAt" timestamptz, ended text, "sentEvents" bigint, faults jsonb
    )
    on conflict (id) do update set
      seen_at = excluded.seen_at, closed_at = excluded.closed_at, ended = excluded.ended,
      sent_events = excluded.sent_events, faults = excluded.faults
  `)
}

/** Adds to the counts of refused upgrades, in one statement; each account, hour and refusal at most once. */
export async function recordRefusedUpgrades(
  { db, now }: Store,
  rows: readonly RefusedUpgrades[],
  batch: CountedBatch = { counter: randomUUID(), number: 1 },
): Promise<void> {
  if (rows.length === 0) return
  await db.execute(sql`
    with ${countBatch(batch, now())}
    insert into ${refusedUpgrades} (account_id, hour, refusal, count)
    select "accountId", hour, refusal, count from json_to_recordset(${JSON.stringify(rows)}::json) as given (
      "accountId" uuid, hour timestamptz, refusal text, count bigint
    ) where exists (select from batch) order by 1, 2, 3
    on conflict (account_id, hour, refusal) do update set count = ${refusedUpgrades}.count + excluded.count
  `)
}

/** Lists the account's refused upgrades of the last 24 hours, the newest hour first. */
export async function listRefusedUpgrades({ db, now }: Store, accountId: string): Promise<RefusedUpgrades[]> {
  const since = new Date(now().getTime() - KEPT_MS)
  return db
    .select()
    .from(refusedUpgrades)
    .where(and(eq(refusedUpgrades.accountId, accountId), gt(refusedUpgrades.hour, since)))
    .orderBy(desc(refusedUpgrades.hour), refusedUpgrades.refusal)
}

/** Lists the account's connections of the last 24 hours, the last opened first, 1,000 at most. */
export async function listConnections({ db, now }: Store, accountId: string): Promise<ConnectionNote[]> {
  const isKept = gt(streamConnections.seenAt, new Date(now().getTime() - KEPT_MS))
  return db
    .select()
    .from(streamConnections)
    .where(and(eq(streamConnections.accountId, accountId), isKept))
    .orderBy(desc(streamConnections.openedAt))
    .limit(KEPT_PER_ACCOUNT)
}

/** Deletes records older than a day, beyond the number per account, or of deleted accounts. */
export async function sweepConnections(db: Queries, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - KEPT_MS)
  const refused = sql`
    delete from ${refusedUpgrades} where hour <= ${oldest.toISOString()}::timestamptz
      or not exists (select 1 from accounts where accounts.id = ${refusedUpgrades.accountId})
  `
  const connections = sql`
    delete from ${streamConnections} where seen_at <= ${oldest.toISOString()}::timestamptz
      or not exists (select 1 from accounts where accounts.id = ${streamConnections.accountId})
      or id in (
        select id from (
          select id, row_number() over (partition by account_id order by opened_at desc) as place
          from ${streamConnections}
        ) as placed where place > ${KEPT_PER_ACCOUNT}
      )
  `
  await Promise.all([db.execute(refused), db.execute(connections)])
}
