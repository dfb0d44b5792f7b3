import type { Clock } from '@pairwire/basics'

/** What a window does in its turn: it sends until the clock is at `until`. @returns whether all of it is out */
type Turn = (until: number) => boolean

/**
 * The turns of the event loop, which the windows of several hubs fill to a bound together. One is sent to its end before
 * the next begins: so they end at times of their own, also where all were due at once.
 */
export class Scheduler {
  readonly #clock: Clock
  readonly #turnMs: number
  readonly #queue: Turn[] = []
  #isDue = false

  /** Gives windows `turnMs` of each turn. */
  constructor(clock: Clock, turnMs: number) {
    this.#clock = clock
    this.#turnMs = turnMs
  }

  /** Has this begun in a next turn, behind those that wait, and gone on with until it is out. */
  add(turn: Turn): void {
    this.#queue.push(turn)
    this.#wake()
  }

  #wake(): void {
    if (this.#isDue || this.#queue.length === 0) return
    this.#isDue = true
    this.#clock.after(0, () => this.#takeTurn())
  }

  #takeTurn(): void {
    const until = this.#clock.elapsed() + this.#turnMs
    // What is added meanwhile waits for the next turn, so that sockets are read and written between two windows of one hub.
    let left = this.#queue.length
    this.#isDue = false
    try {
      do {
        const turn = this.#queue.shift()!
        left--
        if (!turn(until)) this.#queue.unshift(turn)
      } while (left > 0 && this.#clock.elapsed() < until)
    } finally {
      this.#wake()
    }
  }
}
