import { sql } from 'drizzle-orm'
import type { Store } from '../store.ts'

/** What a database says of itself. */
export type DatabaseState = Readonly<{
  /** Of PostgreSQL, also for the embedded database. */
  version: string
  /** Its clock, in Unix milliseconds. */
  nowMs: number
  /** When the newest migration that it has had was written, in Unix milliseconds; 0 for an empty database. */
  migratedTo: number
}>

/** Reads the version, the clock and the schema of the database. */
export async function readDatabase({ db }: Store): Promise<DatabaseState> {
  const { rows } = await db.execute<{ version: string; nowMs: number; isMade: boolean }>(
    sql`select current_setting('server_version') as version,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs",
      to_regclass('drizzle.__drizzle_migrations') is not null as "isMade"`,
  )
  const { isMade, ...state } = rows[0]!
  if (!isMade) return { ...state, migratedTo: 0 }
  const last = await db.execute<{ at: number | null }>(
    sql`select max(created_at)::float8 as at from drizzle.__drizzle_migrations`,
  )
  return { ...state, migratedTo: last.rows[0]?.at ?? 0 }
}
