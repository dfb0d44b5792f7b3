import { BoundedMap, type Clock } from '@pairwire/basics'

/** An allowance that refills steadily: a token bucket. */
export type Rate = ReturnType<typeof createRate>

/** A rate of `perSecond`, full at first, that holds at most `burst`. */
export function createRate(clock: Clock, perSecond: number, burst: number) {
  let left = burst
  let at = clock.elapsed()

  const refill = () => {
    const now = clock.elapsed()
    left = Math.min(burst, left + ((now - at) / 1000) * perSecond)
    at = now
  }

  const has = (amount: number) => {
    refill()
    return left >= amount
  }

  return {
    has,
    /** Takes `amount`; takes nothing and returns false when there is less. */
    take(amount = 1) {
      if (!has(amount)) return false
      left -= amount
      return true
    },
    /** Takes `amount` whatever is left: the allowance may fall below zero. */
    draw(amount: number) {
      refill()
      left -= amount
    },
    /** Takes an amount spent elsewhere, to half the burst below zero at most, so that it blocks nobody for long. */
    drawElsewhere(amount: number) {
      refill()
      left = Math.min(left, Math.max(left - amount, -burst / 2))
    },
    /** The amount missing until it is full. */
    spent() {
      refill()
      return burst - left
    },
    /** Milliseconds until `amount` is available; 0 if it is. */
    msUntil: (amount: number) => (has(amount) ? 0 : ((amount - left) / perSecond) * 1000),
  }
}

/** Allowances by name. */
export type Rates = ReturnType<typeof createRates>

/** One rate per name; remembers `maxNames` and forgets the oldest first. */
export function createRates(clock: Clock, perSecond: number, burst: number, maxNames: number) {
  const rates = new BoundedMap<string, Rate>(maxNames)
  const rateOf = (name: string) => rates.ensure(name, () => createRate(clock, perSecond, burst))
  return {
    /** Whether one is available. Asking does not remember the name. */
    has: (name: string) => rates.get(name)?.has(1) ?? true,
    take: (name: string) => rateOf(name).take(),
    drawElsewhere: (name: string, amount: number) => rateOf(name).drawElsewhere(amount),
  }
}

/** An exact count of events within the last `spanMs`. */
export type RecentCount = ReturnType<typeof createRecentCount>

/** Allows `limit` within any `spanMs`. */
export function createRecentCount(clock: Clock, limit: number, spanMs: number) {
  const times: number[] = []

  return {
    /** Counts one; not counted and false when it exceeds the limit within the span. */
    note() {
      const now = clock.elapsed()
      while (times.length > 0 && now - times[0]! >= spanMs) times.shift()
      if (times.length >= limit) return false
      times.push(now)
      return true
    },
    /** Counts events elsewhere, up to the limit. */
    drawElsewhere(amount: number) {
      const now = clock.elapsed()
      for (let noted = 0; noted < Math.min(amount, limit); noted++) times.push(now)
      // Nobody may ask here for weeks: only the newest tell.
      times.splice(0, times.length - limit)
    },
  }
}
