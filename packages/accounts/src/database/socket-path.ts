import { createHash } from 'node:crypto'
import { join, relative, resolve } from 'node:path'

/** Bytes of a path to a socket: 103 on macOS, 107 on Linux, beyond which Node cuts it off without an error. */
const MAX_BYTES = 100

/**
 * Path at which a socket called `name` in the data folder can be made and found.
 *
 * @throws Error with a sentence when there is none that is short enough
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
