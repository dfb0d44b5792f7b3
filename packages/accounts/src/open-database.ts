import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import { Pool } from 'pg'
import { withoutParameters } from './database-error.ts'
import { openPglite } from './open-pglite.ts'
import * as schema from './schema.ts'

/** The database or an open transaction of it: what a query needs. */
export type Queries = PgDatabase<NodePgQueryResultHKT, typeof schema>

/** An open database with the newest schema. */
export type Database = Readonly<{
  db: NodePgDatabase<typeof schema>
  /** Fulfilled once everything committed before the call lies on the disk. */
  barrier(): Promise<void>
  /** Whether queries can be expected to be answered; part of the process's readiness. */
  healthy(): boolean
  /** Calls `listener` when the database is lost. @returns a function that takes the listener away */
  onFailure(listener: (error: Error) => void): () => void
  /** Ends the connections; the embedded database is dumped and closed cleanly. May be called twice. */
  close(): Promise<void>
}>

/** `url` of a PostgreSQL, or the `folder` of the embedded one with the address of its worker's source. */
export type DatabasePlace = Readonly<{ url: string }> | Readonly<{ folder: string; workerUrl: URL }>

/** Where log lines go, one sentence each. */
export type DatabaseLog = (line: string) => void

/** Milliseconds before a query, or the wait for a connection, is given up. Above the slowest honest batch. */
const QUERY_TIMEOUT_MS = 10_000

/** Connections to PostgreSQL of one process; its server allows 100 by default, for all of them. */
const POOL_SIZE = 10

/** Milliseconds that queries under way get to end by at a close, out of the five seconds of a shutdown. */
const DRAIN_MS = 1_000

/** Milliseconds between two looks at whether PostgreSQL still answers. */
const PROBE_EVERY_MS = 5_000

/**
 * Opens the database at `place` and brings it to the newest migration in `migrationsFolder`.
 *
 * The folder of an embedded database must be locked by the caller (`lockDataFolder`): a second process would
 * open it without complaint, and its commits would be lost.
 *
 * @throws Error with one sentence when it cannot be opened
 */
export async function openDatabase(
  place: DatabasePlace,
  { migrationsFolder, log }: { migrationsFolder: string; log: DatabaseLog },
): Promise<Database> {
  const opened = 'url' in place ? await openPostgres(place.url, log) : await openEmbedded(place, log)
  const db = drizzle(opened.pool, { schema })
  try {
    await migrate(db, { migrationsFolder })
  } catch (error) {
    await opened.close()
    throw withoutParameters('migrate', error)
  }
  const { pool: _, ...rest } = opened
  return { db, ...rest }
}

type Opened = Omit<Database, 'db'> & { pool: Pool }

async function openEmbedded(place: { folder: string; workerUrl: URL }, log: DatabaseLog): Promise<Opened> {
  const pglite = await openPglite(place, log)
  const pool = new Pool({
    // The embedded database has one session. A query on the outer `db` inside a transaction waits for ever,
    // hence the limit on waiting.
    max: 1,
    stream: pglite.connect,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: 0,
  })
  // A connection that breaks while idle is told to `onFailure`; unhandled, it would end the process.
  pool.on('error', () => {})

  let closing: Promise<void> | undefined
  return {
    pool,
    barrier: pglite.barrier,
    healthy: pglite.healthy,
    onFailure: pglite.onFailure,
    close: () => {
      closing ??= drain(pool).then(() => pglite.close())
      return closing
    },
  }
}

async function openPostgres(url: string, log: DatabaseLog): Promise<Opened> {
  const pool = new Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  })
  const listeners = new Set<(error: Error) => void>()
  let isHealthy = true
  let closing: Promise<void> | undefined

  function lose(error: unknown): void {
    if (!isHealthy || closing) return
    isHealthy = false
    const safe = withoutParameters('connect', error)
    log(`The database does not answer: ${safe.message}.`)
    for (const listener of listeners) listener(safe)
  }

  async function probe(): Promise<void> {
    try {
      await pool.query('select 1')
      if (!isHealthy) log('The database answers again.')
      isHealthy = true
    } catch (error) {
      lose(error)
    }
  }

  pool.on('error', lose)
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw new Error(
      `The database at DATABASE_URL cannot be opened: ${withoutParameters('connect', error).message}`,
    )
  }
  const timer = setInterval(() => void probe(), PROBE_EVERY_MS)
  timer.unref()

  return {
    pool,
    // PostgreSQL flushes its log before it answers a commit.
    barrier: async () => {},
    healthy: () => isHealthy,
    onFailure: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => {
      clearInterval(timer)
      closing ??= drain(pool)
      return closing
    },
  }
}

/** Ends the pool; connections that are still in use after a moment are left to the end of their database. */
async function drain(pool: Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS)
  })
  await Promise.race([pool.end(), limit])
  clearTimeout(timer)
}
