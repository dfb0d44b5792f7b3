import { formatSlot, LAST_PLACE, parseCursor, slotOf as slotPartOf } from '@pairwire/contract/cursor'
import type { Gap, StreamEvent } from './items.ts'

/** Gaps of which it is known that they were reported. */
const MOST_GAPS = 1_000

/** The position of one stream: detects duplicates, knows where to resume, and what is missing. */
export class Place {
  /** The cursor of the last event received; null if it has none. */
  cursor: string | null = null
  /** Whether its events can have a cursor at all. */
  readonly #isPlaced: boolean
  /** Newest gaps reported: the service repeats them after a reconnect. */
  readonly #gaps = new Set<string>()
  /** The newest slot of which nothing is missing. Blocks may come from further back, for another stream that resumes. */
  #passedSlot: number | null = null
  /** The first slot with possibly missing events, after a break where nothing can be resumed; null before a first event. */
  #brokenFrom: { slot: number | null } | null | undefined = null

  constructor({ isPlaced }: { isPlaced: boolean }) {
    this.#isPlaced = isPlaced
  }

  /** Moves to a cursor. @returns whether it lies after the current one; else it is a duplicate */
  move(cursor: string): boolean {
    if (this.cursor !== null && cursor <= this.cursor) return false
    this.cursor = cursor
    return true
  }

  /** Everything up to a block was sent. @returns whether the position moved */
  pass(cursor: string | undefined, slot: number): boolean {
    if (slot > (this.#passedSlot ?? -1)) this.#passedSlot = slot
    return this.#isPlaced && cursor !== undefined && this.move(cursor)
  }

  /** Notes a gap. @returns whether it is a new one */
  isNewGap({ fromSlot, toSlot, cause }: Omit<Gap, 'type' | 'resumeFrom'>): boolean {
    if (this.cursor === null) return true
    const run = parseCursor(this.cursor)?.run ?? 0
    // A recording may have started over, from earlier slots.
    if (run === 0 && formatSlot({ run, slot: toSlot ?? 0 }) < slotPartOf(this.cursor)) return false
    const gap = `${run} ${fromSlot} ${toSlot} ${cause}`
    if (this.#gaps.has(gap)) return false
    if (this.#gaps.size === MOST_GAPS) this.#gaps.clear()
    this.#gaps.add(gap)
    return true
  }

  /** The connection of its subscription was lost. */
  break(): void {
    if (this.cursor !== null) return
    this.#brokenFrom ??= { slot: this.#passedSlot === null ? null : this.#passedSlot + 1 }
  }

  /** Returns the gap before an event, after a break where nothing can be resumed. */
  gapBefore(item: StreamEvent): Gap | undefined {
    const isBlock = item.type === 'block'
    const slot = isBlock ? item.block : item.slot
    const broken = this.#brokenFrom
    this.#brokenFrom = undefined
    if (isBlock) this.#passedSlot = slot
    else if (broken !== undefined) this.#passedSlot = slot - 1
    const fromSlot = broken?.slot ?? null
    // The next block follows without a gap; of a slot with other events the first may be missing.
    if (!broken || (isBlock && fromSlot !== null && slot <= fromSlot)) return undefined
    const toSlot = Math.max(fromSlot ?? 0, slot - 1)
    return { type: 'gap', fromSlot, toSlot, cause: 'disconnected', resumeFrom: null }
  }

  /** Moves after the oldest cursor kept, or to the next event if there is none. @returns what is missing then */
  skipTo(oldest: string | null): Gap {
    const toSlot = oldest === null ? null : (parseCursor(oldest)?.slot ?? null)
    const from = this.cursor === null ? null : firstSlotBehind(this.cursor)
    this.cursor = oldest
    this.#brokenFrom = null
    // A cursor of another service lies ahead; the range in between is unknown.
    const fromSlot = from !== null && toSlot !== null ? Math.min(from, toSlot) : from
    return { type: 'gap', fromSlot, toSlot, cause: 'too_old', resumeFrom: null }
  }
}

/** Returns the first slot after a cursor; null where the cursor does not tell. */
function firstSlotBehind(cursor: string): number | null {
  const parts = parseCursor(cursor)
  if (!parts) return null
  return parts.transactionIndex === LAST_PLACE.transactionIndex ? parts.slot + 1 : parts.slot
}
