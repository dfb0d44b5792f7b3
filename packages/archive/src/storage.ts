import type { Readable } from 'node:stream'
import { messageOf } from '@pairwire/basics'
import { HOUR_MS } from '@pairwire/contract'

/** Milliseconds without a write after which a partial file or a trial counts as left over from a killed process. */
export const LEFTOVER_MS = HOUR_MS

/** A range of bytes of an object, both ends inclusive. */
export type ByteRange = Readonly<{ start: number; end: number }>

/** An object in a listing. `version` changes when other bytes are stored under the name. */
export type StoredObject = Readonly<{ name: string; bytes: number; modifiedAt: Date; version: string }>

/**
 * Where objects are kept: a folder or a bucket. Names are paths of plain words, separated by `/`. Every call rejects with
 * {@link StorageAwayError} while the storage cannot be reached.
 */
export type Storage = Readonly<{
  /** Stores a copy of a file on this machine. Never visible in part; survives a power cut once this resolves. */
  putFile(name: string, file: string): Promise<void>
  /** Does the same with a text. */
  putText(name: string, text: string): Promise<void>
  /** The text of a small object; undefined if there is none. */
  readText(name: string): Promise<string | undefined>
  /** The bytes of an object, or a range of them; undefined if there is none. */
  open(name: string, range?: ByteRange): Promise<Readable | undefined>
  /** Every object below a folder, in order of name. */
  list(folder: string): AsyncIterable<StoredObject>
  /** Names of the folders directly in a folder, in order. */
  folders(folder: string): Promise<readonly string[]>
  /** Removes an object if it exists. */
  remove(name: string): Promise<void>
  /** The path of an object if it is a file on this machine. */
  localPath(name: string): string | undefined
  /**
   * An address from which anyone can download the object for 15 minutes, saved as `fileName`; undefined if the storage has
   * none.
   */
  signedUrl(name: string, fileName: string): Promise<string | undefined>
}>

/** The storage cannot be reached, or accepts nothing; the same call may succeed later. */
export class StorageAwayError extends Error {
  constructor(cause: unknown) {
    super(`The archive cannot be reached: ${messageOf(cause)}`, { cause })
    this.name = 'StorageAwayError'
  }
}

/** Insists on a path of plain words, so that no name leads out of the folder. @throws Error for any other */
export function assertObjectName(name: string): void {
  if (!isObjectName(name)) throw new Error('This is not an object name.')
}

/** Whether this is a path of plain words. */
export function isObjectName(name: string): boolean {
  return /^[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)*$/i.test(name)
}
