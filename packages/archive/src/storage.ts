import type { Readable } from 'node:stream'

/** Bytes of an object, both inclusive. */
export type ByteRange = Readonly<{ start: number; end: number }>

/** An object as a listing has it. `version` differs once other bytes stand under the name. */
export type StoredObject = Readonly<{ name: string; bytes: number; modifiedAt: Date; version: string }>

/**
 * Where objects are kept: a folder, or a bucket. Names are paths of plain words with `/` between. Every call rejects with
 * {@link StorageAwayError} while it cannot be reached.
 */
export type Storage = Readonly<{
  /** Stores a copy of a file on this machine. Nobody ever sees half of it, and it outlives a power cut once this resolves. */
  putFile(name: string, file: string): Promise<void>
  /** Does the same with a text. */
  putText(name: string, text: string): Promise<void>
  /** The whole of a small object; undefined where there is none. */
  readText(name: string): Promise<string | undefined>
  /** The bytes of an object, or of a range of it; undefined where there is none. */
  open(name: string, range?: ByteRange): Promise<Readable | undefined>
  /** Every object below a folder, in order of name. */
  list(folder: string): AsyncIterable<StoredObject>
  /** Names of the folders directly within a folder, in order. */
  folders(folder: string): Promise<readonly string[]>
  /** Removes an object, if it is there. */
  remove(name: string): Promise<void>
  /** The path of an object where it is a file of this machine. */
  localPath(name: string): string | undefined
  /**
   * An address under which a stranger can fetch the object for 15 minutes, saved as `fileName`; undefined where there is
   * none to give.
   */
  signedUrl(name: string, fileName: string): Promise<string | undefined>
}>

/** The storage cannot be reached, or takes nothing; the same call may do later. */
export class StorageAwayError extends Error {
  constructor(cause: unknown) {
    super('The archive cannot be reached.', { cause })
    this.name = 'StorageAwayError'
  }
}

/** Insists on a path of plain words, so that no name leads out of the folder. @throws Error for any other */
export function assertObjectName(name: string): void {
  if (!/^[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)*$/i.test(name)) throw new Error('This is no name of an object.')
}
