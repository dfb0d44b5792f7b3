import type { Readable } from 'node:stream'
import type { HourFileKind, Manifest, SourceKind } from '@pairwire/contract'
import type { ByteRange } from './storage.ts'

/** The files of an hour on this machine, before they are published. */
export type HourPaths = Readonly<Record<HourFileKind, string>>

/**
 * The archived hours of the stream, each four files and a manifest. Every call rejects with `StorageAwayError` while the
 * storage cannot be reached.
 */
export type Archive = Readonly<{
  /**
   * Publishes an hour: its files, then its manifest, then the index of its month. A published hour is kept, unless it is
   * incomplete and this one complete, or `isForced` is set: then this one becomes the next revision.
   *
   * @returns the manifest in force afterwards
   */
  publish(paths: HourPaths, manifest: Manifest, isForced?: boolean): Promise<Manifest>
  /** The manifest of an hour; undefined if there is none, or it is damaged. */
  find(source: SourceKind, hour: string): Promise<Manifest | undefined>
  /**
   * Manifests of the published hours from `from` (inclusive) to `to` (exclusive), in Unix milliseconds at whole hours,
   * oldest first. Hours that another process publishes show up within a minute.
   */
  list(source: SourceKind, from: number, to: number): Promise<readonly Manifest[]>
  /** Names of the hours with a manifest, damaged or not, as the storage has them now, oldest first. */
  names(source: SourceKind): Promise<readonly string[]>
  /** The first complete hour with a swap, in the newest UTC month that has one; undefined if there is none. */
  findSample(source: SourceKind): Promise<Manifest | undefined>
  /** The newest published hour; undefined if there is none. */
  findNewest(source: SourceKind): Promise<Manifest | undefined>
  /** The bytes of a file of an hour, or a range of them; undefined if the file is gone. */
  open(manifest: Manifest, kind: HourFileKind, range?: ByteRange): Promise<Readable | undefined>
  /** The path of the file if the archive is a folder on this machine. */
  localPath(manifest: Manifest, kind: HourFileKind): string | undefined
  /** An address from which a customer can download the file for 15 minutes; undefined if the api must proxy it. */
  signedUrl(manifest: Manifest, kind: HourFileKind): Promise<string | undefined>
  /** Removes an hour, its manifest first. */
  remove(manifest: Manifest): Promise<void>
  /** Removes objects more than a day old that no manifest names; of an hour with a damaged one, nothing. */
  removeOrphans(source: SourceKind): Promise<void>
}>
