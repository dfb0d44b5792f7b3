import { and, eq, sql } from 'drizzle-orm'
import { leases } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Work that one process of a deployment does at a time. */
export type LeasedWork =
  | 'trials'
  | 'renewals'
  | 'notices'
  | 'sweeps'
  | 'orders'
  | 'backups'
  | 'sums'
  | 'alarms'

/**
 * Takes `work` for this process, or renews it, for `forMs` by the database's own clock; false while another process has it. A
 * dead process's lease expires. One statement, so that of two concurrent calls one waits for the other.
 */
export async function takeLease(
  { db }: Store,
  work: LeasedWork,
  owner: string,
  forMs: number,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    insert into ${leases} (name, owner, until) values (${work}, ${owner}, clock_timestamp() + ${milliseconds(forMs)})
    on conflict (name) do update set owner = excluded.owner, until = excluded.until
      where ${leases.owner} = excluded.owner or ${leases.until} <= clock_timestamp()
    returning name
  `)
  return rows.length > 0
}

/** Releases `work` early, if it is this owner's. */
export async function freeLease({ db }: Store, work: LeasedWork, owner: string): Promise<void> {
  await db.delete(leases).where(and(eq(leases.name, work), eq(leases.owner, owner)))
}

/** A length of time as SQL, written out: it takes no parameter. */
export function milliseconds(count: number) {
  return sql.raw(`${Number(count)}::float8 * interval '1 millisecond'`)
}
