import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Accounts, createAccounts, lockDataFolder, openDatabase } from '@pairwire/accounts'
import type { Config } from './config.ts'
import { readSecrets, type Secrets } from './secrets.ts'

/** The same depth under `src` and in the bundle under `dist`, so that both find the files where they are. */
const PACKAGE = new URL('../../../packages/accounts/', import.meta.url)

/** Milliseconds of the shutdown's five seconds that the database may take. */
const CLOSE_WITHIN_MS = 2_000

/** The store of accounts, opened; `close` gives the data folder back. */
export type OpenAccounts = Readonly<{
  accounts: Accounts
  secrets: Secrets
  /** Whether the database answers. */
  healthy(): boolean
  onFailure(listener: (error: Error) => void): () => void
  close(): Promise<void>
}>

/**
 * Takes the data folder for this process alone, makes or reads its secrets and opens the database.
 * @throws Error with a sentence that names the other process, when one holds the folder
 */
export async function openAccounts(config: Config, log: (line: string) => void): Promise<OpenAccounts> {
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(config.dataFolder)
  try {
    const secrets = readSecrets(config.dataFolder, config)
    const database = await openDatabase(
      config.databaseUrl
        ? { url: config.databaseUrl }
        : {
            folder: join(config.dataFolder, 'database'),
            workerUrl: new URL('src/pglite-worker.mjs', PACKAGE),
          },
      {
        migrationsFolder: fileURLToPath(new URL('migrations', PACKAGE)),
        log,
        closeWithinMs: CLOSE_WITHIN_MS,
      },
    )
    const accounts = createAccounts({
      db: database.db,
      barrier: database.barrier,
      clock: Date.now,
      secrets,
    })
    return {
      accounts,
      secrets,
      healthy: database.healthy,
      onFailure: database.onFailure,
      close: async () => {
        await database.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
