import { BoundedMap, type Clock } from '@pairwire/basics'

/** An allowance that refills steadily: a token bucket. */
export type Rate = ReturnType<typeof createRate>

/** An allowance of `perSecond`, full at first, holding `burst` at most. */
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
    /** Takes `amount`; false, and nothing taken, when there is less. */
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
    /** Takes the amount that was spent elsewhere, to half the burst below zero at most: so bursts at several gateways keep nobody out for long. */
    drawElsewhere(amount: number) {
      refill()
      left = Math.min(left, Math.max(left - amount, -burst / 2))
    },
    /** The amount that is missing until it is full. */
    spent() {
      refill()
      return burst - left
    },
    /** Milliseconds until there is `amount`; 0 when there is. */
    msUntil: (amount: number) => (has(amount) ? 0 : ((amount - left) / perSecond) * 1000),
  }
}

/** Allowances by name. */
export type Rates = ReturnType<typeof createRates>

/** One allowance for each name; remembers `maxNames` of them and forgets the longest known first. */
export function createRates(clock: Clock, perSecond: number, burst: number, maxNames: number) {
  const rates = new BoundedMap<string, Rate>(maxNames)
  const rateOf = (name: string) => rates.ensure(name, () => createRate(clock, perSecond, burst))
  return {
    /** Whether there is one to take. Asking alone remembers nobody. */
    has: (name: string) => rates.get(name)?.has(1) ?? true,
    take: (name: string) => rateOf(name).take(),
    drawElsewhere: (name: string, amount: number) => rateOf(name).drawElsewhere(amount),
  }
}

/** A count of what happened within the last `spanMs`, exact. */
export type RecentCount = ReturnType<typeof createRecentCount>

/** Allows `limit` within any `spanMs`. */
export function createRecentCount(clock: Clock, limit: number, spanMs: number) {
  const times: number[] = []

  return {
    /** Notes one; false, and not noted, when it is more than the limit within the span. */
    note() {
      const now = clock.elapsed()
      while (times.length > 0 && now - times[0]! >= spanMs) times.shift()
      if (times.length >= limit) return false
      times.push(now)
      return true
    },
    /** Notes as many that happened elsewhere, up to the limit. */
    drawElsewhere(amount: number) {
      const now = clock.elapsed()
      for (let noted = 0; noted < Math.min(amount, limit); noted++) times.push(now)
    },
  }
}
