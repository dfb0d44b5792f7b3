import { formatSlot, LAST_PLACE, parseCursor, slotOf as slotPartOf } from '@pairwire/contract/cursor'
import type { Gap, SideItem, StreamEvent } from './items.ts'
import { slotOf } from './items.ts'

/** Where one stream stands in what it received: what comes twice, from where to come back, what is missing. */
export class Place {
  /** The cursor of what it received last; null where it has none. */
  cursor: string | null = null
  /** Whether its events can have a place at all. */
  readonly #isPlaced: boolean
  /** Gaps that were told and have not been passed, with the last slot of each: a service tells them again to who comes back. */
  readonly #gaps = new Map<string, string>()
  /** The newest slot of an event, and the newest of which all was sent. */
  #eventSlot: number | null = null
  #passedSlot: number | null = null
  /** The first slot of which something may be missing, since the line broke where nothing can be resumed. */
  #brokenFrom: { slot: number | null } | undefined

  constructor({ isPlaced }: { isPlaced: boolean }) {
    this.#isPlaced = isPlaced
  }

  /** Moves on to a cursor. @returns whether it lies behind the present one; else it was received already */
  move(cursor: string): boolean {
    if (this.cursor !== null && cursor <= this.cursor) return false
    this.cursor = cursor
    for (const [key, last] of this.#gaps) if (slotPartOf(cursor) > last) this.#gaps.delete(key)
    return true
  }

  /** All up to a block was sent. @returns whether the place has moved */
  pass(cursor: string | undefined, slot: number): boolean {
    this.#passedSlot = slot
    return this.#isPlaced && cursor !== undefined && this.move(cursor)
  }

  /** Notes a gap. @returns whether it was not told before */
  isNewGap({ fromSlot, toSlot, cause }: Omit<Gap, 'type' | 'resumeFrom'>): boolean {
    if (this.cursor === null) return true
    const key = `${fromSlot} ${toSlot} ${cause}`
    const last = formatSlot({ run: parseCursor(this.cursor)?.run ?? 0, slot: toSlot ?? 0 })
    if (this.#gaps.has(key) || slotPartOf(this.cursor) > last) return false
    this.#gaps.set(key, last)
    return true
  }

  /** The line broke under its subscription. */
  break(): void {
    if (this.cursor !== null) return
    this.#brokenFrom ??= { slot: this.#passedSlot === null ? this.#eventSlot : this.#passedSlot + 1 }
  }

  /** What is missing before an event, if the line broke where nothing can be resumed. */
  gapBefore(item: StreamEvent | SideItem): Gap | undefined {
    this.#eventSlot = slotOf(item) ?? this.#eventSlot
    if (!this.#brokenFrom || this.#eventSlot === null) return undefined
    const fromSlot = this.#brokenFrom.slot
    this.#brokenFrom = undefined
    const toSlot = Math.max(fromSlot ?? 0, this.#eventSlot - 1)
    return { type: 'gap', fromSlot, toSlot, cause: 'disconnected', resumeFrom: null }
  }

  /** Goes on behind the oldest cursor that is held, or with what comes, where none is. @returns what is missing then */
  skipTo(oldest: string | null): Gap {
    const toSlot = oldest === null ? null : (parseCursor(oldest)?.slot ?? null)
    const from = this.cursor === null ? null : firstSlotBehind(this.cursor)
    this.cursor = oldest
    // A cursor of another service lies ahead: of what is between nothing is known.
    const fromSlot = from !== null && toSlot !== null ? Math.min(from, toSlot) : from
    return { type: 'gap', fromSlot, toSlot, cause: 'too_old', resumeFrom: null }
  }
}

/** The slot in which what follows a cursor begins; null where the cursor does not tell. */
function firstSlotBehind(cursor: string): number | null {
  const parts = parseCursor(cursor)
  if (!parts) return null
  return parts.transactionIndex === LAST_PLACE.transactionIndex ? parts.slot + 1 : parts.slot
}
