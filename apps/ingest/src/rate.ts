/** Seconds that {@link createRate} averages over. */
const WINDOW_SECONDS = 5

/** Counts things per second of a clock and returns their mean over the last few whole seconds. */
export function createRate() {
  const seconds = new Map<number, number>()
  return {
    /** `now` in Unix milliseconds. */
    add(count: number, now: number): void {
      const second = Math.floor(now / 1000)
      seconds.set(second, (seconds.get(second) ?? 0) + count)
      for (const old of seconds.keys()) if (old < second - WINDOW_SECONDS) seconds.delete(old)
    },
    /** Things per second, without the current second. */
    perSecond(now: number): number {
      const second = Math.floor(now / 1000)
      let sum = 0
      for (const [each, count] of seconds) if (each < second && each >= second - WINDOW_SECONDS) sum += count
      return sum / WINDOW_SECONDS
    },
  }
}
