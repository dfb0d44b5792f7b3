import type { Accounts } from '@pairwire/accounts'
import type { ProcessState } from '@pairwire/contract'
import { listMigrations } from '@pairwire/process'
import type { DoorConfig } from '../../config.ts'

/** What the checks of the HTTP side need. */
export type DoctorParts = Readonly<{
  config: DoorConfig
  /**
   * The accounts; undefined if there is no database yet. Rejects with a sentence if it cannot be opened, or if its secrets are
   * lost.
   */
  accounts(): Promise<Accounts | undefined>
  /** What this deployment proves itself with. @throws Error with a sentence if it is lost */
  sessionSecret(): Uint8Array
  /** Every process that answers; omitted where no service runs. */
  listProcesses?(): Promise<readonly ProcessState[]>
  /** Folder of the legal texts. */
  docsRoot: string
  /** That of this process by default. */
  nodeVersion?: string
  /** The port of NATS's monitoring; 8222 by default. */
  natsMonitorPort?: number
  /** Name servers instead of the system's, as `address:port`. */
  nameServers?: readonly string[]
  /** An authority whose certificates are trusted besides the known ones, as PEM. */
  ca?: string | undefined
  /** Who gets an email as a trial; nobody by default. */
  mailTo?: string | undefined
}>

/** Compares the schema of a database with the migrations that this version knows. */
export function schemaOf(migratedTo: number) {
  const known = listMigrations()
  return {
    had: known.filter((when) => when <= migratedTo).length,
    known: known.length,
    isNewer: migratedTo > (known.at(-1) ?? 0),
  }
}

/** The accounts if they can be asked for more than the check `database` asks for. */
export async function findUpToDate({ accounts }: DoctorParts): Promise<Accounts | undefined> {
  const found = await accounts().catch(() => undefined)
  const state = await found?.readDatabase().catch(() => undefined)
  if (!found || !state) return undefined
  const { had, known, isNewer } = schemaOf(state.migratedTo)
  return had === known && !isNewer ? found : undefined
}

/** Why a check cannot ask the database. */
export const NO_ACCOUNTS_YET = 'The check database says why no accounts can be read yet.'
