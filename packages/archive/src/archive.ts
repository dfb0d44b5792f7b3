import type { Readable } from 'node:stream'
import type { HourFileKind, Manifest, SourceKind } from '@pairwire/contract'
import type { ByteRange } from './storage.ts'

/** The files of an hour on this machine, before they are published. */
export type HourPaths = Readonly<Record<HourFileKind, string>>

/**
 * The hours of the stream that are kept, each as four files and a manifest. Every call rejects with `StorageAwayError` while
 * the storage cannot be reached.
 */
export type Archive = Readonly<{
  /**
   * Publishes an hour: its files, its manifest, then the index of its month. An hour that is there stays, unless it is
   * incomplete and this one complete, or `isForced`: then this one is the next revision.
   *
   * @returns the manifest that stands now
   */
  publish(paths: HourPaths, manifest: Manifest, isForced?: boolean): Promise<Manifest>
  /** The manifest of an hour; undefined while there is none. */
  find(source: SourceKind, hour: string): Promise<Manifest | undefined>
  /**
   * Manifests of the hours from `from` up to but without `to` (Unix milliseconds, whole hours) that are there, oldest first.
   * What another process publishes is here within a minute.
   */
  list(source: SourceKind, from: number, to: number): Promise<readonly Manifest[]>
  /** The first complete hour with a swap of the newest UTC month that has one; undefined while there is none. */
  findSample(source: SourceKind): Promise<Manifest | undefined>
  /** The newest hour that is there; undefined while there is none. */
  findNewest(source: SourceKind): Promise<Manifest | undefined>
  /** The bytes of a file of an hour, or of a range of it; undefined where the file is gone. */
  open(manifest: Manifest, kind: HourFileKind, range?: ByteRange): Promise<Readable | undefined>
  /** The path of the file where the archive is a folder of this machine. */
  localPath(manifest: Manifest, kind: HourFileKind): string | undefined
  /** An address under which a customer can fetch the file for 15 minutes; undefined where the api has to pass it on. */
  signedUrl(manifest: Manifest, kind: HourFileKind): Promise<string | undefined>
  /** Removes an hour: its manifest first. */
  remove(manifest: Manifest): Promise<void>
  /** Removes objects that no manifest names and that are more than a day old. */
  removeOrphans(source: SourceKind): Promise<void>
}>
