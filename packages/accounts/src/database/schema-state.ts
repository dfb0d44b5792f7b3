import type { MigrationMeta } from 'drizzle-orm/migrator'
import type { ClientBase } from 'pg'

/**
 * How many of the code's `migrations` the database has had; 0 for an empty one.
 *
 * @throws Error with a sentence if it has had more than the code knows
 */
export async function countMigrations(
  client: ClientBase,
  migrations: readonly MigrationMeta[],
): Promise<number> {
  const { rows } = await client.query(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as found",
  )
  if (!rows[0].found) return 0
  const { rows: last } = await client.query(
    'select max(created_at)::text as at from drizzle.__drizzle_migrations',
  )
  const at = Number(last[0].at)
  if (at > (migrations.at(-1)?.folderMillis ?? 0)) {
    throw new Error(
      'It was made by a newer Pairwire: use that version, or restore a backup from before the upgrade.',
    )
  }
  return migrations.filter(({ folderMillis }) => folderMillis <= at).length
}

/** Runs `migrations` within the caller's transaction, and notes them where drizzle does. */
export async function runMigrations(client: ClientBase, migrations: readonly MigrationMeta[]): Promise<void> {
  await client.query('create schema if not exists drizzle')
  await client.query(
    'create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  for (const { sql, hash, folderMillis } of migrations) {
    for (const statement of sql) await client.query(statement)
    await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
      hash,
      folderMillis,
    ])
  }
}
