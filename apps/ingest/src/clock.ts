import { setTimeout as wait } from 'node:timers/promises'

/** The wall clock and its waits, passed in so that tests need neither. */
export type Clock = Readonly<{
  /** Unix milliseconds. */
  now(): number
  /** Resolves after `milliseconds`, or at once when `signal` aborts; it never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}>

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (milliseconds, signal) => {
    if (signal.aborted) return
    await wait(milliseconds, undefined, { signal }).catch(() => undefined)
  },
}
