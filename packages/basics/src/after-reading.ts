import type { Clock } from './clock.ts'

/**
 * Calls back once every socket with something to read was read. After a pause of the process, due timers run before the
 * sockets, while what clients sent waits in the kernel: without this, clients would pay for the pause. Takes two turns,
 * since the first may begin in the middle of reading.
 *
 * @returns a function that cancels it
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
