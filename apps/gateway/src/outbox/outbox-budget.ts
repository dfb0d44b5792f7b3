import type { Held } from '../protocol/frames.ts'

/** An outbox as the budget sees it, from the moment when it has something queued. */
export type Debtor = {
  /** Bytes that would be free at once without its queue, as far as nobody else holds them. */
  readonly ownBytes: number
  /** Bytes that its client has not taken, wherever they are. */
  queuedBytes(): number
  /** Has its connection give the queue up and end; what its socket has in hand stays. */
  overBudget(): void
  /** Cuts its connection, which frees all. */
  cut(): void
}

/**
 * The bound on the memory of all outboxes together. Frames that several hold count once. When it is exceeded the
 * fullest give up their queues; where even that is not enough, because the system holds the rest, they are cut.
 */
export class OutboxBudget {
  readonly #maxBytes: number
  readonly #debtors = new Set<Debtor>()
  /** Bytes of memory that are held now. */
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

  /** Counts memory that is no frame's; negative to give it back. */
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
