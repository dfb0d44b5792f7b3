import { BoundedMap, type Clock } from '@pairwire/basics'

/** An allowance that refills steadily: a token bucket. */
export type Rate = Readonly<{
  has(amount: number): boolean
  /** Takes `amount`, one if not said; false, and nothing taken, when there is less. */
  take(amount?: number): boolean
  /** Takes `amount` whatever is left: the allowance may fall below nothing. */
  draw(amount: number): void
  /**
   * Takes what was spent elsewhere, to half the burst below nothing at most: several that each allowed a burst at once
   * are not to keep anybody out for long.
   */
  drawElsewhere(amount: number): void
  /** What is missing until it is full. */
  spent(): number
  /** Milliseconds until there is `amount`; 0 when there is. */
  msUntil(amount: number): number
}>

/** An allowance of `perSecond`, full at first, holding `burst` at most. */
export function createRate(clock: Clock, perSecond: number, burst: number): Rate {
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
    take(amount = 1) {
      if (!has(amount)) return false
      left -= amount
      return true
    },
    draw(amount) {
      refill()
      left -= amount
    },
    drawElsewhere(amount) {
      refill()
      left = Math.min(left, Math.max(left - amount, -burst / 2))
    },
    spent() {
      refill()
      return burst - left
    },
    msUntil: (amount) => (has(amount) ? 0 : ((amount - left) / perSecond) * 1000),
  }
}

/** Allowances by name. */
export type Rates = Readonly<{
  /** Whether there is one to take. Asking alone remembers nobody. */
  has(name: string): boolean
  take(name: string): boolean
  drawElsewhere(name: string, amount: number): void
}>

/** One allowance for each name; remembers `maxNames` of them and forgets the longest known first. */
export function createRates(clock: Clock, perSecond: number, burst: number, maxNames: number): Rates {
  const rates = new BoundedMap<string, Rate>(maxNames)
  const rateOf = (name: string) => rates.ensure(name, () => createRate(clock, perSecond, burst))
  return {
    has: (name) => rates.get(name)?.has(1) ?? true,
    take: (name) => rateOf(name).take(),
    drawElsewhere: (name, amount) => rateOf(name).drawElsewhere(amount),
  }
}

/** A count of what happened within the last `spanMs`, exact. */
export type RecentCount = Readonly<{
  /** Notes one; false, and not noted, when it is more than the limit within the span. */
  note(): boolean
  /** Notes what happened elsewhere, up to the limit of it. */
  drawElsewhere(amount: number): void
}>

/** Allows `limit` within any `spanMs`. */
export function createRecentCount(clock: Clock, limit: number, spanMs: number): RecentCount {
  const times: number[] = []

  return {
    note() {
      const now = clock.elapsed()
      while (times.length > 0 && now - times[0]! >= spanMs) times.shift()
      if (times.length >= limit) return false
      times.push(now)
      return true
    },
    drawElsewhere(amount) {
      const now = clock.elapsed()
      for (let noted = 0; noted < Math.min(amount, limit); noted++) times.push(now)
    },
  }
}
