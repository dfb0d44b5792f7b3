import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, makeFolder } from '@pairwire/basics'

/** The path of a folder for this process alone within another. Removes folders left there by dead processes. */
export async function ownFolder(parent: string): Promise<string> {
  makeFolder(parent)
  for (const name of await readdir(parent)) {
    if (Number(name) === process.pid || !isRunning(Number(name))) {
      await rm(join(parent, name), { recursive: true, force: true })
    }
  }
  return join(parent, String(process.pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
