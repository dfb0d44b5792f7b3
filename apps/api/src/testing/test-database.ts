import { createHash, randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase } from '@pairwire/accounts'

/** Secrets of the accounts of tests, in whatever process they run. */
export const TEST_SECRETS = {
  keyEncryption: new Uint8Array(32).fill(1),
  pepper: new Uint8Array(32).fill(2),
}

const ACCOUNTS_PACKAGE = new URL('../../../../packages/accounts/', import.meta.url)

const MIGRATIONS = fileURLToPath(new URL('migrations', ACCOUNTS_PACKAGE))

/** Opens the embedded database in `folder`. */
export function openTestDatabase(folder: string): Promise<Database> {
  return openDatabase(
    { folder, workerUrl: new URL('src/pglite-worker.mjs', ACCOUNTS_PACKAGE) },
    { migrationsFolder: MIGRATIONS, log: () => {} },
  )
}

/**
 * Puts an empty, migrated database into `folder`, and gives the folder back. Making one takes seconds, copying one
 * a moment: the first use on a machine makes a template.
 */
export async function copyTestDatabase(folder: string): Promise<string> {
  const version = createHash('sha256')
    .update(readFileSync(new URL('package.json', ACCOUNTS_PACKAGE)))
    .update(readFileSync(join(MIGRATIONS, 'meta/_journal.json')))
    .digest('hex')
  const template = join(tmpdir(), `pairwire-api-template-${version.slice(0, 16)}`)

  if (!existsSync(template)) {
    const made = `${template}.${randomUUID()}`
    mkdirSync(made)
    await (await openTestDatabase(made)).close()
    try {
      renameSync(made, template)
    } catch {
      // Another process was faster.
      rmSync(made, { recursive: true, force: true })
    }
  }
  cpSync(template, folder, { recursive: true })
  return folder
}

/** Takes out every row of every table but the list of migrations, which is in a schema of its own. */
export async function emptyTestDatabase(db: Database['db']): Promise<void> {
  const { rows } = await db.execute<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  )
  await db.execute(`truncate ${rows.map(({ name }) => name).join(', ')} restart identity cascade`)
}
