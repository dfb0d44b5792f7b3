/** Time as the gateway sees it; passed in, so that tests can move it. */
export type Clock = Readonly<{
  /** Unix milliseconds, for what has a date (plans, billing periods). */
  now(): number
  /** Milliseconds since any fixed moment; never steps back, for rates and idle times. */
  elapsed(): number
  /** Calls `callback` once, `ms` from now, unless the returned function is called before. */
  after(ms: number, callback: () => void): () => void
}>

/** The machine's own clock. Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, callback) {
    if (ms <= 0) {
      const immediate = setImmediate(callback)
      return () => clearImmediate(immediate)
    }
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
