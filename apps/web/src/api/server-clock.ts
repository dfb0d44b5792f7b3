/** How far the server's clock is ahead of this device's, learned from the `Date` of its answers. */
type ServerClock = Readonly<{
  /**
   * An answer dated `date` (whole seconds, see RFC 9110), asked for at `sent` and come at `received`, both Unix
   * milliseconds of this device. A date that is none teaches nothing.
   */
  heard(date: string | null, sent: number, received: number): void
  /** Milliseconds; 0 as long as this device may be right. */
  offset: () => number
}>

/** Makes a clock that has heard nothing. Each answer narrows what the offset can be. */
export function createServerClock(): ServerClock {
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY
  return {
    heard(date, sent, received) {
      const second = Date.parse(date ?? '')
      if (Number.isNaN(second)) return
      const low = second - received
      const high = second + 1_000 - sent
      // Nothing fits all answers once a clock has been set anew.
      const isNew = low > most || high < least
      least = isNew ? low : Math.max(least, low)
      most = isNew ? high : Math.min(most, high)
    },
    offset: () => (least <= 0 && most >= 0 ? 0 : (least + most) / 2),
  }
}

/** The clock of the one server that this page asks. */
export const serverClock: ServerClock = createServerClock()
