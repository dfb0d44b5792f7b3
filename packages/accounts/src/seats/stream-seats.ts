import { GATEWAY_LEASE_MS } from '@pairwire/contract'
import { and, eq, sql } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import type { Queries } from '../database/open-database.ts'
import { gateways, streamSeats } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { milliseconds } from './leases.ts'

/** A gateway by the id of its current process, and the machine that it runs on. */
export type RunningGateway = Readonly<{ id: string; name: string }>

/** A connection in a seat of its account; both by UUID, and the gateway too. */
export type SeatTaken = Readonly<{ connectionId: string; accountId: string; gatewayId: string }>

/** Whether there was a seat; `away` if the gateway's own lease has expired. */
export type SeatOutcome =
  | Readonly<{ outcome: 'taken' | 'away' }>
  /** Every gateway with a seat of the account. */
  | Readonly<{ outcome: 'full'; gatewayIds: readonly string[] }>

/*
 * Seats of accounts across gateways. All times are the database's own.
 *
 *   gateway renews:         | . . . . |          | . . .
 *                                lease  |gap |grace |
 *                           since                since
 *                                       lapsedAt
 *
 * After a gap nobody knows which other gateways merely could not renew. Until each has had the time of a lease to renew, a
 * gateway that ran when the gap began still counts: after a gap of the asking gateway itself, and after every start of the
 * database.
 */

const LEASE = milliseconds(GATEWAY_LEASE_MS)

/** Milliseconds after which a gateway that is gone is deleted. */
const GONE_MS = 60 * 60_000

/**
 * Renews this gateway's lease; call it well within `GATEWAY_LEASE_MS`, after which its seats are free.
 *
 * @returns whether there was a pause before, in which others may have counted without it
 */
export async function noteGateway(
  { db }: Store,
  { id, name }: RunningGateway,
): Promise<{ wasAway: boolean }> {
  const { rows } = await db.execute<{ was_away: boolean }>(sql`
    insert into ${gateways} (id, name, since, lapsed_at, until) values (${id}, ${name}, now(), now(), now() + ${LEASE})
    on conflict (id) do update set
      since = case when ${gateways.until} <= now() then now() else ${gateways.since} end,
      lapsed_at = case when ${gateways.until} <= now() then ${gateways.until} else ${gateways.lapsedAt} end,
      until = excluded.until
    returning since = now()::timestamptz(3) as was_away
  `)
  return { wasAway: rows[0]?.was_away === true }
}

/** Deletes a gateway that ends, with its seats. */
export async function forgetGateway({ db }: Store, gatewayId: string): Promise<void> {
  await db.delete(gateways).where(eq(gateways.id, gatewayId))
}

/** Lists the running gateways, by name. */
export async function listGateways({ db }: Store): Promise<RunningGateway[]> {
  return db
    .select({ id: gateways.id, name: gateways.name })
    .from(gateways)
    .where(sql`${gateways.until} > clock_timestamp()`)
    .orderBy(gateways.name, gateways.id)
}

/**
 * Takes one of the account's `limit` seats for a connection, exact across gateways. Seats of one account are taken one after
 * another, each seeing those before it. Both statements go as one message, which is a transaction, since a gateway that
 * drains sends all its clients to the others, and each takes a seat.
 */
export async function takeSeat({ db }: Store, seat: SeatTaken, limit: number): Promise<SeatOutcome> {
  const ids = [seat.connectionId, seat.accountId, seat.gatewayId].map(literal)
  const [connectionId, accountId, gatewayId] = ids
  const results = await db.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(${accountId}::text, 0));
    with own as (
      select * from ${gateways} where id = ${gatewayId} and until > clock_timestamp()
    ), held as (
      select seat.gateway_id from ${streamSeats} seat
      join ${gateways} holder on holder.id = seat.gateway_id
      where seat.account_id = ${accountId} and seat.connection_id <> ${connectionId} and ${counts('holder')}
    ), taken as (
      insert into ${streamSeats} (connection_id, account_id, gateway_id)
      select ${connectionId}, ${accountId}, id from own where (select count(*) from held) < ${sql.raw(String(Number(limit)))}
      -- Restored meanwhile.
      on conflict (connection_id) do update set account_id = excluded.account_id
      returning 1
    )
    select exists (select 1 from own) as runs, exists (select 1 from taken) as taken,
      array(select distinct gateway_id::text from held) as holders
  `)
  const [found] = lastRows(results)
  if (!found?.runs) return { outcome: 'away' }
  return found.taken ? { outcome: 'taken' } : { outcome: 'full', gatewayIds: found.holders }
}

/** An id as a literal, since several statements in one message cannot have parameters. */
function literal(id: string) {
  if (!isAccountId(id)) throw new Error('An id is not a UUID.')
  return sql.raw(`'${id}'::uuid`)
}

/** The rows of the last of several statements in one message. */
function lastRows(results: unknown): readonly { runs: boolean; taken: boolean; holders: string[] }[] {
  // The driver then returns a list of results, which its types do not show.
  return (results as readonly { rows: [] }[]).at(-1)?.rows ?? []
}

/** Lists the connections that have a seat on this gateway, of all accounts or of one. */
export async function listSeats({ db }: Store, gatewayId: string, accountId?: string): Promise<string[]> {
  const ofAccount = accountId === undefined ? undefined : eq(streamSeats.accountId, accountId)
  const rows = await db
    .select({ connectionId: streamSeats.connectionId })
    .from(streamSeats)
    .where(and(eq(streamSeats.gatewayId, gatewayId), ofAccount))
  return rows.map(({ connectionId }) => connectionId)
}

/** Counts the account's seats at the running gateways whose ids come before this one's. */
export async function countSeatsBefore({ db }: Store, accountId: string, gatewayId: string): Promise<number> {
  const { rows } = await db.execute<{ seats: number }>(sql`
    select count(*)::int as seats from ${streamSeats} seat join ${gateways} holder on holder.id = seat.gateway_id
    where seat.account_id = ${accountId} and holder.id < ${gatewayId} and holder.until > clock_timestamp()
  `)
  return rows[0]!.seats
}

/**
 * Gives these connections of the gateway their seats again after a pause, whatever was counted meanwhile. A connection that
 * takes a seat of one of these accounts meanwhile either finishes before the count, or starts after it and sees these.
 *
 * @returns how many seats each of their accounts has in total
 */
export async function restoreSeats(
  { db }: Store,
  gatewayId: string,
  seats: readonly SeatTaken[],
): Promise<ReadonlyMap<string, number>> {
  if (seats.length === 0) return new Map()
  const column = (read: (seat: SeatTaken) => string) => sql.param(seats.map(read))
  return db.transaction(async (transaction) => {
    // In one order everywhere, so that two concurrent calls cannot deadlock.
    await transaction.execute(sql`
      select pg_advisory_xact_lock(hashtextextended(account_id, 0))
      from (
        select distinct id::text as account_id from unnest(${column((seat) => seat.accountId)}::uuid[]) as given (id)
        order by account_id
      ) as ordered
    `)
    await transaction.execute(sql`
      insert into ${streamSeats} (connection_id, account_id, gateway_id)
      select connection_id, account_id, ${gatewayId}
      from unnest(${column((seat) => seat.connectionId)}::uuid[], ${column((seat) => seat.accountId)}::uuid[])
        as given (connection_id, account_id)
      on conflict (connection_id) do nothing
    `)
    const { rows } = await transaction.execute<{ account_id: string; seats: number }>(sql`
      select seat.account_id::text, count(*)::int as seats from ${streamSeats} seat
      join ${gateways} holder on holder.id = seat.gateway_id
      where seat.account_id = any(${column((seat) => seat.accountId)}::uuid[]) and holder.until > clock_timestamp()
      group by seat.account_id
    `)
    return new Map(rows.map(({ account_id, seats: held }) => [account_id, held]))
  })
}

/** Deletes gateways that are gone, with the seats they left. */
export async function sweepGateways(db: Queries): Promise<void> {
  await db.execute(sql`delete from ${gateways} where until < clock_timestamp() - ${milliseconds(GONE_MS)}`)
}

/** Whether the seats of a gateway count, as the one in `own` sees it. */
function counts(holder: string) {
  const until = sql.raw(`${holder}.until`)
  return sql`(
    ${until} > clock_timestamp()
    or exists (
      select 1 from own where own.since + ${LEASE} > clock_timestamp() and own.lapsed_at < own.since
        and ${until} > own.lapsed_at - ${LEASE}
    )
    or (
      pg_postmaster_start_time() + ${LEASE} > clock_timestamp()
      and ${until} > pg_postmaster_start_time() - ${milliseconds(GONE_MS)}
    )
  )`
}
