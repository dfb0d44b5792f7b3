// Wakes this thread at given times as a socket would: within some hundredths of a millisecond. Node's own timers only know
// whole milliseconds, and their delay would be counted as the service's.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { now } from './clock.mjs'

/** Calls back at each of these times with its number and time, later if the thread is busy; resolves after the last. */
export function startTicks(dues, onTick) {
  const thread = new Worker(new URL(import.meta.url), { workerData: dues })
  return new Promise((resolve, reject) => {
    thread.on('error', reject)
    thread.on('message', (number) => {
      onTick(number, dues[number])
      if (number === dues.length - 1) resolve()
    })
  })
}

if (!isMainThread && Array.isArray(workerData)) {
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (const [number, due] of workerData.entries()) {
    for (let left = due - now(); left > 0; left = due - now()) Atomics.wait(never, 0, 0, left)
    parentPort.postMessage(number)
  }
}
