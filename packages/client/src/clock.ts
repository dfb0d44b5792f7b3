/** The SDK's clock. */
export type Clock = Readonly<{
  /** Milliseconds since some fixed moment; never steps back. */
  elapsed(): number
  /** Calls `callback` once after `ms`, unless the returned function is called first. */
  after(ms: number, callback: () => void): () => void
}>

/** Returns the result of `work`; rejects after `ms`. */
export function within<Result>(clock: Clock, ms: number, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.after(ms, () => reject(new Error(`no answer within ${ms / 1_000} s`)))
    work().then(resolve, reject).finally(stopTimer)
  })
}
