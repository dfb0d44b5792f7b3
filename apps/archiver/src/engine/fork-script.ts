import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The JavaScript heap in MB; the memory for files is outside of it. */
const HEAP_MB = 128

/** In the bundle the script is beside this file; in the sources it is TypeScript, which Node 20 runs with tsx. */
const SCRIPT = ['./engine-child.js', './engine-child.ts']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find(existsSync)

/** Starts the child. @throws Error if its script is missing */
export function forkScript(script = SCRIPT): ChildProcess {
  if (script === undefined) throw new Error('The script of the engine is missing.')
  const child = fork(script, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, ...(script.endsWith('.ts') ? ['--import', 'tsx'] : [])],
    // The child needs neither settings nor secrets.
    env: { TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  lowerPriority(child.pid)
  return child
}

/** Before the child starts any thread, since each thread inherits the priority of the one that started it. */
export function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some systems forbid this; then the child keeps the normal priority.
  }
}
