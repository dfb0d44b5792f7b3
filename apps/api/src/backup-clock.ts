import { lastBackupAt } from '@pairwire/accounts'
import { type Clock, codeOf, lookAgain, nameOf } from '@pairwire/basics'
import { AppError, DAY_MS, HOUR_MS } from '@pairwire/contract'
import { type Metrics, metricTable } from '@pairwire/process'
import type { Leases } from './leases.ts'

/** Most milliseconds between two checks. */
const LOOK_EVERY_MS = 30_000

/** Milliseconds until the next attempt after one failed. */
const RETRY_MS = HOUR_MS

const AWAY = 'the database does not answer; see that it runs'

/** Why a backup failed and what to do, by the code of its error. A message is never logged: it may hold a secret. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no room is left; make some in BACKUP_DIR and in the folder for temporary files',
  EACCES: 'BACKUP_DIR may not be written by this process; give it the folder',
  ENOENT: 'a folder is missing and cannot be made; see BACKUP_DIR and the folder for temporary files',
  EROFS: 'BACKUP_DIR can only be read; mount it so that it can be written',
  ECONNREFUSED: AWAY,
  ECONNRESET: AWAY,
  ERR_UNAVAILABLE: AWAY,
}

/** Milliseconds after 0:00 UTC at which a backup is due. */
const DUE_AFTER_MS = 3 * HOUR_MS

/**
 * Makes a backup a day at 03:00 UTC in `folder`, and one that was missed at once; only one of several processes does.
 *
 * @param make makes one there; a stop aborts it
 */
export function createBackupClock({
  folder,
  make,
  leases,
  clock,
  warn,
}: Readonly<{
  folder: string
  make(signal: AbortSignal): Promise<unknown>
  leases: Pick<Leases, 'have'>
  clock: Pick<Clock, 'now' | 'after'>
  warn(sentence: string, fields: Readonly<Record<string, unknown>>): void
}>): { start(): void; stop(): void } {
  const off = new AbortController()

  const makeIfDue = async () => {
    const now = clock.now()
    if (lastBackupAt(folder, now) >= now - ((now - DUE_AFTER_MS) % DAY_MS)) return
    await make(off.signal)
  }
  const looking = lookAgain(clock, async () => {
    try {
      await leases.have('backups', makeIfDue)
      return LOOK_EVERY_MS
    } catch (error) {
      if (off.signal.aborted) return RETRY_MS
      const code = error instanceof AppError ? error.errorType : codeOf(error)
      const reason = REASONS[code ?? ''] ?? 'to see why, make one with `pairwire backup <file>`'
      warn(`The daily backup failed: ${reason}. It is tried again in an hour.`, {
        error: code ?? nameOf(error),
      })
      return RETRY_MS
    }
  })
  return {
    start: () => void looking.start(),
    // Not waited for: opening the embedded database aside takes seconds. What is half written is no backup.
    stop: () => {
      off.abort()
      void looking.stop()
    },
  }
}

/** Reports when the newest daily backup was made; nothing without a folder. */
export const backupMetrics = (folder: string | undefined): Metrics =>
  metricTable(
    [
      {
        name: 'pairwire_backup_timestamp_seconds',
        help: 'When the newest backup was made; 0 for never. Absent without BACKUP_DIR.',
        labels: ['occasion'],
        read: () => (folder === undefined ? [] : [[lastBackupAt(folder) / 1_000, 'daily']]),
      },
    ],
    () => null,
  )
