import { readdirSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { codeOf, makeFolder } from '@pairwire/basics'
import { DAY_MS } from '@pairwire/contract'

/** The path of a folder for this process alone within another. Removes folders left there by dead processes. */
export function ownFolder(parent: string): string {
  makeFolder(parent)
  const own = join(parent, `${process.pid}@${hostname()}`)
  for (const path of readdirSync(parent).map((name) => join(parent, name))) {
    if (path === own || isLeft(path)) rmSync(path, { recursive: true, force: true })
  }
  return own
}

/** Whether its process is dead; on another machine that is unknown, so whether nothing was begun in it for a day. */
function isLeft(folder: string): boolean {
  const [pid, host] = basename(folder).split('@')
  if (host === hostname()) return !isRunning(Number(pid))
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > DAY_MS
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
