import { type CursorParts, formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import { enrich, learn, type Memory } from './enrich/enrich.ts'
import type { IngestFigures } from './ingest-figures.ts'
import { type Arrivals, LIVE_RUN } from './sources/source.ts'

/** Makes events in order of arrival: each has a cursor after all earlier ones. */
export class ArrivalEvents {
  readonly #figures: IngestFigures
  /** The last cursor; set it to the last one of an earlier process. */
  newest: Pick<CursorParts, 'slot' | 'transactionIndex'> = { slot: 0, transactionIndex: 0 }

  constructor(figures: IngestFigures) {
    this.#figures = figures
  }

  /** Makes the events of some transactions of a slot, and of the slot at its end; updates the memory. */
  make({ slot, blockTime, arrived, endsSlot }: Arrivals, memory: Memory): readonly StreamEvent[] {
    const batch: StreamEvent[] = []
    for (const { signature, decoded } of arrived) {
      this.#figures.counts.transactions++
      const arrival = this.#next(slot)
      const place = { run: LIVE_RUN, slot, blockTime, transactionIndex: 0, signature, arrival }
      batch.push(...enrich(decoded, place, memory))
      learn(decoded, place, memory)
      this.#figures.decoded.add(decoded)
    }
    if (!endsSlot) return batch
    const params = { block: slot, blockTime }
    return [...batch, { kind: 'latestBlock', cursor: this.cursor(slot), unplaced: true, params }]
  }

  /** The next cursor, for something in this slot. */
  cursor(slot: number): string {
    return formatCursor({ run: LIVE_RUN, ...this.#next(slot), eventIndex: 0 })
  }

  #next(slot: number) {
    const { slot: newest, transactionIndex } = this.newest
    const isFull = transactionIndex >= LAST_PLACE.transactionIndex
    this.newest =
      slot > newest || isFull
        ? { slot: Math.max(slot, newest + 1), transactionIndex: 0 }
        : { slot: newest, transactionIndex: transactionIndex + 1 }
    return this.newest
  }
}
