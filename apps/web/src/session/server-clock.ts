/** How far the server's clock is ahead of this device's, learned from the `Date` of its answers. */
export function createServerClock() {
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY
  return {
    /**
     * Learns from an answer dated `date` (whole seconds, see RFC 9110), requested at `sent` and received at `received`,
     * both Unix milliseconds of this device. An invalid date is ignored.
     */
    heard(date: string | null, sent: number, received: number): void {
      const second = Date.parse(date ?? '')
      if (Number.isNaN(second)) return
      const low = second - received
      const high = second + 1_000 - sent
      // Once a clock has been set, nothing fits all answers.
      const isNew = low > most || high < least
      least = isNew ? low : Math.max(least, low)
      most = isNew ? high : Math.min(most, high)
    },
    /** Milliseconds; 0 while this device may be right. */
    offset: (): number => (least <= 0 && most >= 0 ? 0 : (least + most) / 2),
  }
}

/** The clock of this page's server. */
export const serverClock = createServerClock()
