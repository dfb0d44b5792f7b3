import type { FastifyRateLimitOptions, FastifyRateLimitStore } from '@fastify/rate-limit'
import { BoundedMap } from '@pairwire/basics'

/** Calls of one caller in the time that began `since`, on a clock that never steps back. */
type Count = { calls: number; since: number }

/**
 * Counts calls, in place of the plugin's own store: that one uses the wall clock, and a clock set back by an hour would lock
 * people out for as long.
 *
 * @param elapsed milliseconds since any fixed moment; never steps back
 * @param remembered callers that one limit remembers; beyond it the one not seen for longest is forgotten
 */
export function createCountStore(elapsed: () => number, remembered: number) {
  return class CountStore implements FastifyRateLimitStore {
    readonly #counts = new BoundedMap<string, Count>(remembered)

    incr(
      key: string,
      done: (error: Error | null, result?: { current: number; ttl: number }) => void,
      windowMs = 0,
    ): void {
      const now = elapsed()
      const known = this.#counts.get(key)
      const count = known && now - known.since < windowMs ? known : { calls: 0, since: now }
      count.calls++
      this.#counts.set(key, count)
      done(null, { current: count.calls, ttl: windowMs - (now - count.since) })
    }

    /** Each limit counts separately. */
    child(_options: FastifyRateLimitOptions): CountStore {
      return new CountStore()
    }
  }
}
