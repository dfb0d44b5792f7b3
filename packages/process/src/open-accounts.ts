import { fileURLToPath } from 'node:url'
import {
  type Accounts,
  createAccounts,
  type Database,
  type DatabasePlace,
  openDatabase,
} from '@pairwire/accounts'
import type { Log } from '@pairwire/basics'
import { databaseFolder, hasDatabase, takeDataFolder } from './data-folder.ts'
import { deriveKeySecrets, type KeySecrets, readSecrets, type Secrets } from './secrets.ts'

/** At the same depth under `src` and in the bundle under `dist`, so that both find the files. */
const PACKAGE = new URL('../../../packages/accounts/', import.meta.url)

/** The opened store of accounts; `close` releases the data folder. */
type OpenAccounts = SharedAccounts & Readonly<{ secrets: Secrets }>

/** The store of accounts in a PostgreSQL that several processes share. */
export type SharedAccounts = Pick<Database, 'healthy' | 'onFailure' | 'close'> &
  Readonly<{ accounts: Accounts }>

/**
 * Takes the data folder for this process alone, creates or reads its secrets and opens the database. A caller that `isBrief`
 * releases it within seconds.
 *
 * @throws Error with a sentence that names the variable, or the process that holds the folder
 */
export async function openAccounts(
  config: AccountsSettings,
  log: Pick<Log, 'warn'>,
  { isBrief = false } = {},
): Promise<OpenAccounts> {
  const lock = await takeDataFolder(config.dataFolder, isBrief)
  try {
    const isEmbedded = config.databaseUrl === undefined
    const { secrets, keep } = readSecrets(
      config.dataFolder,
      config,
      isEmbedded && hasDatabase(config.dataFolder),
    )
    if (isEmbedded) keep()
    const opened = await openStore(
      config.databaseUrl
        ? { url: config.databaseUrl }
        : {
            folder: databaseFolder(config.dataFolder),
            workerUrl: new URL('src/database/pglite-worker.mjs', PACKAGE),
          },
      secrets,
      log,
    )
    // Not before a PostgreSQL has proved to hold nothing sealed with older secrets.
    keep()
    return {
      ...opened,
      secrets,
      close: async (withinMs) => {
        await opened.close(withinMs)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Opens the PostgreSQL that all parts of a deployment share; nothing is stored on this machine.
 *
 * @throws Error with a sentence that names the variable
 */
export function openSharedAccounts(
  { databaseUrl, keyEncryptionSecret }: Readonly<{ databaseUrl: string; keyEncryptionSecret: string }>,
  log: Pick<Log, 'warn'>,
): Promise<SharedAccounts> {
  return openStore({ url: databaseUrl }, deriveKeySecrets(keyEncryptionSecret), log)
}

/** The settings that say where accounts are stored. */
type AccountsSettings = Readonly<{
  dataFolder: string
  databaseUrl: string | undefined
  sessionSecret: string | undefined
  keyEncryptionSecret: string | undefined
}>

async function openStore(
  place: DatabasePlace,
  secrets: KeySecrets,
  log: Pick<Log, 'warn'>,
): Promise<SharedAccounts> {
  const migrationsFolder = fileURLToPath(new URL('migrations', PACKAGE))
  const { db, barrier, healthy, onFailure, close } = await openDatabase(place, { migrationsFolder, log })
  const accounts = createAccounts({ db, barrier, clock: Date.now, secrets })
  try {
    await insistOnKeys(accounts)
  } catch (error) {
    await close()
    throw error
  }
  return { accounts, healthy, onFailure, close }
}

/** A service that cannot read its keys would reject every client, and show nobody their key. */
async function insistOnKeys(accounts: Accounts): Promise<void> {
  if (await accounts.canReadKeys()) return
  throw new Error(
    'KEY_ENCRYPTION_SECRET: the API keys in the database were encrypted with another one. ' +
      'Set it to that one, or restore secrets.json in DATA_DIR from a backup.',
  )
}
