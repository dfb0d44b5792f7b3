import type { Clock } from './clock.ts'

/** Settles like the promise, or rejects with an error named `TimeoutError` when it takes longer than `ms`. */
export function withTimeout<Value>(promise: Promise<Value>, clock: Clock, ms: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      const error = new Error(`No answer within ${ms} ms.`)
      error.name = 'TimeoutError'
      reject(error)
    })
    promise.then(resolve, reject).finally(cancel)
  })
}
