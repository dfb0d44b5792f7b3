import { open, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Where a file or folder stands before it has its name, or after: nobody who looks for names finds it. */
export function hiddenPath(path: string): string {
  return join(dirname(path), `.${basename(path)}`)
}

/** Gives a file or folder its name; that outlives a power cut. */
export async function renameSafely(from: string, to: string): Promise<void> {
  await syncFolder(from)
  await rename(from, to)
  await syncFolder(dirname(to))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
