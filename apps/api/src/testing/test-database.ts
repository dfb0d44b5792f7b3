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

/**
 * Deletes every row of every table except the list of migrations, which is in a schema of its own, and starts every count again.
 * Truncating them would take 50 times as long.
 */
export async function emptyTestDatabase(db: Database['db']): Promise<void> {
  const { rows } = await db.execute<{ step: string }>(`
    select format('delete from %I', tablename) as step from pg_tables where schemaname = 'public'
    union all
    select format('select setval(%L, 1, false)', sequencename) from pg_sequences where schemaname = 'public'`)
  const steps = rows.map(({ step }) => step).join(';')
  // Foreign keys are not checked meanwhile, so the order of the tables does not matter.
  await db.execute(`set session_replication_role = replica; ${steps}; set session_replication_role = origin`)
}
