import type { Clock } from '@pairwire/process'

/** What is sent in steps, as many in a turn of the event loop as it has room for. */
export type Work = Readonly<{
  /** Does the next step. @returns how many events the one behind it brings to a client; undefined once all is done */
  step(): number | undefined
}>

/**
 * What the windows of several hubs share: the turns of the event loop, which they fill to a bound together, and how many
 * of them have clients. What does not fit a turn is done in the next one, when sockets and timers have had theirs.
 *
 * Of several windows on their way whichever has the client that gets most goes on: so the fewest events wait for the
 * sockets of others. Another one is begun once all of those are out, so that it takes along what comes until then.
 */
export type Pace = Readonly<{
  /** Has this begun in a next turn, and gone on with until it is done. */
  begin(work: Work): void
  /** A hub has its first client, or has lost its last. */
  enter(): void
  leave(): void
  /** Hubs that have clients, one at least. */
  hubs(): number
}>

/** What comes before a first step, in place of the events that it brings. */
const MAY_WAIT = -1
/** The same during a step. */
const IN_HAND = -2

/** Makes a pace that gives windows `turnMs` of each turn. */
export function createPace(clock: Clock, turnMs: number): Pace {
  /** What is under way, each with what its next step brings. */
  const works = new Map<Work, number>()
  let isDue = false
  let hubs = 0

  const goOn = () => {
    if (isDue || works.size === 0) return
    isDue = true
    clock.after(0, takeTurn)
  }

  const takeTurn = () => {
    isDue = false
    const began = clock.elapsed()
    try {
      do {
        takeStep(heaviest(works))
      } while (works.size > 0 && clock.elapsed() - began < turnMs)
    } finally {
      goOn()
    }
  }

  const takeStep = (work: Work) => {
    let next: number | undefined
    works.set(work, IN_HAND)
    try {
      next = work.step()
    } finally {
      if (next !== undefined) works.set(work, next)
      // Else it may have been begun anew.
      else if (works.get(work) === IN_HAND) works.delete(work)
    }
  }

  return {
    begin(work) {
      works.set(work, MAY_WAIT)
      goOn()
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

/** Whose next step brings most; of several the one that came first. There is one at least. */
function heaviest(works: ReadonlyMap<Work, number>): Work {
  let most = IN_HAND
  let heaviest: Work | undefined
  for (const [work, weight] of works) {
    if (weight <= most) continue
    most = weight
    heaviest = work
  }
  return heaviest!
}
