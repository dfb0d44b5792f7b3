import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'

/** With one thread the same rows give the same bytes. What does not fit goes to the disk, where there is a place for it. */
export const SETTINGS = { threads: '1', memory_limit: '256MB', preserve_insertion_order: 'true' }

/** The one engine of all questions, which is open for as long as the process. */
let opened: Promise<DuckDBConnection> | undefined

/** The rows that a query finds, by the names of their columns. */
export async function rowsOf(sql: string): Promise<readonly Record<string, DuckDBValue>[]> {
  opened ??= DuckDBInstance.create(':memory:', SETTINGS).then((instance) => instance.connect())
  const engine = await opened
  return (await engine.runAndReadAll(sql)).getRowObjects()
}
