import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Heap of its JavaScript in MB; what it needs for files is outside of that. */
const HEAP_MB = 128

/** The bundle has it beside the file that this code is in; in the sources it is TypeScript, which Node 20 reads by tsx. */
const SCRIPT = ['./engine-child.js', './engine-child.ts']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find(existsSync)

/** Begins the child. @throws Error where its script is not there */
export function forkScript(script = SCRIPT): ChildProcess {
  if (script === undefined) throw new Error('The script of the engine is not there.')
  const child = fork(script, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, ...(script.endsWith('.ts') ? ['--import', 'tsx'] : [])],
    // Neither settings nor secrets are its business.
    env: { TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  lowerPriority(child.pid)
  return child
}

/** Before it has begun any thread of its own, since each has the priority of the one that began it. */
export function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some systems allow it to nobody; then it works as the others do.
  }
}
