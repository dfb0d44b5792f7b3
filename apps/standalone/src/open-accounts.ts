import { fileURLToPath } from 'node:url'
import { type Accounts, createAccounts, lockDataFolder, openDatabase } from '@pairwire/accounts'
import type { Config } from './config.ts'
import { databaseFolder, hasDatabase, prepareDataFolder } from './data-folder.ts'
import { readSecrets, type Secrets } from './secrets.ts'

/** The same depth under `src` and in the bundle under `dist`, so that both find the files where they are. */
const PACKAGE = new URL('../../../packages/accounts/', import.meta.url)

/** The store of accounts, opened; `close` gives the data folder back. */
export type OpenAccounts = Readonly<{
  accounts: Accounts
  secrets: Secrets
  /** Whether the database answers. */
  healthy(): boolean
  onFailure(listener: (error: Error) => void): () => void
  /** Gives up on what is not done `withinMs` later. */
  close(withinMs?: number): Promise<void>
}>

/**
 * Takes the data folder for this process alone, makes or reads its secrets and opens the database.
 *
 * @throws Error with a sentence that names the variable, or the process that holds the folder
 */
export async function openAccounts(config: Config, log: (line: string) => void): Promise<OpenAccounts> {
  prepareDataFolder(config.dataFolder)
  const lock = await lockDataFolder(config.dataFolder)
  try {
    const isEmbedded = config.databaseUrl === undefined
    const { secrets, keep } = readSecrets(
      config.dataFolder,
      config,
      isEmbedded && hasDatabase(config.dataFolder),
    )
    if (isEmbedded) keep()
    const database = await openDatabase(
      config.databaseUrl
        ? { url: config.databaseUrl }
        : {
            folder: databaseFolder(config.dataFolder),
            workerUrl: new URL('src/pglite-worker.mjs', PACKAGE),
          },
      {
        migrationsFolder: fileURLToPath(new URL('migrations', PACKAGE)),
        log,
      },
    )
    const accounts = createAccounts({
      db: database.db,
      barrier: database.barrier,
      clock: Date.now,
      secrets,
    })
    try {
      await insistOnKeys(accounts)
    } catch (error) {
      await database.close()
      throw error
    }
    // Not before a PostgreSQL has shown that it holds nothing which older secrets have sealed.
    keep()
    return {
      accounts,
      secrets,
      healthy: database.healthy,
      onFailure: database.onFailure,
      close: async (withinMs) => {
        await database.close(withinMs)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A service that cannot read its keys would turn every client away, and show nobody their key. */
async function insistOnKeys(accounts: Accounts): Promise<void> {
  if (await accounts.canReadKeys()) return
  throw new Error(
    'KEY_ENCRYPTION_SECRET: the API keys in the database were sealed with another one. ' +
      'Set it to that one, or put secrets.json of DATA_DIR back from a backup.',
  )
}
