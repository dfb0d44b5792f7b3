import { readFile, rename, writeFile } from 'node:fs/promises'
import { readObject } from '@pairwire/basics/json'
import type { CursorStore } from './stream/cursor-keeper.ts'

/** The running write of each file; writers in this process take turns. */
const writing = new Map<string, Promise<void>>()

/**
 * Keeps the cursors of streams in a JSON file, by name; one file serves many streams. Each save writes a new file and
 * renames it, so a crash leaves either the old or the new one. Only one process at a time may use it.
 *
 * Loading rejects when the file cannot be read or holds anything else; a missing file is empty.
 */
export function fileCursors(path: string): CursorStore {
  return {
    load: async (name) => (await readCursors(path)).get(name) ?? null,
    save(name, cursor) {
      const before = writing.get(path) ?? Promise.resolve()
      const saved = before.then(async () => {
        const cursors = (await readCursors(path)).set(name, cursor)
        const beside = `${path}.new`
        await writeFile(beside, `${JSON.stringify(Object.fromEntries(cursors), null, 2)}\n`, { flush: true })
        await rename(beside, path)
      })
      writing.set(
        path,
        saved.catch(() => {}),
      )
      return saved
    },
  }
}

async function readCursors(path: string): Promise<Map<string, string>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const cursors = Object.entries(readObject(text) ?? { '': null })
  if (cursors.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    return new Map(cursors)
  throw new Error(`${path} is not a file of cursors. Move it away to start over.`)
}
