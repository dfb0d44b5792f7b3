import { openEventLog } from './event-log.ts'

/** What a service keeps for resuming, read beside it. */
export type EventReader = Awaited<ReturnType<typeof openEventReader>>

/**
 * Opens what a service keeps in `folder` of this kind of source, as it stands now. Nothing there is changed, whether a service runs or not.
 * Rejects when the folder cannot be read; `warn` is told of what in it is damaged, in whose place a gap is read.
 */
export async function openEventReader(
  folder: string,
  kind: 'chain' | 'recording' | 'simulator',
  warn: (sentence: string, details: Record<string, unknown>) => void,
) {
  const retention = { milliseconds: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
  const log = await openEventLog({ folder, kind, retention, now: Date.now, warn, readOnly: true })
  return {
    oldestCursor: () => log.oldestCursor(),
    newestCursor: () => log.newestCursor(),
    /** Events after the cursor as they were kept, also those that were kept twice. @throws CursorTooOldError */
    replay: (cursor: string) => log.records(cursor),
  }
}
