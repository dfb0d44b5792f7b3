import { sql } from 'drizzle-orm'
import { leases, webhooks } from '../database/schema.ts'
import { milliseconds } from '../seats/leases.ts'
import type { Store } from '../store.ts'
import { secretsOf, type WebhookRow } from './webhook-row.ts'

/** Milliseconds without a word of its process after which another one takes an endpoint. */
export const WEBHOOK_LEASE_MS = 30_000

/** An endpoint as its process knows it. */
export type OwnWebhook = WebhookRow &
  Readonly<{
    /** The newest first. */
    secrets: readonly string[]
    /** How many endpoints of its account are older. */
    rank: number
    /** The dead letter that its owner wants sent next; null without one. */
    letter: number | null
  }>

/** Whether this process's lease runs, by the database's own clock. */
export const hasLease = (owner: string) =>
  sql`exists (select from ${leases} where owner = ${owner} and until > clock_timestamp() and ${IS_LEASE})`

const IS_LEASE = sql`${leases.name} like 'webhooks %'`

/**
 * Renews the lease of this process, and takes its fair share of the endpoints that no running process has.
 *
 * @returns the endpoints that it has, with their revisions, and those beyond its share, which it should give back
 */
export async function takeWebhooks(
  { db }: Store,
  owner: string,
  forMs: number = WEBHOOK_LEASE_MS,
): Promise<
  Readonly<{ mine: readonly Readonly<{ id: string; revision: number }>[]; over: readonly string[] }>
> {
  return db.transaction(async (tx) => {
    // One after another: a statement that began before another process's lease was there would take its endpoints.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('take webhooks', 0))`)
    await tx.execute(
      sql`delete from ${leases} where ${IS_LEASE} and until < clock_timestamp() - interval '1 hour'`,
    )
    await tx.execute(sql`
      insert into ${leases} (name, owner, until)
      values (${`webhooks ${owner}`}, ${owner}, clock_timestamp() + ${milliseconds(forMs)})
      on conflict (name) do update set until = excluded.until`)
    const { rows } = await tx.execute<{ share: number }>(sql`
      select ((select count(*) from ${webhooks}) + count(*) - 1)::int / count(*)::int as share from ${leases}
      where until > clock_timestamp() and ${IS_LEASE}`)
    const share = rows[0]!.share
    await tx.execute(sql`
      update ${webhooks} set owner = ${owner} where id in (
        select id from ${webhooks} free where not exists (
          select from ${leases} where owner = free.owner and until > clock_timestamp() and ${IS_LEASE}
        ) order by created_at for update skip locked
        limit greatest(0, ${share} - (select count(*) from ${webhooks} where owner = ${owner}))
      )`)
    const mine = await tx
      .select({ id: webhooks.id, revision: webhooks.revision })
      .from(webhooks)
      .where(sql`owner = ${owner}`)
      .orderBy(webhooks.createdAt, webhooks.id)
    return { mine, over: mine.slice(share).map(({ id }) => id) }
  })
}

/** Ends the lease of this process, or leaves only these endpoints to others; one that is in use stays. */
export async function freeWebhooks({ db }: Store, owner: string, ids?: readonly string[]): Promise<void> {
  if (ids)
    await db.execute(sql`update ${webhooks} set owner = null where owner = ${owner} and ${isUnlocked(ids)}`)
  else await db.execute(sql`delete from ${leases} where owner = ${owner} and ${IS_LEASE}`)
}

/** Reads those of these endpoints that this process has. */
export async function readWebhooks(
  store: Store,
  owner: string,
  ids: readonly string[],
): Promise<OwnWebhook[]> {
  const rows = await store.db
    .select({
      row: webhooks,
      // By their full names: a column alone would be that of the older ones.
      rank: sql<number>`(select count(*)::int from ${webhooks} older where older.account_id = webhooks.account_id
        and (older.created_at, older.id) < (webhooks.created_at, webhooks.id))`,
      letter: sql<
        number | null
      >`(select n::float8 from webhook_dead_letters where endpoint_id = ${webhooks.id}
        and queued_at is not null order by queued_at, n limit 1)`,
    })
    .from(webhooks)
    .where(sql`${webhooks.owner} = ${owner} and ${webhooks.id} = any(${sql.param([...ids])}::text[])`)
  return rows.map(({ row, rank, letter }) => ({ ...row, rank, letter, secrets: secretsOf(store, row) }))
}

/** Those of these that nobody has locked: who waits for one with others in hand may be waited for by a deletion. */
const isUnlocked = (ids: readonly string[]) =>
  sql`${webhooks.id} in (select id from ${webhooks} where id = any(${sql.param([...ids])}::text[]) for update skip locked)`

/** Moves the places of endpoints to which nothing was to be sent, all in one statement; of those in use the next one does. */
export async function notePlaces(
  { db, now }: Store,
  owner: string,
  places: readonly Readonly<{ id: string; revision: number; place: string }>[],
): Promise<void> {
  if (places.length === 0) return
  await db.execute(sql`
    update ${webhooks} set place = given.place, behind_since = ${now()}
    from json_to_recordset(${JSON.stringify(places)}::json) as given (id text, revision int, place text)
    where ${webhooks.id} = given.id and ${webhooks.revision} = given.revision and ${webhooks.owner} = ${owner}
      and ${webhooks.message} is null and ${webhooks.place} < given.place and ${isUnlocked(places.map(({ id }) => id))}`)
}
