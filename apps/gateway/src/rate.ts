import type { Clock } from './clock.ts'

/** An allowance that refills steadily: a token bucket. */
export type Rate = Readonly<{
  /** Takes one; false when there is none. */
  take(): boolean
}>

/** An allowance of `perSecond`, full at first, holding `burst` at most. */
export function createRate(clock: Clock, perSecond: number, burst: number): Rate {
  let left = burst
  let at = clock.elapsed()

  return {
    take() {
      const now = clock.elapsed()
      left = Math.min(burst, left + ((now - at) / 1000) * perSecond)
      at = now
      if (left < 1) return false
      left--
      return true
    },
  }
}

/** Allowances by name. */
export type Rates = Readonly<{ take(name: string): boolean }>

/** One allowance for each name; remembers `maxNames` of them and forgets the longest known first. */
export function createRates(clock: Clock, perSecond: number, burst: number, maxNames: number): Rates {
  const rates = new Map<string, Rate>()

  return {
    take(name) {
      let rate = rates.get(name)
      if (!rate) {
        if (rates.size >= maxNames) rates.delete(rates.keys().next().value!)
        rate = createRate(clock, perSecond, burst)
        rates.set(name, rate)
      }
      return rate.take()
    },
  }
}

/** A count of what happened within the last `spanMs`, exact. */
export type RecentCount = Readonly<{
  /** Notes one; false when it is more than the limit within the span. */
  note(): boolean
}>

/** Allows `limit` within any `spanMs`. */
export function createRecentCount(clock: Clock, limit: number, spanMs: number): RecentCount {
  const times: number[] = []

  return {
    note() {
      const now = clock.elapsed()
      while (times.length > 0 && now - times[0]! >= spanMs) times.shift()
      times.push(now)
      return times.length <= limit
    },
  }
}
