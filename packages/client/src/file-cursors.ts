import { readFile, rename, writeFile } from 'node:fs/promises'
import { readObject } from '@pairwire/basics/json'
import type { CursorStore } from './stream/cursor-keeper.ts'

/** Saves to each file one after the other, whoever asks in this process. */
const writing = new Map<string, Promise<void>>()

/**
 * Keeps the places of streams in a file of JSON, by name; one file serves many. It is written whole beside itself and
 * renamed, so that a crash leaves the old one or the new one. One process at a time may use it.
 *
 * Loading rejects when the file cannot be read or holds anything else; a file that is not there is empty.
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
  throw new Error(`${path} is not a file of cursors. Move it away to begin anew.`)
}
