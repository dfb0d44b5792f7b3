import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { codeOf, flushPath, type Log, messageOf } from '@pairwire/basics'
import { createFlushBarrier } from './flush-barrier.ts'
import { PgliteStream } from './pglite-stream.ts'
import { type PgliteThread, startPgliteThread } from './pglite-thread.ts'

/** The embedded database, running in its thread. */
export type Pglite = Readonly<{
  /** A new connection, for node-postgres's `stream`. */
  connect(): Duplex
  /** See `Database.barrier`. */
  barrier(): Promise<void>
  /** Calls `listener` when the database is lost, other than by `close`. */
  onLoss(listener: (error: Error) => void): void
  /** Writes a dump when the last one is a day old or missing. Errors are logged. */
  dumpIfOld(): Promise<void>
  /** Closes the database, writes a dump and ends its thread; each step gets half of the time and is then abandoned. */
  close(withinMs: number): Promise<void>
}>

/** Milliseconds after which a dump is replaced. */
const DUMP_EVERY_MS = 24 * 60 * 60_000

/** Milliseconds for a dump while the service runs; queries do not wait for it. */
const DUMP_TIMEOUT_MS = 10 * 60_000

/** Faults of the machine, which an older copy of the data would not fix. */
const FAULT_OF_THE_MACHINE = /^(EACCES|EDQUOT|EIO|EMFILE|ENFILE|ENOMEM|ENOSPC|EPERM|EROFS|ETIMEDOUT)$/

/**
 * Starts the embedded database on `folder` in a worker thread. Files that cannot be opened are put aside and the newest dump
 * is restored, with a warning in the log; a folder that holds only a dump is restored the same way.
 *
 * @throws Error with one sentence if there is no dump to fall back on
 */
export async function openPglite(
  { folder, workerUrl }: { folder: string; workerUrl: URL },
  log: Pick<Log, 'warn'>,
): Promise<Pglite> {
  const cluster = join(folder, 'cluster')
  const dump = join(folder, 'dump.tar.gz')
  const thread = await openOrRestore({ folder, cluster, dump, workerUrl }, log)
  const streams = new Map<number, PgliteStream>()
  let connections = 0
  let ended: Error | undefined
  let closing: Promise<void> | undefined
  let isDumping = false

  thread.onBytes((connection, bytes) => streams.get(connection)?.receive(bytes))
  thread.onEnd(({ message }) => {
    // Marks a lost connection, which callers tell apart from a wrong query.
    const error = Object.assign(new Error(message), { code: 'ECONNRESET' })
    ended = error
    for (const stream of streams.values()) stream.destroy(error)
  })

  async function writeDump(timeoutMs: number): Promise<void> {
    const { error } = await thread.ask({ type: 'dump' }, 'dumped', timeoutMs)
    if (error !== undefined) throw new Error(error)
  }

  return {
    connect: () => {
      const connection = ++connections
      const stream = new PgliteStream(
        (bytes) => thread.tell({ type: 'bytes', connection, bytes }),
        () => {
          streams.delete(connection)
          thread.tell({ type: 'gone', connection })
        },
      )
      streams.set(connection, stream)
      if (ended) stream.destroy(ended)
      return stream
    },

    barrier: createFlushBarrier(join(cluster, 'pg_wal')),

    onLoss: (listener) =>
      thread.onEnd((error) => {
        if (!closing) listener(error)
      }),

    dumpIfOld: async () => {
      if (isDumping || closing || ended) return
      isDumping = true
      try {
        if ((await ageOf(dump)) >= DUMP_EVERY_MS) await writeDump(DUMP_TIMEOUT_MS)
      } catch (error) {
        if (!closing) log.warn(`The daily dump of the database failed: ${messageOf(error)}.`)
      } finally {
        isDumping = false
      }
    },

    close: (withinMs) => {
      closing ??= (async () => {
        if (ended) return
        const startedMs = performance.now()
        try {
          await thread.ask({ type: 'close' }, 'closed', withinMs / 2)
        } catch (error) {
          log.warn(`The database was not closed cleanly: ${messageOf(error)}.`)
        }
        try {
          await writeDump(withinMs - (performance.now() - startedMs))
        } catch (error) {
          log.warn(`The database was closed without a new dump: ${messageOf(error)}.`)
        }
        await thread.terminate()
      })()
      return closing
    },
  }
}

type Places = { folder: string; cluster: string; dump: string; workerUrl: URL }

async function openOrRestore(
  { folder, cluster, dump, workerUrl }: Places,
  log: Pick<Log, 'warn'>,
): Promise<PgliteThread> {
  // There while the files are made: half of them do not open, and hold nothing yet. A release that does not know this mark may
  // have run since: then there is a newer dump.
  const unfinished = join(folder, 'cluster-unfinished')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await ageOf(unfinished)) < (await ageOf(dump))) await rm(cluster, { recursive: true, force: true })
  const isNew = !existsSync(cluster)
  const isLost = isNew && existsSync(dump)
  let thread: PgliteThread | undefined
  try {
    if (isNew) await writeFile(unfinished, '', { flush: true })
    thread = await startPgliteThread(workerUrl, { cluster, dump, restore: isLost })
    await rm(unfinished, { force: true })
    if (isNew) await flushPath(folder)
    if (isLost) {
      log.warn(
        `THE DATABASE IN ${folder} WAS MISSING AND WAS RESTORED FROM ITS DUMP OF ${await timeOf(dump)}.`,
      )
    }
    return thread
  } catch (error) {
    // It would hold its files, and the process.
    await thread?.terminate()
    const isOfMachine = (fault: unknown) => FAULT_OF_THE_MACHINE.test(codeOf(fault) ?? '')
    const fault = isOfMachine(error) ? error : ((await findClosed(cluster)) ?? error)
    const cause = messageOf(fault)
    const failure = new Error(`The database in ${folder} cannot be opened: ${cause}`)
    if (isNew) for (const path of [cluster, unfinished]) await rm(path, { recursive: true, force: true })
    if (isNew || isOfMachine(fault) || !existsSync(dump)) throw failure

    const aside = `${cluster}.unreadable-${Date.now()}`
    await rename(cluster, aside)
    try {
      const thread = await startPgliteThread(workerUrl, { cluster, dump, restore: true })
      log.warn(
        `THE DATABASE IN ${folder} COULD NOT BE OPENED (${cause}) AND WAS RESTORED FROM ITS DUMP OF ${await timeOf(dump)}. ` +
          `Later writes are missing. The unreadable files were kept in ${aside}.`,
      )
      return thread
    } catch {
      await rm(cluster, { recursive: true, force: true })
      await rename(aside, cluster)
      throw failure
    }
  }
}

/** The system's error for a file that this user may not read and write: the database names none. Undefined if there is none. */
async function findClosed(cluster: string): Promise<unknown> {
  try {
    for (const entry of await readdir(cluster, { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) await (await open(join(entry.parentPath, entry.name), 'r+')).close()
    }
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : error
  }
}

/** When the file was written, for people. */
async function timeOf(path: string): Promise<string> {
  return (await stat(path)).mtime.toISOString()
}

/** Milliseconds since the file was written; infinite if it does not exist or is dated in the future. */
async function ageOf(path: string): Promise<number> {
  try {
    const ageMs = Date.now() - (await stat(path)).mtimeMs
    return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
