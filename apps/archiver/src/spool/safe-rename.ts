import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { flushPath } from '@pairwire/basics'

/** The path of a file or folder before it gets its name, or after it loses it; readers of the folder skip it. */
export function hiddenPath(path: string): string {
  return join(dirname(path), `.${basename(path)}`)
}

/** Gives a file or folder its name, and survives a power cut. */
export async function renameSafely(from: string, to: string): Promise<void> {
  await flushPath(from)
  await rename(from, to)
  await flushPath(dirname(to))
}
