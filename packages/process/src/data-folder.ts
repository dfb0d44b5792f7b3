import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DataFolderLock, lockDataFolder, UNFINISHED } from '@pairwire/accounts/lock-data-folder'
import { codeOf, makeFolder } from '@pairwire/basics'

/** Faults in words, by Node's code of a system call. */
const FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'it is a file',
  ENOENT: 'no folder can be made there',
}

/**
 * Creates the folder that `variable` names, for its owner alone, and checks that it can be written to. Only that of the data
 * must have room: a full disk of backups has an alarm, and must not keep the service from starting.
 *
 * @throws Error with a sentence that names the variable
 */
export function prepareFolder(folder: string, variable: 'DATA_DIR' | 'BACKUP_DIR'): void {
  const probe = join(folder, '.writable')
  try {
    makeFolder(folder)
    writeFileSync(probe, 'x', { mode: 0o600, flush: true })
    rmSync(probe, { force: true }) // a process beside this one may have removed it
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (variable === 'BACKUP_DIR' && /^(ENOSPC|EDQUOT)$/.test(code)) return
    const why = FAULTS[code] ?? 'the system refuses it'
    throw new Error(`${variable}: ${folder} cannot be used: ${why} (${code}).`)
  }
}

/** Takes the data folder for this process alone. @throws Error with a sentence that names the variable or the holder */
export async function takeDataFolder(folder: string, isBrief = false): Promise<DataFolderLock> {
  prepareFolder(folder, 'DATA_DIR')
  const lock = await lockDataFolder(folder, isBrief)
  if (!existsSync(join(folder, UNFINISHED))) return lock
  lock.release()
  throw new Error(`DATA_DIR: a restore into ${folder} did not come to its end. Empty it and restore again.`)
}

/** What may be in a folder that counts as empty: its lock, the file of a check, what a disk brings, and backups. */
const EMPTY = /^(lock(\..*)?|\.writable|lost\+found|backups|.*\.zip)$/

/** @throws Error with a sentence that names the variable */
export function insistOnEmpty(folder: string): void {
  if (readdirSync(folder).every((name) => EMPTY.test(name))) return
  throw new Error(`DATA_DIR: ${folder} is not empty: restore into an empty folder.`)
}

/** The embedded database within the data folder, and a file that exists once it was created. */
export function databaseFolder(dataFolder: string): string {
  return join(dataFolder, 'database')
}

/** Whether the embedded database was created in this data folder. */
export function hasDatabase(dataFolder: string): boolean {
  return ['cluster', 'dump.tar.gz'].some((name) => existsSync(join(databaseFolder(dataFolder), name)))
}

/** Whether a service has stored its data in this folder, with an embedded database or a PostgreSQL. */
export function isDataFolder(folder: string, isEmbedded: boolean): boolean {
  if (isEmbedded) return hasDatabase(folder)
  return ['secrets.json', 'status.json'].some((name) => existsSync(join(folder, name)))
}
