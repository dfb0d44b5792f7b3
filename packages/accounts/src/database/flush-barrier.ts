import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '@pairwire/basics'

/** Name of a segment of the write-ahead log. */
const SEGMENT = /^[0-9A-F]{24}$/

/** Milliseconds within which two changes of a file may carry the same time, as clocks of file systems are coarse. */
const CLOCK_GRAIN_MS = 2_000

/** A segment at the last flush. `isSettled`: any later change to it changes its time too. */
type Flushed = Readonly<{ changedMs: number; seenAt: number; isSettled: boolean }>

/**
 * A barrier over the write-ahead log in `folder`: once its promise is fulfilled, everything committed before the call is on
 * disk. The embedded database itself never syncs.
 *
 * Calls during a flush share the next one, as in a group commit. A segment has changed if its time differs, not only if it is
 * later: clocks are set back.
 *
 * @param elapsed milliseconds since any fixed moment; never steps back
 */
export function createFlushBarrier(folder: string, elapsed = () => performance.now()): () => Promise<void> {
  let flushed: ReadonlyMap<string, Flushed> = new Map()
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined

  async function flush(): Promise<void> {
    const now = elapsed()
    const present = new Map<string, Flushed>()
    for (const name of await readdir(folder)) {
      if (!SEGMENT.test(name)) continue
      const path = join(folder, name)
      const changedMs = await changeOf(path)
      if (changedMs === undefined) continue

      const known = flushed.get(name)
      const isSame = known?.changedMs === changedMs
      if (isSame && known.isSettled) {
        present.set(name, known)
        continue
      }
      await datasync(path)
      const seenAt = isSame ? known.seenAt : now
      present.set(name, { changedMs, seenAt, isSettled: now - seenAt >= CLOCK_GRAIN_MS })
    }
    // The folder itself, for a segment that was just created.
    await datasync(folder)
    flushed = present
  }

  return () => {
    waiting ??= running
      .catch(() => {})
      .then(() => {
        waiting = undefined
        running = flush()
        return running
      })
    return waiting
  }
}

/** When the file was last written, in Unix milliseconds; `undefined` if a checkpoint has just removed it. */
async function changeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(ifMissing))?.mtimeMs
}

async function datasync(path: string): Promise<void> {
  const file = await open(path, 'r').catch(ifMissing)
  try {
    await file?.datasync()
  } finally {
    await file?.close()
  }
}

function ifMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}
