import type { Clock } from '@pairwire/process'

/**
 * What the windows of several hubs share: the turns of the event loop, which none of them may fill, and how many of
 * them have work. What does not fit a turn is done in the next one, when sockets and timers have had theirs.
 */
export type Pace = Readonly<{
  /** Whether the present turn has no room for another window. */
  isSpent(): boolean
  /** Whether work of `ms` fills a turn by itself. */
  fillsTurn(ms: number): boolean
  /** Notes what was sent, by the milliseconds that it took. */
  spend(ms: number): void
  /** A hub has its first client, or has lost its last. */
  enter(): void
  leave(): void
  /** Hubs that have clients, one at least. */
  hubs(): number
}>

/** Makes a pace that gives windows `turnMs` of each turn. */
export function createPace(clock: Clock, turnMs: number): Pace {
  let spentMs = 0
  let isDue = false
  let hubs = 0

  return {
    isSpent: () => spentMs >= turnMs,
    fillsTurn: (ms) => ms >= turnMs,
    spend(ms) {
      spentMs += ms
      if (isDue || spentMs === 0) return
      isDue = true
      clock.after(0, () => {
        isDue = false
        spentMs = 0
      })
    },
    enter() {
      hubs++
    },
    leave() {
      hubs--
    },
    hubs: () => Math.max(1, hubs),
  }
}
