import { DAY_MS } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import { accounts, leases, mails, streamSeats } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** What the database knows of the service's own work. Times are RFC 3339 in UTC. */
export type Work = Readonly<{
  /** Connections that count towards limits across gateways. */
  seats: number
  /** Accounts made in seven days. */
  registrations7d: number
  leases: readonly Readonly<{ work: string; until: string; isHeld: boolean }>[]
  /** Mails that wait, since when the oldest does, and what became of those of 24 hours. */
  mails: Readonly<{ queued: number; oldestAt: string | null; sent24h: number; givenUp24h: number }>
}>

/** Reads the service's own work: seats, leases, mails, registrations. */
export async function readWork({ db, now }: Store): Promise<Work> {
  const ago = (days: number) => sql`${new Date(now().getTime() - days * DAY_MS).toISOString()}::timestamptz`
  const { rows } = await db.execute<{ work: Work }>(sql`
    select json_build_object(
      'seats', (select count(*) from ${streamSeats}),
      'registrations7d', (select count(*) from ${accounts} where created_at > ${ago(7)}),
      'leases', (select coalesce(json_agg(json_build_object(
        'work', name, 'until', until, 'isHeld', until > clock_timestamp()) order by name), '[]') from ${leases}),
      'mails', (select json_build_object('queued', waiting.count, 'oldestAt', waiting.oldest, 'sent24h', done.sent,
          'givenUp24h', done.given_up)
        from (select count(*), min(created_at) as oldest from ${mails} where state = 'queued') waiting,
          -- A mail is tried for a day.
          (select count(*) filter (where sent_at > ${ago(1)}) as sent,
            count(*) filter (where state = 'given_up' and next_try_at > ${ago(1)}) as given_up
            from ${mails} where created_at > ${ago(3)}) done)
    ) as work`)
  const { mails: found, leases: held, ...counts } = rows[0]!.work
  const utc = (time: string) => new Date(time).toISOString()
  return {
    ...counts,
    leases: held.map((lease) => ({ ...lease, until: utc(lease.until) })),
    mails: { ...found, oldestAt: found.oldestAt && utc(found.oldestAt) },
  }
}
