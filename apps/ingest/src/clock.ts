import { setTimeout as wait } from 'node:timers/promises'

/** Time and its waits, passed in so that tests need neither. */
export type Clock = Readonly<{
  /** Unix milliseconds; may be set back. */
  now(): number
  /** Milliseconds since any fixed moment; never steps back. */
  elapsed(): number
  /** Resolves after `milliseconds`, or at once when `signal` aborts; it never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}>

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  wait: async (milliseconds, signal) => {
    if (signal.aborted) return
    await wait(milliseconds, undefined, { signal }).catch(() => undefined)
  },
}
