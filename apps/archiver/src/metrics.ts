import type { ArchiveState } from '@pairwire/contract'
import { type Metric, metricTable } from '@pairwire/process'

/** The metrics of the archiver. */
export const archiverMetrics = (read: () => ArchiverFigures | undefined) => metricTable(ROWS, read)

type ArchiverFigures = Pick<ArchiveState, 'lagSeconds' | 'waitingUploads' | 'failures'>

const ROWS: readonly Metric<ArchiverFigures>[] = [
  {
    name: 'pairwire_archive_lag_seconds',
    help: 'Seconds of the stream that are not archived yet.',
    read: ({ lagSeconds }) => lagSeconds,
  },
  {
    name: 'pairwire_archive_waiting_uploads',
    help: 'Finished hours that wait for the storage.',
    read: ({ waitingUploads }) => waitingUploads,
  },
  {
    name: 'pairwire_archive_failures_total',
    help: 'Failures to make or publish an hour since the start.',
    read: ({ failures }) => failures,
  },
]
