import { type Database, openDatabase } from '@pairwire/accounts'
import { MIGRATIONS, WORKER_URL } from '@pairwire/accounts/testing/pglite-folders'

/** Secrets of the accounts in tests, in any process. */
export const TEST_SECRETS = {
  keyEncryption: new Uint8Array(32).fill(1),
  pepper: new Uint8Array(32).fill(2),
}

/** Opens the embedded database in `folder`. */
export function openTestDatabase(folder: string): Promise<Database> {
  return openDatabase(
    { folder, workerUrl: WORKER_URL },
    { migrationsFolder: MIGRATIONS, log: { warn: () => {} } },
  )
}

/** Deletes every row of every table except the list of migrations, which is in a schema of its own. */
export async function emptyTestDatabase(db: Database['db']): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  )
  await db.execute(`truncate ${rows.map(({ name }) => name).join(', ')} restart identity cascade`)
}
