/** What the thread with the embedded database gets at its start. */
export type PglitePlace = Readonly<{
  /** Folder of the database's own files. */
  cluster: string
  /** File in which a dump is kept. */
  dump: string
  /** Whether to fill an empty `cluster` from `dump`. */
  restore: boolean
}>

/** What that thread is told. `connection` tells one stream of bytes from the next. */
export type ToWorker =
  | Readonly<{ type: 'bytes'; connection: number; bytes: Uint8Array }>
  | Readonly<{ type: 'gone'; connection: number }>
  | Readonly<{ type: 'dump' }>
  | Readonly<{ type: 'close' }>

/** What that thread says. `code` is Node's, of a failed call to the system. */
export type FromWorker =
  | Readonly<{ type: 'ready' }>
  | Readonly<{ type: 'failed'; message: string; code?: string }>
  | Readonly<{ type: 'bytes'; connection: number; bytes: Uint8Array }>
  | Readonly<{ type: 'dumped'; error?: string }>
  | Readonly<{ type: 'closed' }>
