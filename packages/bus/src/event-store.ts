import type { Log } from '@pairwire/basics'
import type { SourceKind } from '@pairwire/contract'
import type { InTurn } from './bus.ts'
import { openEventLog, type Retention } from './event-log.ts'
import { writeRecord } from './event-record.ts'
import { lastCursorOf, type Piece } from './event-ring.ts'
import { gapBetween } from './gap-between.ts'
import { createPieceCache } from './piece-cache.ts'

/**
 * Keeps events beyond the life of the process. Writing follows the stream, which never waits: what the disk does not
 * take is retried from limited memory, and dropped events become a gap.
 */
export type EventStore = Awaited<ReturnType<typeof openEventStore>>

/** What {@link openEventStore} needs. */
export type EventStoreOptions = Readonly<{
  /** Folder for this store alone. */
  folder: string
  /** The kind of source of the events: a change removes what is kept. */
  source: SourceKind
  retention: Retention
  /** Unix milliseconds. */
  now(): number
  log: Pick<Log, 'info' | 'warn'>
  /** About the heap for events waiting to be written. */
  queueBytes?: number
}>

/** A quarter of a minute of a busy chain. */
const QUEUE_BYTES = 16 * 1024 * 1024

/** Ten seconds of a busy chain, for many clients that return at once to about the same cursor. */
const CACHE_BYTES = 16 * 1024 * 1024

/** Most batches in one write. */
const BATCHES_PER_WRITE = 8

/** Milliseconds before a batch is serialized: until then the sockets have the processor. */
const REST_MS = 50

type Batch = { readonly pieces: readonly Piece[]; readonly bytes: number; records?: readonly Buffer[] }

/** Opens the store in its folder with what an earlier process left. Rejects when the folder cannot be used. */
export async function openEventStore(options: EventStoreOptions) {
  const { folder, source, retention, now, log, queueBytes = QUEUE_BYTES } = options
  const cache = createPieceCache(CACHE_BYTES, false)
  const { warn } = log
  const events = await openEventLog({ folder, kind: source, retention, now, warn, remember: cache.remember })

  let queue: Batch[] = []
  let queued = 0
  /** The cursor up to which events were dropped before they were written. */
  let lost: string | undefined
  let writing: Promise<void> | undefined
  let hasFailed = false
  let endRest: (() => void) | undefined

  const letGo = () => {
    while (queued > queueBytes && queue.length > 0) {
      const batch = queue.shift()!
      queued -= batch.bytes
      lost = lastCursorOf(batch.pieces.at(-1)!.events)
    }
  }

  /** Writes the gap of dropped events, then these batches. */
  const write = async (batches: readonly Batch[]): Promise<void> => {
    const written = events.newestCursor()
    const gapTo = lost
    if (gapTo !== undefined && written !== undefined) {
      await events.append([await writeRecord([gapBetween(written, gapTo)], true)], gapTo)
    }
    if (lost === gapTo) lost = undefined
    for (const batch of batches) batch.records ??= await recordsOf(batch)
    await events.append(
      batches.flatMap(({ records }) => records!),
      lastCursorOf(batches.at(-1)!.pieces.at(-1)!.events),
    )
  }

  const writeAll = async (): Promise<void> => {
    while (queue.length > 0) {
      const batches = queue.splice(0, BATCHES_PER_WRITE)
      try {
        await write(batches)
      } catch (error) {
        if (!hasFailed) warn('Events cannot be stored for resuming; retrying.', { error: String(error) })
        hasFailed = true
        // Newer batches may have pushed out the following ones.
        if (lost === undefined || lost < lastCursorOf(batches[0]!.pieces[0]!.events))
          queue.unshift(...batches)
        else for (const batch of batches) queued -= batch.bytes
        letGo()
        return
      }
      for (const batch of batches) queued -= batch.bytes
      if (hasFailed) log.info('Events are stored for resuming again.')
      hasFailed = false
    }
  }

  const start = (): Promise<void> => {
    writing ??= rest()
      .then(writeAll)
      .finally(() => {
        writing = undefined
      })
    return writing
  }

  const rest = () =>
    new Promise<void>((resolve) => {
      endRest = resolve
      setTimeout(resolve, REST_MS)
    })

  /** Starts at once, for a caller that waits. */
  const startNow = (): Promise<void> => {
    const written = start()
    endRest?.()
    return written
  }

  return {
    newestCursor: () => events.newestCursor(),
    oldestCursor: () => events.oldestCursor(),
    /**
     * Takes the next batch, to write it soon. The caller need not wait.
     *
     * @returns a promise that resolves once the batch is written, or the disk refused it; it never rejects
     */
    keep(pieces: readonly Piece[]): Promise<void> {
      const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0)
      queue.push({ pieces, bytes })
      queued += bytes
      letGo()
      return start()
    },
    /** Whether the event at this cursor is neither on disk yet nor dropped. */
    isWaiting: (cursor: string) => cursor > (events.newestCursor() ?? '') && cursor > (lost ?? ''),
    holds: (cursor: string) => events.holds(cursor),
    after: (cursor: string, inTurn?: InTurn) => events.after(cursor, inTurn),
    async clear() {
      endRest?.()
      await writing
      queue = []
      queued = 0
      lost = undefined
      cache.clear()
      await events.clear()
    },
    /** False from a failed write until the next one that succeeds. */
    isKeeping: () => !hasFailed,
    size: () => events.size(),
    /** Resolves once everything taken is written, or the disk refused it. */
    settled: async () => {
      if (queue.length > 0 || writing) await startNow()
    },
    async close() {
      endRest?.()
      await writing
      await startNow()
      await events.close()
    },
  }
}

/** One piece at a time, so that a full block does not block the thread for long. */
async function recordsOf({ pieces }: Batch): Promise<readonly Buffer[]> {
  const records: Buffer[] = []
  for (const [at, { events }] of pieces.entries()) {
    records.push(await writeRecord(events, at === pieces.length - 1))
  }
  return records
}
