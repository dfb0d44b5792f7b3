import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeFolder } from '@pairwire/basics'
import { DAY_MS, HOUR_MS } from '@pairwire/contract'
import { type BackupParts, backUpToFile } from './backup.ts'

/** Why a service makes a backup by itself. */
type Occasion = 'daily' | 'before-upgrade'

/**
 * Makes a backup in `folder`, named after its occasion and moment, and then removes all but the newest `keep` of that
 * occasion. Other files stay. @returns its path
 */
export async function backUpInto(
  folder: string,
  parts: BackupParts,
  { occasion, keep, signal }: Readonly<{ occasion: Occasion; keep: number; signal?: AbortSignal }>,
): Promise<string> {
  makeFolder(folder)
  const file = join(folder, `${occasion}-${new Date().toISOString().replaceAll(':', '-')}.zip`)
  const writtenAt = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const parted = readdirSync(folder).filter((name) => name.startsWith(occasion) && name.endsWith('.part'))
  // Left behind by a process that was killed; one that runs writes its own.
  const left = parted.filter((name) => writtenAt(name) <= Date.now() - HOUR_MS)
  await backUpToFile(parts, file, signal)
  const made = listBackups(folder, occasion)
  // Of a clock that ran ahead, these count as the oldest.
  const ahead = made.splice(made.indexOf(basename(file)) + 1)
  const old = [...ahead, ...made].slice(0, -keep)
  for (const name of [...left, ...old]) rmSync(join(folder, name), { force: true })
  return file
}

/** When the newest daily backup in `folder` was made, in Unix milliseconds; 0 for none. Of a clock that ran a day ahead none counts. */
export function lastBackupAt(folder: string, now = Date.now()): number {
  const times = listBackups(folder, 'daily').map((name) =>
    Date.parse(name.slice('daily-'.length, -'.zip'.length).replace(/-(\d\d)-(\d\d\.)/, ':$1:$2')),
  )
  return times.findLast((at) => at <= now + DAY_MS) ?? 0
}

/** Names of the backups of one occasion, oldest first. */
function listBackups(folder: string, occasion: Occasion): string[] {
  try {
    const isOne = (name: string) => name.startsWith(`${occasion}-2`) && name.endsWith('.zip')
    return readdirSync(folder).filter(isOne).sort()
  } catch {
    return []
  }
}
