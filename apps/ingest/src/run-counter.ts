import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The run numbers of a deployment, which stand first in every cursor: each call gives the next one, kept in the
 * data folder before it is used.
 */
export function createRunCounter(dataFolder: string): () => Promise<number> {
  const file = join(dataFolder, 'run')
  return async () => {
    const next = (existsSync(file) ? Number(readFileSync(file, 'utf8')) || 0 : 0) + 1
    // Beside it, then over it: a crash in between leaves the old number, never an empty file.
    writeFileSync(`${file}.new`, String(next), { flush: true })
    renameSync(`${file}.new`, file)
    return next
  }
}
