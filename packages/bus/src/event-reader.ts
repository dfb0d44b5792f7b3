import type { StreamEvent } from '@pairwire/contract'
import { type EventLog, openEventLog } from './event-log.ts'

/** What a service keeps for resuming, read beside it: as it stood when the reader was opened. */
export type EventReader = Readonly<{
  /**
   * Events after the cursor as they were kept, also those that were kept twice. @throws CursorTooOldError when there were
   * some that are dropped
   */
  replay(cursor: string): AsyncIterable<readonly StreamEvent[]>
}> &
  Pick<EventLog, 'newestCursor' | 'oldestCursor'>

/**
 * Opens what is kept in `folder` of this kind of source. Nothing there is changed, whether a service runs or not.
 * Rejects when the folder cannot be read; `warn` is told of what in it is damaged, in whose place a gap is read.
 */
export async function openEventReader(
  folder: string,
  kind: 'chain' | 'recording' | 'simulator',
  warn: (sentence: string, details: Record<string, unknown>) => void,
): Promise<EventReader> {
  const retention = { milliseconds: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
  const log = await openEventLog({ folder, kind, retention, now: Date.now, warn, readOnly: true })
  return {
    oldestCursor: () => log.oldestCursor(),
    newestCursor: () => log.newestCursor(),
    replay: (cursor) => log.records(cursor),
  }
}
