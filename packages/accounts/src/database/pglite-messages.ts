/** Start options of the embedded database's thread. */
export type PglitePlace = Readonly<{
  /** Folder of the database's own files. */
  cluster: string
  /** File in which a dump is kept. */
  dump: string
  /** Whether to fill an empty `cluster` from `dump`. */
  restore: boolean
}>

/** A message to that thread. `connection` tells one stream of bytes from the next. */
export type ToWorker =
  | Readonly<{ type: 'bytes'; connection: number; bytes: Uint8Array }>
  | Readonly<{ type: 'gone'; connection: number }>
  | Readonly<{ type: 'dump' }>
  | Readonly<{ type: 'close' }>

/** A message from that thread. `code` is Node's, of a failed system call. */
export type FromWorker =
  | Readonly<{ type: 'ready' }>
  | Readonly<{ type: 'failed'; message: string; code?: string }>
  | Readonly<{ type: 'bytes'; connection: number; bytes: Uint8Array }>
  | Readonly<{ type: 'dumped'; error?: string }>
  | Readonly<{ type: 'closed' }>
