import { open } from 'node:fs/promises'

/** Flushes a file, or the names of those in a folder, to the disk, so that it survives a power cut. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}
