import type { Clock } from './clock.ts'

/**
 * Calls back once every socket that has something to read was read. After a pause of the process the timers that are due
 * run before the sockets, and what clients sent meanwhile waits in the kernel: without this the pause would count against
 * them. Two turns, since the first may begin in the midst of reading.
 *
 * @returns calls it off
 */
export function afterReading(callback: () => void): () => void {
  let turn = setImmediate(() => {
    turn = setImmediate(callback)
  })
  return () => clearImmediate(turn)
}

/** The same, `ms` from now. */
export function afterWaitAndReading(clock: Clock, ms: number, callback: () => void): () => void {
  let cancel = clock.after(ms, () => {
    cancel = afterReading(callback)
  })
  return () => cancel()
}
