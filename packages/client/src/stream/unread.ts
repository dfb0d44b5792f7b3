import { type Entry, type Gap, slotOf } from './items.ts'

/**
 * The items received and not yet handed out, in order. Items dropped from its front become one gap, which stays there
 * and grows until it is taken.
 */
export class Unread {
  #entries: (Entry | undefined)[] = []
  #first = 0
  #gap: (Entry & { item: Gap }) | undefined

  /** Number of entries, without the gap. */
  get size(): number {
    return this.#entries.length - this.#first
  }

  /** Whether there is no entry and no gap. */
  get isEmpty(): boolean {
    return this.size === 0 && !this.#gap
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
  }

  /** Takes the oldest; undefined if there is none. */
  take(): Entry | undefined {
    const taken = this.#gap ?? this.#shift()
    this.#gap = undefined
    return taken
  }

  /** Whether the oldest is an event. */
  get isEventNext(): boolean {
    return !this.#gap && 'cursor' in (this.#entries[this.#first]?.item ?? {})
  }

  /** Drops the oldest, which follows `before`, other than the gap that reports it. @returns it, and whether the gap is new */
  dropOldest(before: string | null): { item: Entry['item']; isNewGap: boolean } {
    const { item, place } = this.#shift()!
    const isNewGap = !this.#gap
    const [from, to] = item.type === 'gap' ? [item.fromSlot, item.toSlot] : [slotOf(item), slotOf(item)]
    const gap = this.#gap?.item
    this.#gap = {
      item: {
        type: 'gap',
        fromSlot: gap?.fromSlot ?? from,
        toSlot: to ?? gap?.toSlot ?? null,
        cause: 'unread',
        resumeFrom: gap ? gap.resumeFrom : before,
      },
      place: place ?? this.#gap?.place ?? null,
    }
    return { item, isNewGap }
  }

  clear(): void {
    this.#entries = []
    this.#first = 0
    this.#gap = undefined
  }

  #shift(): Entry | undefined {
    if (this.#first === this.#entries.length) return undefined
    const entry = this.#entries[this.#first]
    this.#entries[this.#first++] = undefined
    if (this.#first * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
    return entry
  }
}
