import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'

/**
 * Has the planner learn how large the tables are and what is in them, one after the other, so that no key waits long for it.
 * PostgreSQL does that by itself, the embedded database does not.
 */
export async function refreshStatistics(db: Pick<NodePgDatabase, 'execute'>): Promise<void> {
  const { rows: tables } = await db.execute<{ name: string }>(
    sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  for (const { name } of tables) await db.execute(sql`analyze ${sql.identifier(name)}`)
}
