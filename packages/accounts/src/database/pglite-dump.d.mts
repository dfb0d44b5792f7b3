/** What {@link dumpCluster} may be told; `betweenFiles` is for tests. */
export type DumpOptions = { signal?: AbortSignal; betweenFiles?: () => Promise<void> }

/**
 * Writes the database in the folder `cluster` to the file `dump`, which is complete or not there at all.
 *
 * @throws Error when it was aborted, or checkpoints came between each time
 */
export function dumpCluster(cluster: string, dump: string, options?: DumpOptions): Promise<void>

/** Copies the same to the folder `copy`, in place of what it holds. @throws Error when checkpoints came between each time */
export function copyCluster(cluster: string, copy: string): Promise<void>
