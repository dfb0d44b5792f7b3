/**
 * Turns of the event loop, shared out among those who have work for it: in each turn so much is done and no more,
 * and of those who wait the ones go first who have spent least.
 */
export class Turns {
  readonly #budget: number
  readonly #whenDone: (begin: () => void) => void
  /** Who waits, by the power of two of what it has spent. */
  readonly #levels = Array.from({ length: 32 }, () => new Set<() => void>())
  #waiting = 0
  #used = 0
  #isDue = false

  /**
   * @param budget what a turn has room for; what has begun is ended, so one may go beyond it by the last piece
   * @param whenDone calls back once what came of the turn before is done: at once, unless it has to wait itself
   */
  constructor(budget: number, whenDone: (begin: () => void) => void = (begin) => begin()) {
    this.#budget = budget
    this.#whenDone = whenDone
  }

  /** Whether something may be done at once: the turn has room, and nobody waits. */
  isFree(): boolean {
    return this.#waiting === 0 && this.#used < this.#budget
  }

  /** Notes what was done in the present turn. */
  spend(cost: number): void {
    this.#used += cost
    this.#due()
  }

  /**
   * Calls `serve` in one of the next turns.
   *
   * @param spent what was spent up to now, `serve` included. Twice as much is a level; on one level who came first is first
   * @returns ends the waiting
   */
  wait(spent: number, serve: () => void): () => void {
    const level = this.#levels[31 - Math.clz32(spent)]! // of 0 to 2^32
    level.add(serve)
    this.#waiting++
    this.#due()
    return () => {
      if (level.delete(serve)) this.#waiting--
    }
  }

  /** The next turn begins when the loop has come round: what else was due has had its time then. */
  #due(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(this.#whenDone, () => this.#take())
  }

  #take(): void {
    this.#isDue = false
    this.#used = 0
    while (this.#used < this.#budget && this.#waiting > 0) {
      const level = this.#levels.find(({ size }) => size > 0)!
      const serve = level.values().next().value!
      level.delete(serve)
      this.#waiting--
      serve()
    }
  }
}
