import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Pictures on disk, the least recently used ones removed beyond a size. */
export type LogoFolder = Readonly<{
  /** Undefined if it is not stored. */
  read(name: string): Promise<Buffer | undefined>
  /** Never fails: a picture that cannot be stored is fetched again. */
  write(name: string, picture: Buffer): Promise<void>
}>

/** Bytes stored: some thirty thousand logos. */
const SIZE_LIMIT = 64 * 1024 * 1024

/** Names are hexadecimal and created here; nothing else in the folder is touched. */
const NAME = /^[0-9a-f]{64}$/

/** Opens `folder`, which is created for the first picture; undefined stores nothing. */
export function openLogoFolder(folder: string | undefined, sizeLimit = SIZE_LIMIT): LogoFolder {
  /** Bytes by name, the least recently used first. */
  let sizes: Promise<Map<string, number>> | undefined
  let total = 0

  const index = async (path: string): Promise<Map<string, number>> => {
    const found = new Map<string, number>()
    await mkdir(path, { recursive: true, mode: 0o700 })
    for (const name of await readdir(path)) {
      if (!NAME.test(name)) continue
      const { size } = await stat(join(path, name))
      found.set(name, size)
      total += size
    }
    return found
  }

  return {
    async read(name) {
      if (folder === undefined) return undefined
      try {
        sizes ??= index(folder)
        const known = await sizes
        const size = known.get(name)
        if (size === undefined) return undefined
        known.delete(name)
        known.set(name, size)
        return await readFile(join(folder, name))
      } catch {
        return undefined
      }
    },

    async write(name, picture) {
      if (folder === undefined) return
      try {
        sizes ??= index(folder)
        const known = await sizes
        await writeFile(join(folder, `${name}.new`), picture, { mode: 0o600 })
        await rename(join(folder, `${name}.new`), join(folder, name))
        total += picture.length - (known.get(name) ?? 0)
        known.delete(name)
        known.set(name, picture.length)
        for (const [oldest, size] of known) {
          if (total <= sizeLimit) break
          known.delete(oldest)
          total -= size
          await rm(join(folder, oldest), { force: true })
        }
      } catch {
        sizes = undefined
        total = 0
      }
    },
  }
}
