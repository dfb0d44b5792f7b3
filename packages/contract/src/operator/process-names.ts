/** What the operator's list of connections is sorted by, the highest first. */
export const STREAM_SORTS = ['queued', 'sent', 'age', 'faults'] as const

/** Parts that run as processes; `service` is all of them in one. */
export const PROCESS_PARTS = ['service', 'ingest', 'archiver', 'gateway', 'api'] as const
