import { metricTable } from '@pairwire/process'

/** Reports what is kept on disk for resuming; nothing if nothing is kept. */
export const keptMetrics = (read: () => Promise<KeptEvents | undefined>) =>
  metricTable(
    [
      {
        name: 'pairwire_events_kept_bytes',
        help: 'Bytes on disk of the events that clients can resume.',
        read: ({ bytes }) => bytes,
      },
      {
        name: 'pairwire_events_kept_oldest_info',
        help: 'Always 1; the cursor is the oldest that clients can resume from, and begins with run and slot.',
        labels: ['cursor'],
        read: ({ oldestCursor }) => (oldestCursor === undefined ? [] : [[1, oldestCursor]]),
      },
    ],
    read,
  )

/** The events that are kept on disk. */
type KeptEvents = Readonly<{
  bytes: number
  /** Cursor of the oldest event; undefined before the first. */
  oldestCursor: string | undefined
}>
