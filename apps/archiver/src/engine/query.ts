import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'

/** One thread gives the same bytes for the same rows. Without the threshold the process keeps freed memory: 480 MB, not 270. */
export const SETTINGS = {
  ...{ threads: '1', memory_limit: '256MB', preserve_insertion_order: 'true' },
  allocator_bulk_deallocation_flush_threshold: '1MB',
}

/** The one database instance for all queries, open as long as the process. */
let opened: Promise<DuckDBConnection> | undefined

/** Runs a query. @returns its rows, by column name */
export async function rowsOf(sql: string): Promise<readonly Record<string, DuckDBValue>[]> {
  opened ??= DuckDBInstance.create(':memory:', SETTINGS).then((instance) => instance.connect())
  const engine = await opened
  return (await engine.runAndReadAll(sql)).getRowObjects()
}
