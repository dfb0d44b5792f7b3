import type { PairUpdateMessage } from '@pairwire/contract'

/** Updates that wait for their pair's event, which may come by another way; the oldest go first. */
const MAX_PENDING = 1_000

/** Updates that have come before the events of their pairs. */
export class PendingUpdates {
  #waiting: PairUpdateMessage[] = []

  add(message: PairUpdateMessage): void {
    this.#waiting.push(message)
    if (this.#waiting.length > MAX_PENDING) this.#waiting.shift()
  }

  /** Takes out those whose pairs stand at `newest` or before it. */
  upTo(newest: string): readonly PairUpdateMessage[] {
    if (this.#waiting.length === 0) return this.#waiting
    const due = this.#waiting.filter(({ cursor }) => cursor <= newest)
    if (due.length > 0) this.#waiting = this.#waiting.filter(({ cursor }) => cursor > newest)
    return due
  }
}
