import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Archive, HourPaths } from '@pairwire/archive'
import { fileOf, type HourFileKind, type Manifest } from '@pairwire/contract'

/** Files that the engine reads: those of an hour except its zip. */
const KEPT = ['swaps', 'pairs', 'blocks'] as const

/** The number of hours whose files are kept, and the bytes of all files; whichever bound is reached first. */
const MOST_HOURS = 24
const MOST_BYTES = 20e9

/**
 * Local paths for files of the archive, since the engine opens only those. A folder's own files are used in place; of a
 * bucket, the files of the newest hours and those requested are cached in `folder`.
 */
export class LocalFiles {
  readonly #archive: Pick<Archive, 'open' | 'localPath'>
  readonly #folder: string
  /** Paths of files that are being read or downloaded; they are not removed. */
  readonly #used = new Map<string, number>()
  readonly #fetching = new Map<string, Promise<void>>()

  constructor(archive: Pick<Archive, 'open' | 'localPath'>, folder: string) {
    this.#archive = archive
    this.#folder = folder
  }

  /** Passes a file to `use`, and keeps it until that resolves. @throws Error if it is gone */
  async use<Value>(
    manifest: Manifest,
    kind: (typeof KEPT)[number],
    use: (path: string) => Promise<Value>,
  ): Promise<Value> {
    const own = this.#archive.localPath(manifest, kind)
    if (own !== undefined) return use(own)
    const path = join(this.#folder, fileOf(manifest, kind).name)
    this.#used.set(path, (this.#used.get(path) ?? 0) + 1)
    try {
      await this.#ensure(manifest, kind, path)
      return await use(path)
    } finally {
      const uses = this.#used.get(path)! - 1
      if (uses > 0) this.#used.set(path, uses)
      else this.#used.delete(path)
    }
  }

  /** Caches the files made for an hour, unless the archive is local; `manifest` is the one made with them. */
  async keep(manifest: Manifest, paths: HourPaths): Promise<void> {
    if (this.#archive.localPath(manifest, 'swaps') !== undefined) return
    for (const kind of KEPT) {
      const path = join(this.#folder, fileOf(manifest, kind).name)
      await this.#write(path, (unfinished) => copyFile(paths[kind], unfinished))
    }
    await this.#makeRoom()
  }

  async #ensure(manifest: Manifest, kind: HourFileKind, path: string): Promise<void> {
    await utimes(path, new Date(), new Date()).catch(() => undefined)
    const found = await stat(path).catch(() => undefined)
    // A power cut may have taken its bytes.
    if (found?.size === fileOf(manifest, kind).bytes) return
    const fetch = () => this.#fetch(manifest, kind, path).finally(() => this.#fetching.delete(path))
    const fetching = this.#fetching.get(path) ?? fetch()
    this.#fetching.set(path, fetching)
    await fetching
  }

  async #fetch(manifest: Manifest, kind: HourFileKind, path: string): Promise<void> {
    const bytes = await this.#archive.open(manifest, kind)
    if (!bytes) throw new Error(`${manifest.hour}: the archive no longer has its ${kind}.`)
    await this.#write(path, (unfinished) => pipeline(bytes, createWriteStream(unfinished)))
    await this.#makeRoom()
  }

  /** Writes a file under a temporary name and renames it, since it may be cached and downloaded at the same time. */
  async #write(path: string, write: (unfinished: string) => Promise<void>): Promise<void> {
    const unfinished = `${path}.${randomUUID()}`
    await mkdir(this.#folder, { recursive: true })
    try {
      await write(unfinished)
      await rename(unfinished, path)
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  /** Removes the least recently used files. */
  async #makeRoom(): Promise<void> {
    const found = (await readdir(this.#folder)).map(async (name) => {
      const path = join(this.#folder, name)
      // Another process may have removed or renamed it; then it takes no room.
      const file = await stat(path).catch(() => undefined)
      return file ? [{ path, size: file.size, mtimeMs: file.mtimeMs }] : []
    })
    const files = (await Promise.all(found)).flat().sort((one, other) => other.mtimeMs - one.mtimeMs)
    let bytes = 0
    for (const [at, { path, size }] of files.entries()) {
      bytes += size
      const isKept = at < MOST_HOURS * KEPT.length && bytes <= MOST_BYTES
      if (!isKept && !this.#used.has(path)) await rm(path, { force: true })
    }
  }
}
