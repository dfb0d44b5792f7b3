/** What the thread with the embedded database is told. `connection` tells one stream of bytes from the next. */
export type ToWorker =
  | Readonly<{ type: 'bytes'; connection: number; bytes: Uint8Array }>
  | Readonly<{ type: 'gone'; connection: number }>
  | Readonly<{ type: 'dump' }>
  | Readonly<{ type: 'close' }>

/** What that thread says. */
export type FromWorker =
  | Readonly<{ type: 'ready'; restored: Restored | undefined }>
  | Readonly<{ type: 'failed'; message: string }>
  | Readonly<{ type: 'bytes'; connection: number; bytes: Uint8Array }>
  | Readonly<{ type: 'dumped'; error?: string }>
  | Readonly<{ type: 'closed' }>

/** A folder that could not be opened was put aside, and the newest dump taken in its place. */
export type Restored = Readonly<{ aside: string; reason: string }>
