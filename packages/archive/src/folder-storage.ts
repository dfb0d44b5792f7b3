import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf, flushPath } from '@pairwire/basics'
import {
  assertObjectName,
  type ByteRange,
  isObjectName,
  LEFTOVER_MS,
  type Storage,
  StorageAwayError,
  type StoredObject,
} from './storage.ts'

/** Holds files until they are complete. If it is missing, so is the storage: a disk may be unmounted. */
const PARTIAL = '.partial'

/** Opens a folder on this machine as storage, and creates it if needed. @throws the system's error on failure */
export async function openFolderStorage(root: string): Promise<Storage> {
  await makeFolder(join(root, PARTIAL))
  const storage = new FolderStorage(root)
  await storage.removeLeftovers()
  return storage
}

/** A file appears by a rename, after its bytes are synced; then its folder is synced too. */
class FolderStorage implements Storage {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  putFile(name: string, file: string): Promise<void> {
    return this.#put(name, (partial) => copyFile(file, partial, constants.COPYFILE_FICLONE))
  }

  putText(name: string, text: string): Promise<void> {
    return this.#put(name, (partial) => writeFile(partial, text))
  }

  async readText(name: string): Promise<string | undefined> {
    const path = this.#path(name)
    return this.#ifThere(() => readFile(path, 'utf8'))
  }

  async open(name: string, range?: ByteRange): Promise<Readable | undefined> {
    const path = this.#path(name)
    const file = await this.#ifThere(() => open(path))
    return file?.createReadStream(range)
  }

  async *list(folder: string): AsyncIterable<StoredObject> {
    const path = this.#path(folder)
    for (const { name, isFolder } of await this.#entries(path)) {
      if (isFolder) yield* this.list(`${folder}/${name}`)
      // The file may have been removed since the folder was read.
      const found = isFolder ? undefined : await this.#ifThere(() => stat(join(path, name)))
      if (!found) continue
      const { size, mtime, mtimeMs, ino } = found
      yield { name: `${folder}/${name}`, bytes: size, modifiedAt: mtime, version: `${ino}-${mtimeMs}` }
    }
  }

  async folders(folder: string): Promise<readonly string[]> {
    const entries = await this.#entries(this.#path(folder))
    return entries.filter(({ isFolder }) => isFolder).map(({ name }) => name)
  }

  async remove(name: string): Promise<void> {
    const path = this.#path(name)
    await this.#ifThere(() => rm(path))
  }

  async signedUrl(): Promise<undefined> {}

  localPath(name: string): string {
    return this.#path(name)
  }

  async removeLeftovers(): Promise<void> {
    const folder = join(this.#root, PARTIAL)
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name)).catch(() => undefined)
      if (found && Date.now() - found.mtimeMs > LEFTOVER_MS) await rm(join(folder, name), { force: true })
    }
  }

  async #put(name: string, write: (partial: string) => Promise<void>): Promise<void> {
    const path = this.#path(name)
    const partial = join(this.#root, PARTIAL, randomUUID())
    try {
      await this.removeLeftovers()
      await write(partial)
      await flushPath(partial)
      await makeFolder(dirname(path))
      await rename(partial, path)
      await flushPath(dirname(path))
    } catch (error) {
      await rm(partial, { force: true }).catch(() => undefined)
      throw new StorageAwayError(error)
    }
  }

  #path(name: string): string {
    assertObjectName(name)
    return join(this.#root, name)
  }

  /** Entries in the order of their paths, as a bucket lists them; without those that others put there. */
  async #entries(path: string): Promise<{ name: string; isFolder: boolean }[]> {
    const entries = (await this.#ifThere(() => readdir(path, { withFileTypes: true }))) ?? []
    const key = (entry: { name: string; isFolder: boolean }) => `${entry.name}${entry.isFolder ? '/' : ''}`
    return entries
      .filter(({ name }) => isObjectName(name))
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((one, other) => (key(one) < key(other) ? -1 : 1))
  }

  /** What `look` finds; undefined if the file does not exist but the storage does. */
  async #ifThere<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await look()
    } catch (error) {
      const isThere = codeOf(error) === 'ENOENT' && (await stat(join(this.#root, PARTIAL)).catch(() => false))
      if (!isThere) throw new StorageAwayError(error)
      return undefined
    }
  }
}

/** Creates a folder and its parents so that they survive a power cut. The umask decides who else may read it. */
async function makeFolder(path: string): Promise<void> {
  if (await stat(path).catch(() => undefined)) return
  await makeFolder(dirname(path)) // Node's own recursive call retries for ever below /proc
  await mkdir(path, { mode: 0o770 }).catch((error) => codeOf(error) === 'EEXIST' || Promise.reject(error))
  await flushPath(dirname(path))
}
