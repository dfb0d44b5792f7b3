import type { Held } from '../protocol/frames.ts'

/** An outbox with a queue, as the budget sees it. */
export type Debtor = {
  /** Bytes that dropping its queue would free at once, because no other client holds them. */
  readonly ownBytes: number
  /** Bytes that its client has not taken, wherever they are. */
  queuedBytes(): number
  /** Makes its connection drop the queue and end; what its socket has been handed stays. */
  overBudget(): void
  /** Cuts its connection, which frees everything. */
  cut(): void
}

/**
 * The limit on the memory of all outboxes together. Shared frames count once. When it is exceeded, the fullest drop
 * their queues; if that is not enough because the system holds the rest, they are cut.
 */
export class OutboxBudget {
  readonly #maxBytes: number
  readonly #debtors = new Set<Debtor>()
  /** Bytes of memory held now. */
  bytes = 0
  #isRelieving = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  enter(debtor: Debtor): void {
    this.#debtors.add(debtor)
  }

  leave(debtor: Debtor): void {
    this.#debtors.delete(debtor)
  }

  hold(held: Held): void {
    if (held.holders++ === 0) this.add(held.size)
  }

  release(held: Held): void {
    if (--held.holders === 0) this.bytes -= held.size
  }

  /** Adds memory other than frames; negative to release it. */
  add(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > this.#maxBytes && !this.#isRelieving) this.#relieve()
  }

  #relieve(): void {
    this.#isRelieving = true
    const fullest = [...this.#debtors].sort(
      (left, right) => right.ownBytes - left.ownBytes || right.queuedBytes() - left.queuedBytes(),
    )
    for (const debtor of fullest) {
      if (this.bytes <= this.#maxBytes) break
      debtor.overBudget()
    }
    for (const debtor of fullest) {
      if (this.bytes <= this.#maxBytes) break
      debtor.cut()
    }
    this.#isRelieving = false
  }
}
