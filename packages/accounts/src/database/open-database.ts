import { type Log, within } from '@pairwire/basics'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import { Client, type ClientConfig, Pool } from 'pg'
import { causeOf, tryAgain } from './database-error.ts'
import { openPglite, type Pglite } from './open-pglite.ts'
import { refreshStatistics } from './refresh-statistics.ts'
import * as schema from './schema.ts'
import { countMigrations, runMigrations } from './schema-state.ts'

/** The database or an open transaction on it: what a query needs. */
export type Queries = PgDatabase<NodePgQueryResultHKT, typeof schema>

/** An open database with the newest schema. */
export type Database = Readonly<{
  /** What meets a deadlock is done again, a transaction from its begin: nothing but queries may happen in one. */
  db: NodePgDatabase<typeof schema>
  /** Fulfilled once everything committed before the call is on disk. */
  barrier(): Promise<void>
  /** Whether queries can be expected to be answered; part of the process's readiness. */
  healthy(): boolean
  /** Calls `listener` each time the database is lost. @returns a function that removes the listener */
  onFailure(listener: (error: Error) => void): () => void
  /**
   * Ends the connections, closes the embedded database cleanly and dumps it, and waits for none of these beyond `withinMs`,
   * by default `DatabaseOptions.closeWithinMs`. May be called twice.
   */
  close(withinMs?: number): Promise<void>
}>

/**
 * The `url` of a PostgreSQL, or the `folder` of the embedded database with the address of `pglite-worker.mjs`. The caller
 * must lock the folder (`lockDataFolder`): a second process would open it without complaint, and its commits would be lost.
 */
export type DatabasePlace = Readonly<{ url: string }> | Readonly<{ folder: string; workerUrl: URL }>

/** Milliseconds before a query, or the wait for a connection, times out. Above the slowest legitimate batch. */
const QUERY_TIMEOUT_MS = 10_000

/** Milliseconds for a statement of a migration, which may rewrite a table or wait for another process. */
const MIGRATION_TIMEOUT_MS = 10 * 60_000

/** Milliseconds for a close, out of the five seconds of a shutdown: about 1 s is needed, more on a busy machine. */
const CLOSE_WITHIN_MS = 4_000

/** Milliseconds between two checks of whether the database still answers. */
const PROBE_EVERY_MS = 5_000

/** Milliseconds between two checks of the age of the embedded database's dump. */
const DUMP_LOOK_EVERY_MS = 60_000

/** Milliseconds between two rounds of statistics of the embedded database, and before the first. */
const STATISTICS_EVERY_MS = 24 * 60 * 60_000
const STATISTICS_AFTER_MS = 60_000

/** Connections from one process to PostgreSQL, which accepts 100 by default from all processes. */
const POOL_SIZE = 10

/** Id of the lock that lets processes migrate one after another; any number that nobody else uses. */
export const MIGRATION_LOCK = 7_294_716_001

/** Options of {@link openDatabase}. */
type DatabaseOptions = Readonly<{
  migrationsFolder: string
  log: Pick<Log, 'warn'>
  /** Milliseconds before a query, or the wait for a connection, times out; 10 s by default. */
  queryTimeoutMs?: number
  /** Called before a database that has data is changed by a migration; a failure stops the opening. */
  beforeMigrating?: () => Promise<unknown>
  /** Milliseconds after which a close stops waiting: for queries, for the dump, for the clean end; 4 s by default. */
  closeWithinMs?: number
}>

/**
 * Opens the database at `place` and brings it to the newest migration in `migrationsFolder`.
 *
 * @throws Error with one sentence when it cannot be opened
 */
export async function openDatabase(
  place: DatabasePlace,
  {
    migrationsFolder,
    log,
    beforeMigrating = async () => {},
    queryTimeoutMs = QUERY_TIMEOUT_MS,
    closeWithinMs = CLOSE_WITHIN_MS,
  }: DatabaseOptions,
): Promise<Database> {
  const source = 'url' in place ? postgresSource(place.url) : await embeddedSource(place, log)
  try {
    await bringUpToDate(source.client, migrationsFolder, beforeMigrating)
  } catch (error) {
    await source.close(closeWithinMs)
    throw new Error(`The database ${source.name} cannot be opened or migrated: ${causeOf(error)}`)
  }

  const pool = new Pool({
    ...source.client,
    max: source.poolSize,
    connectionTimeoutMillis: queryTimeoutMs,
    query_timeout: queryTimeoutMs,
  })
  const ask = pool.query.bind(pool) as (...asked: unknown[]) => Promise<unknown>
  Object.assign(pool, { query: (...asked: unknown[]) => tryAgain(() => ask(...asked)) })
  const runOnce = transactionsOf(pool)
  const transaction: typeof runOnce = (work, config) => tryAgain(() => runOnce(work, config))
  const db = Object.assign(drizzle(pool, { schema }), { transaction })
  const listeners = new Set<(error: Error) => void>()
  let isHealthy = true
  let closing: Promise<void> | undefined

  function lose(error: unknown): void {
    if (!isHealthy || closing) return
    isHealthy = false
    const failure = new Error(`The database ${source.name} does not answer: ${causeOf(error)}`)
    log.warn(failure.message)
    for (const listener of listeners) listener(failure)
  }

  async function probe(): Promise<void> {
    try {
      await pool.query('select 1')
      if (!isHealthy) log.warn(`The database ${source.name} answers again.`)
      isHealthy = true
    } catch (error) {
      lose(error)
    }
  }

  // Unhandled, a connection that breaks while idle would end the process. One broken connection does not mean that the
  // database is lost: the probe decides.
  pool.on('error', () => void probe())
  // Nor may one that breaks within a transaction, while the pool does not listen: its next query fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  source.onLoss(lose)
  const timers = [setInterval(probe, PROBE_EVERY_MS), setInterval(source.dumpIfOld, DUMP_LOOK_EVERY_MS)]
  if ('folder' in place) {
    const refresh = () => refreshStatistics(db).catch((error) => closing || log.warn(causeOf(error)))
    timers.push(setTimeout(refresh, STATISTICS_AFTER_MS), setInterval(refresh, STATISTICS_EVERY_MS))
  }
  for (const timer of timers) timer.unref()

  return {
    db,
    barrier: source.barrier,
    healthy: () => isHealthy && !closing,
    onFailure: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: (withinMs = closeWithinMs) => {
      for (const timer of timers) clearInterval(timer)
      const startedMs = performance.now()
      // Queries have a quarter of it, as closing and dumping take long on a busy machine; one that still runs then ends with
      // its database.
      closing ??= within(Math.max(0, withinMs / 4), pool.end()).then(() =>
        source.close(withinMs - (performance.now() - startedMs)),
      )
      return closing
    },
  }
}

/** The differences between the two kinds of database. */
type Source = Omit<Pglite, 'connect'> &
  Readonly<{
    /** For sentences. */
    name: string
    client: ClientConfig
    poolSize: number
  }>

async function embeddedSource(
  place: { folder: string; workerUrl: URL },
  log: Pick<Log, 'warn'>,
): Promise<Source> {
  const pglite = await openPglite(place, log)
  return {
    ...pglite,
    name: `in ${place.folder}`,
    client: { stream: pglite.connect, user: 'postgres', database: 'postgres', ssl: false },
    // The embedded database has one session. Without the time limit, a query on the outer `db` inside a transaction would
    // wait for ever.
    poolSize: 1,
  }
}

function postgresSource(url: string): Source {
  return {
    name: 'at DATABASE_URL',
    client: {
      connectionString: url,
      keepAlive: true,
      // The server's own limits, for queries that this side has given up.
      statement_timeout: QUERY_TIMEOUT_MS,
      idle_in_transaction_session_timeout: 3 * QUERY_TIMEOUT_MS,
    },
    poolSize: POOL_SIZE,
    // PostgreSQL flushes its log before it answers a commit.
    barrier: async () => {},
    onLoss: () => {},
    dumpIfOld: async () => {},
    close: async () => {},
  }
}

/** Runs the missing migrations, one process at a time. */
async function bringUpToDate(
  config: ClientConfig,
  migrationsFolder: string,
  beforeMigrating: () => Promise<unknown>,
): Promise<void> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: MIGRATION_TIMEOUT_MS,
    statement_timeout: config.statement_timeout ? MIGRATION_TIMEOUT_MS : undefined,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const migrations = readMigrationFiles({ migrationsFolder })
    const count = await countMigrations(client, migrations)
    if (count > 0 && count < migrations.length) await beforeMigrating()
    await client.query('begin')
    await runMigrations(client, migrations.slice(count))
    await client.query('commit')
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
  } finally {
    await client.end()
  }
}

/**
 * Runs transactions. Drizzle's own keep a connection for good if `begin` fails, and lend it again if `rollback` fails: a few
 * outages use up the pool.
 *
 * @see https://github.com/drizzle-team/drizzle-orm/issues/6114
 */
function transactionsOf(pool: Pool): Database['db']['transaction'] {
  return async (work, config) => {
    const client = await pool.connect()
    const db = drizzle(client) as unknown as Database['db']
    let failure: unknown
    try {
      const result = await db.transaction(
        (tx) =>
          work(tx).catch((error: unknown) => {
            failure = error
            throw error
          }),
        config,
      )
      client.release()
      return result
    } catch (error) {
      // What `work` threw comes through only behind a rollback that worked.
      client.release(error !== failure)
      throw failure ?? error
    }
  }
}
