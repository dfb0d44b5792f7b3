import { setTimeout as wait } from 'node:timers/promises'

/** The clock of a part, passed in so that tests can control it. */
export type Clock = Readonly<{
  /** Unix milliseconds, for dates; may be set back. */
  now(): number
  /** Milliseconds since some fixed moment, for rates and waits; never steps back. */
  elapsed(): number
  /** Calls `callback` once after `ms`, unless the returned function is called first. */
  after(ms: number, callback: () => void): () => void
  /** Resolves after `milliseconds`, or at once when `signal` aborts; it never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}>

/** The machine's clock. Its callbacks keep no process alive; its waits do. */
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
  wait: async (milliseconds, signal) => {
    if (signal.aborted) return
    await wait(milliseconds, undefined, { signal }).catch(() => undefined)
  },
}
