/** Start options of the embedded database's thread. */
export type PglitePlace = Readonly<{
  /** The folder of the database's files. */
  cluster: string
  /** The file of the dump. */
  dump: string
  /** Whether to fill an empty `cluster` from `dump`. */
  restore: boolean
}>

/** A message to that thread. `connection` tells the byte streams apart. */
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
