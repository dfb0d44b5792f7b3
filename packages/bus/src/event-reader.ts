import type { SourceKind } from '@pairwire/contract'
import { openEventLog } from './event-log.ts'

/** Reads the events that a service keeps for resuming, alongside it. */
export type EventReader = Awaited<ReturnType<typeof openEventReader>>

/**
 * Opens the events that a service keeps in `folder` for this kind of source, without changing anything, whether a
 * service runs or not. Rejects when the folder cannot be read; `warn` is called for damaged parts, read as a gap.
 */
export async function openEventReader(
  folder: string,
  kind: SourceKind,
  warn: (sentence: string, details: Record<string, unknown>) => void,
) {
  const retention = { milliseconds: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
  const log = await openEventLog({ folder, kind, retention, now: Date.now, warn, readOnly: true })
  return {
    oldestCursor: () => log.oldestCursor(),
    newestCursor: () => log.newestCursor(),
    /** Replays the events after the cursor as they were kept, including duplicates. @throws CursorTooOldError */
    replay: (cursor: string) => log.records(cursor),
  }
}
