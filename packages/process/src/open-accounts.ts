import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Accounts,
  type BackupParts,
  backUpInto,
  createAccounts,
  type Database,
  openAccountsAside,
  openDatabase,
} from '@pairwire/accounts'
import type { Log } from '@pairwire/basics'
import { databaseFolder, hasDatabase, takeDataFolder } from './data-folder.ts'
import { VERSION } from './process-figures.ts'
import { deriveKeySecrets, type KeySecrets, readSecrets, type Secrets } from './secrets.ts'

/** At the same depth under `src` and in the bundle under `dist`, so that both find the files. */
const PACKAGE = new URL('../../../packages/accounts/', import.meta.url)

const WORKER = new URL('src/database/pglite-worker.mjs', PACKAGE)
const MIGRATIONS = fileURLToPath(new URL('migrations', PACKAGE))

/** What a backup of this service holds, and a restore fills. */
export function backupPartsOf({
  dataFolder,
  databaseUrl,
}: Pick<AccountsSettings, 'dataFolder' | 'databaseUrl'>): BackupParts & { workerUrl: URL } {
  const place = databaseUrl ? { url: databaseUrl } : { folder: databaseFolder(dataFolder), workerUrl: WORKER }
  return { place, dataFolder, migrationsFolder: MIGRATIONS, version: VERSION, workerUrl: WORKER }
}

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
    const hasOld = isEmbedded && hasDatabase(config.dataFolder)
    const { secrets, keep } = readSecrets(config.dataFolder, config, hasOld)
    if (isEmbedded) keep()
    const opened = await openStore(backupPartsOf(config), secrets, log)
    // Not before a PostgreSQL has proved to hold nothing sealed with older secrets.
    keep()
    return { ...opened, secrets, close: (withinMs) => opened.close(withinMs).finally(lock.release) }
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
  const parts = { place: { url: databaseUrl }, migrationsFolder: MIGRATIONS }
  return openStore(parts, deriveKeySecrets(keyEncryptionSecret), log)
}

/**
 * The accounts as they are, for a look beside a service that may run on them. @returns undefined if there are none yet
 * @throws Error with a sentence if the secrets are lost or the database cannot be opened
 */
export async function lookAtAccounts(config: AccountsSettings) {
  if (!config.databaseUrl && !hasDatabase(config.dataFolder)) return undefined
  const { secrets } = readSecrets(config.dataFolder, config, !config.databaseUrl)
  return openAccountsAside(backupPartsOf(config).place, secrets)
}

/** When each migration that this version knows was written, in Unix milliseconds, oldest first. */
export function listMigrations(): number[] {
  const { entries } = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8'))
  return entries.map(({ when }: { when: number }) => when)
}

/** The settings that say where accounts are stored. */
type AccountsSettings = Readonly<{
  dataFolder: string
  databaseUrl: string | undefined
  sessionSecret: string | undefined
  keyEncryptionSecret: string | undefined
}>

/** `parts` are all there where the database may have to be backed up before a migration. */
async function openStore(
  parts: BackupParts | Pick<BackupParts, 'place' | 'migrationsFolder'>,
  secrets: KeySecrets,
  log: Pick<Log, 'warn'>,
): Promise<SharedAccounts> {
  const { db, barrier, healthy, onFailure, close } = await openDatabase(parts.place, {
    ...{ migrationsFolder: parts.migrationsFolder, log },
    beforeMigrating: async () => {
      if (!('dataFolder' in parts) || 'url' in parts.place) return
      await backUpInto(join(parts.dataFolder, 'backups'), parts, { occasion: 'before-upgrade', keep: 3 })
    },
  })
  const accounts = createAccounts({ db, barrier, clock: Date.now, secrets })
  await insistOnKeys(accounts).catch(async (error) => {
    await close()
    throw error
  })
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
