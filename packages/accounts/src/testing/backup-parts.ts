import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type BackupParts, backUp } from '../backup/backup.ts'
import { type Database, type DatabasePlace, openDatabase } from '../database/open-database.ts'
import type { accounts } from '../database/schema.ts'
import { createSecrets } from '../secrets.ts'
import { WRITER_SECRETS } from './account-writer.ts'
import { copyPgliteTemplate, MIGRATIONS, WORKER_URL } from './pglite-folders.ts'
import { createPostgresDatabase, hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'

/** The `secrets.json` of a data folder. */
export const KEPT_SECRETS = JSON.stringify({
  sessionSecret: 's'.repeat(43),
  keyEncryptionSecret: 'k'.repeat(43),
})

export type Kind = 'embedded' | 'PostgreSQL'
/** The databases that can be tried here. */
export const KINDS: readonly Kind[] = hasPostgres() ? ['embedded', 'PostgreSQL'] : ['embedded']

let postgres: Promise<PostgresServer> | undefined
const folders: string[] = []

/** Ends what these functions began. A file that calls them ends with it: the next one in this process may need new ones. */
export async function removeParts(): Promise<void> {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  const begun = postgres
  postgres = undefined
  await (await begun)?.stop()
}

/** A folder that {@link removeParts} removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-backup-test-'))
  folders.push(folder)
  return folder
}

/** An empty data folder with a place for its database. */
export async function createParts(kind: Kind): Promise<BackupParts> {
  const dataFolder = temporaryFolder()
  return {
    place: await createPlace(kind, dataFolder),
    dataFolder,
    migrationsFolder: MIGRATIONS,
    version: '0.1.0',
  }
}

/** The same with an empty, migrated database. */
export async function createMigratedParts(kind: Kind): Promise<BackupParts> {
  const parts = await createParts(kind)
  if ('folder' in parts.place) await copyPgliteTemplate(parts.place.folder)
  else await (await openParts(parts)).close()
  return parts
}

async function createPlace(kind: Kind, dataFolder: string): Promise<DatabasePlace> {
  if (kind === 'embedded') return { folder: join(dataFolder, 'database'), workerUrl: WORKER_URL }
  postgres ??= startPostgres()
  return { url: (await createPostgresDatabase((await postgres).adminUrl)).url }
}

/** Opens the parts' database. */
export function openParts({ place, migrationsFolder }: BackupParts): Promise<Database> {
  return openDatabase(place, { migrationsFolder, log: { warn: () => {} }, closeWithinMs: 60_000 })
}

/** Rows of as many accounts, whose keys the secrets of {@link WRITER_SECRETS} open. */
export function accountRows(count: number): (typeof accounts.$inferInsert)[] {
  const { keys } = createSecrets(WRITER_SECRETS)
  return Array.from({ length: count }, (_, at) => {
    const [id, email] = [randomUUID(), `${at}@example.org`]
    const keySealed = keys.seal('key', id)
    return {
      id,
      email,
      emailNormalised: email,
      createdAt: new Date(),
      marketingEmails: false,
      keyHash: id,
      keySealed,
    }
  })
}

/** Every table's sum, as a backup has it. */
export async function sumsOf(parts: BackupParts) {
  const nowhere = new Writable({ write: (_bytes, _encoding, done) => done() })
  return (await backUp(parts, nowhere)).tables
}
