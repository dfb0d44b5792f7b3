import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The run numbers of a deployment, the first part of every cursor: each call returns the next one, stored in the data
 * folder before use.
 */
export function createRunCounter(dataFolder: string): () => Promise<number> {
  const file = join(dataFolder, 'run')
  return async () => {
    const next = (existsSync(file) ? Number(readFileSync(file, 'utf8')) || 0 : 0) + 1
    // Written to a new file and renamed: a crash in between leaves the old number, never an empty file.
    writeFileSync(`${file}.new`, String(next), { flush: true })
    renameSync(`${file}.new`, file)
    return next
  }
}
