import { createHash } from 'node:crypto'
import { join, relative, resolve } from 'node:path'

/** Longest path of a socket in bytes: 103 on macOS, 107 on Linux; Node truncates longer ones without an error. */
const MAX_BYTES = 100

/**
 * The path at which a socket called `name` in the data folder can be created and found.
 *
 * @throws Error with a sentence if no path is short enough
 */
export function socketPath(dataFolder: string, name: string): string {
  if (process.platform === 'win32') {
    const folderName = createHash('sha256').update(resolve(dataFolder)).digest('hex').slice(0, 32)
    return `\\\\.\\pipe\\pairwire-${folderName}-${name}`
  }
  const path = join(dataFolder, name)
  const shortest = [path, relative(process.cwd(), path)].find(
    (candidate) => Buffer.byteLength(candidate) <= MAX_BYTES,
  )
  if (shortest) return shortest
  throw new Error(`DATA_DIR: ${dataFolder} is too long a path for a socket; use one of under 85 bytes.`)
}
