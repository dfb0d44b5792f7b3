import { type Entry, type Gap, slotOf } from './items.ts'

/** How far the list may run ahead of what is left in it before it is cut. */
const SLACK = 1_024

/**
 * What a stream was given and nobody was handed, in order. What is dropped from its front is told by one gap, which stands
 * there and grows until it is taken.
 */
export class Unread {
  #entries: (Entry | undefined)[] = []
  #first = 0
  #gap: (Entry & { item: Gap }) | undefined
  /** Behind what stands before the front. */
  #place: string | null = null

  /** How much there is, without the gap. */
  get size(): number {
    return this.#entries.length - this.#first
  }

  /** Whether there is nothing, a gap neither. */
  get isEmpty(): boolean {
    return this.size === 0 && !this.#gap
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
  }

  /** The oldest; undefined where there is none. */
  take(): Entry | undefined {
    const taken = this.#gap ?? this.#shift()
    this.#gap = undefined
    if (taken?.place) this.#place = taken.place
    return taken
  }

  /** Begins behind a place. */
  startAt(place: string | null): void {
    this.#place = place
  }

  /** Whether the oldest is an event. */
  get isEventNext(): boolean {
    return !this.#gap && 'cursor' in (this.#entries[this.#first]?.item ?? {})
  }

  /** Drops the oldest but the gap that tells of it. @returns it, and whether the gap is a new one */
  dropOldest(): { item: Entry['item']; isNewGap: boolean } {
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
        resumeFrom: gap ? gap.resumeFrom : this.#place,
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
    if (this.#first === this.#entries.length) {
      this.#entries = []
      this.#first = 0
    } else if (this.#first > SLACK && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
    return entry
  }
}
