/**
 * Turns of the event loop, shared out among those who have work for it: in each turn so much is done and no more,
 * and of those who wait the ones go first who have spent least.
 */
export type Turns = Readonly<{
  /** Whether something may be done at once: the turn has room, and nobody waits. */
  isFree(): boolean
  /** Notes what was done in the present turn. */
  spend(cost: number): void
  /**
   * Calls `serve` in one of the next turns.
   *
   * @param spent what was spent up to now, `serve` included. Twice as much is a level; on one level who came first is first
   * @returns ends the waiting
   */
  wait(spent: number, serve: () => void): () => void
}>

/**
 * Makes turns.
 *
 * @param budget what a turn has room for; what has begun is ended, so one may go beyond it by the last piece
 * @param whenDone calls back once what came of the turn before is done: at once, unless it has to wait itself
 */
export function createTurns(budget: number, whenDone: (begin: () => void) => void): Turns {
  /** Who waits, by the power of two of what it has spent. */
  const levels = Array.from({ length: 32 }, () => new Set<() => void>())
  let waiting = 0
  let used = 0
  let isDue = false

  /** The next turn begins when the loop has come round: what else was due has had its time then. */
  const due = () => {
    if (isDue) return
    isDue = true
    setImmediate(whenDone, turn)
  }

  const turn = () => {
    isDue = false
    used = 0
    while (used < budget) {
      const serve = takeFirst()
      if (!serve) return
      serve()
    }
  }

  const takeFirst = (): (() => void) | undefined => {
    if (waiting === 0) return undefined
    for (const level of levels) {
      for (const serve of level) {
        level.delete(serve)
        waiting--
        return serve
      }
    }
    return undefined
  }

  return {
    isFree: () => waiting === 0 && used < budget,
    spend(cost) {
      used += cost
      due()
    },
    wait(spent, serve) {
      const level = levels[31 - Math.clz32(spent)]! // of 0 to 2^32
      level.add(serve)
      waiting++
      due()
      return () => {
        if (level.delete(serve)) waiting--
      }
    },
  }
}
