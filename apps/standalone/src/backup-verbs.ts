import { backUp, backUpToFile, checkBackup, restore } from '@pairwire/accounts'
import { backupPartsOf, findKeySecrets, insistOnEmpty, takeDataFolder } from '@pairwire/process'
import { readStoreConfig } from './config.ts'
import { orStatus, report, write } from './operator/output.ts'

/** `backup <file>|-`: writes a backup to a file or to the output, without asking a running service. @returns the exit status */
export async function runBackupVerb([file, ...more]: string[], signal: AbortSignal): Promise<number> {
  if (!file || more.length > 0 || (file.startsWith('-') && file !== '-')) return usage('backup <file>|-')
  return orStatus(1, async () => {
    if (file === '-' && process.stdout.isTTY) throw new Error('A backup is no text: name a file.')
    // A reader that ends early has no backup.
    process.stdout.removeAllListeners('error')
    const startedMs = performance.now()
    const parts = backupPartsOf(readStoreConfig(process.env))
    const made = file === '-' ? backUp(parts, process.stdout, signal) : backUpToFile(parts, file, signal)
    const { version, schema, tables } = await made
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const seconds = Math.round(performance.now() - startedMs) / 1_000
    report(JSON.stringify({ file, version, schema, rows, seconds }))
    return 0
  })
}

/** `restore <file> [--check]`: fills the empty data folder and database, or proves that it could. @returns the exit status */
export async function runRestoreVerb(words: string[], signal: AbortSignal): Promise<number> {
  const [file, ...more] = words.filter((word) => word !== '--check')
  if (!file || more.length > 0 || file.startsWith('-')) return usage('restore <file> [--check]')
  return orStatus(1, async () => {
    const config = readStoreConfig(process.env)
    const parts = backupPartsOf(config)
    const findSecrets = (kept: string | undefined) => findKeySecrets(config.keyEncryptionSecret, kept)
    const print = (restored: object) => write(JSON.stringify({ file, ...restored }))
    if (words.includes('--check')) {
      print(await checkBackup(file, parts, findSecrets, signal))
      return 0
    }
    const lock = await takeDataFolder(config.dataFolder)
    try {
      insistOnEmpty(config.dataFolder)
      print(await restore(file, parts, findSecrets, { signal }))
      return 0
    } finally {
      lock.release()
    }
  })
}

function usage(words: string): 2 {
  report(`Usage: npm run pairwire -- ${words}`)
  return 2
}
