import { open, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** The path of a file or folder before it gets its name, or after it loses it; readers of the folder skip it. */
export function hiddenPath(path: string): string {
  return join(dirname(path), `.${basename(path)}`)
}

/** Gives a file or folder its name, and survives a power cut. */
export async function renameSafely(from: string, to: string): Promise<void> {
  await syncFolder(from)
  await rename(from, to)
  await syncFolder(dirname(to))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
