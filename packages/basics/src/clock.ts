import { setTimeout as wait } from 'node:timers/promises'

/** Time as a part sees it; passed in, so that tests can move it. */
export type Clock = Readonly<{
  /** Unix milliseconds, for what has a date; may be set back. */
  now(): number
  /** Milliseconds since any fixed moment; never steps back, for rates and waits. */
  elapsed(): number
  /** Calls `callback` once, `ms` from now, unless the returned function is called before. */
  after(ms: number, callback: () => void): () => void
  /** Resolves after `milliseconds`, or at once when `signal` aborts; it never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}>

/** The machine's own clock. What it calls back keeps no process alive; who waits does. */
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
