import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Archive, HourPaths } from '@pairwire/archive'
import { fileOf, type HourFileKind, type Manifest } from '@pairwire/contract'

/** Files that the engine reads: those of an hour without its zip. */
const KEPT = ['swaps', 'pairs', 'blocks'] as const

/** Hours whose files are kept, and bytes of all that are, whichever bound comes first. */
const MOST_HOURS = 24
const MOST_BYTES = 20e9

/**
 * Files of the archive by paths on this machine, for an engine that opens nothing else. Where the archive is a folder they
 * are its own; of a bucket those of the newest hours are kept in `folder`, and those that are asked for.
 */
export class LocalFiles {
  readonly #archive: Pick<Archive, 'open' | 'localPath'>
  readonly #folder: string
  /** Files that are being read, or fetched, by their paths: they stay. */
  readonly #used = new Map<string, number>()
  readonly #fetching = new Map<string, Promise<void>>()

  constructor(archive: Pick<Archive, 'open' | 'localPath'>, folder: string) {
    this.#archive = archive
    this.#folder = folder
  }

  /** Has a file used, and keeps it there for as long. @throws Error where it is gone */
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

  /** Keeps the files that were made for an hour, while they are at hand; the manifest is that which was made with them. */
  async keep(manifest: Manifest, paths: HourPaths): Promise<void> {
    if (this.#archive.localPath(manifest, 'swaps') !== undefined) return
    for (const kind of KEPT) {
      const path = join(this.#folder, fileOf(manifest, kind).name)
      await this.#write(path, (unfinished) => copyFile(paths[kind], unfinished))
    }
    await this.#makeRoom()
  }

  async #ensure(manifest: Manifest, kind: HourFileKind, path: string): Promise<void> {
    const isThere = await utimes(path, new Date(), new Date()).then(
      () => true,
      () => false,
    )
    if (isThere) return
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

  /** Has a file appear whole, under a name of its own until then: it may be kept and fetched at the same time. */
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

  /** Lets go of what was used longest ago. */
  async #makeRoom(): Promise<void> {
    const found = (await readdir(this.#folder)).map(async (name) => {
      const path = join(this.#folder, name)
      // One that somebody else has removed or renamed meanwhile takes no room.
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
