import type { Meter } from '../protocol/subscription.ts'

/** The most events that a client has asked for, whatever its plan. */
export class EventLimit {
  #left: number
  readonly #onReached: () => void

  /** `onReached` is called when the last one is taken, before it is written. */
  constructor(count: number, onReached: () => void) {
    this.#left = count
    this.#onReached = onReached
  }

  /** A meter that also draws on that of the plan, if there is one. */
  within(plan: Meter | undefined): Meter {
    return {
      take: () => {
        if (this.#left === 0 || plan?.take() === false) return false
        this.#left--
        if (this.#left === 0) this.#onReached()
        return true
      },
      giveBack: (count) => {
        this.#left += count
        plan?.giveBack(count)
      },
    }
  }
}
