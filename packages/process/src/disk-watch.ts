import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, codeOf, type Log, lookAgain } from '@pairwire/basics'

/** Milliseconds between two checks. */
const LOOK_EVERY_MS = 5_000

/** Bytes below which the disk counts as full: the next part of the database's log is as large. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024

/** Bytes that each check writes. */
const PROBE_BYTES = 4_096

/** Free bytes on the disk of `folder` for anyone but root; undefined on file systems that do not count them. */
async function freeBytesOf(folder: string): Promise<number | undefined> {
  const { bavail, bsize, blocks } = await statfs(folder)
  return blocks === 0 ? undefined : bavail * bsize
}

/** Writes a little and removes it again: a quota, or a disk that became read-only, shows in no other way. */
async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, '.probe')
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(Buffer.alloc(PROBE_BYTES))
    await file.datasync()
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}

const REAL_DISK = { freeBytes: freeBytesOf, write: writeProbe }

/** Checks now and then whether the disk of `folder`, or `disk` instead, still accepts writes. */
export function createDiskWatch({
  folder,
  clock,
  log,
  disk = REAL_DISK,
}: {
  folder: string
  clock: Pick<Clock, 'after'>
  log: Log
  disk?: Readonly<typeof REAL_DISK>
}) {
  let isFull = false
  let free: number | undefined

  /** @returns why writes fail; undefined while they succeed */
  const findFault = async (): Promise<string | undefined> => {
    try {
      free = await disk.freeBytes(folder)
      await disk.write(folder)
    } catch (error) {
      return codeOf(error) ?? 'unknown'
    }
    return free !== undefined && free < LEAST_FREE_BYTES ? 'ENOSPC' : undefined
  }

  const look = async () => {
    const fault = await findFault()
    const about = { folder, fault, freeBytes: free }
    if (fault && !isFull) log.error('DATA_DIR: the disk cannot be written to. Free some space on it.', about)
    if (!fault && isFull) log.info('DATA_DIR: the disk can be written to again.', { freeBytes: free })
    isFull = fault !== undefined
    return LOOK_EVERY_MS
  }

  return {
    /** False from a check that failed to one that succeeds again. */
    hasRoom: () => !isFull,
    /** Bytes free for us at the last check; undefined if the system does not say. */
    freeBytes: () => free,
    ...lookAgain(clock, look),
  }
}
