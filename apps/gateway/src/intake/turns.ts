/**
 * Turns of the event loop, shared among waiting work: each turn has a budget, and those that have spent least go first.
 */
export class Turns {
  readonly #budget: number
  readonly #whenDone: (begin: () => void) => void
  /** Waiting work, by the power of two of what it has spent. */
  readonly #levels = Array.from({ length: 32 }, () => new Set<() => void>())
  #waiting = 0
  #used = 0
  #isDue = false

  /**
   * @param budget what a turn has room for; a piece that has begun is finished, so the last one may exceed it
   * @param whenDone calls back once the work of the previous turn is done: at once by default
   */
  constructor(budget: number, whenDone: (begin: () => void) => void = (begin) => begin()) {
    this.#budget = budget
    this.#whenDone = whenDone
  }

  /** Whether work may be done at once: the turn has room, and nothing waits. */
  isFree(): boolean {
    return this.#waiting === 0 && this.#used < this.#budget
  }

  /** Records what was done in the current turn. */
  spend(cost: number): void {
    this.#used += cost
    this.#due()
  }

  /**
   * Calls `serve` in one of the next turns.
   *
   * @param spent what was spent so far, including `serve`; equal powers of two are served in order of arrival
   * @returns cancels the wait
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

  /** The next turn begins when the loop has come round: other due work has had its time by then. */
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
