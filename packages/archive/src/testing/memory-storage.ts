import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Storage } from '../storage.ts'

/** A storage in memory, for tests that publish hundreds of hours. */
export function createMemoryStorage(): Storage {
  const objects = new Map<string, { text: string; version: number; modifiedAt: Date }>()
  let version = 0
  const put = (name: string, text: string) => {
    objects.set(name, { text, version: ++version, modifiedAt: new Date() })
  }
  const below = (folder: string) => [...objects.keys()].filter((name) => name.startsWith(`${folder}/`)).sort()

  return {
    putFile: async (name, file) => put(name, readFileSync(file, 'utf8')),
    putText: async (name, text) => put(name, text),
    readText: async (name) => objects.get(name)?.text,
    async open(name, { start, end } = { start: 0, end: Number.POSITIVE_INFINITY }) {
      const found = objects.get(name)
      return found && Readable.from([Buffer.from(found.text).subarray(start, end + 1)])
    },
    async *list(folder) {
      for (const name of below(folder)) {
        const found = objects.get(name)
        if (!found) continue // removed since
        const { text, modifiedAt, version } = found
        yield { name, bytes: text.length, modifiedAt, version: String(version) }
      }
    },
    folders: async (folder) => {
      const rest = below(folder).map((name) => name.slice(folder.length + 1).split('/'))
      return [...new Set(rest.flatMap(([first = '', ...others]) => (others.length > 0 ? [first] : [])))]
    },
    remove: async (name) => void objects.delete(name),
    signedUrl: async () => undefined,
    localPath: () => undefined,
  }
}
