import { parseCursor } from '@pairwire/contract'
import { Block, type Frames, type Held } from '../protocol/frames.ts'
import type { OutboxBudget } from './outbox-budget.ts'

/** Bytes of a queue's first block, and of its largest; each doubles the one before. */
const FIRST_BLOCK_BYTES = 4 * 1024
const LARGEST_BLOCK_BYTES = 64 * 1024

/** Bytes of a slot in the queue: a pointer, in an array that may be half empty. */
const PLACE_BYTES = 24

/** The text before a cursor in a frame; inside a string it would have backslashes. */
const BEFORE_CURSOR = '"cursor":"'

/**
 * The frames that one client was not handed yet, in order, counted in the shared budget. Shared frames are kept by
 * reference; the client's own are copied into blocks.
 */
export class FrameQueue {
  readonly #budget: OutboxBudget
  #entries: Held[] = []
  /** Index of the first remaining entry. */
  #first = 0
  /** The last entry, while it has room. */
  #block: Block | undefined
  #blockBytes = FIRST_BLOCK_BYTES / 2
  /** Bytes of the frames. */
  bytes = 0
  /** Bytes of memory that no other client holds. */
  ownBytes = 0

  constructor(budget: OutboxBudget) {
    this.#budget = budget
  }

  get isEmpty(): boolean {
    return this.#first === this.#entries.length
  }

  push(frames: Frames): void {
    this.bytes += frames.bytes.length
    if (frames.isShared) {
      this.#block = undefined
      this.#append(frames.kept, 0)
    } else if (!this.#block?.take(frames.bytes)) {
      this.#blockBytes = Math.min(2 * this.#blockBytes, LARGEST_BLOCK_BYTES)
      const block = new Block(Math.max(this.#blockBytes, frames.bytes.length))
      block.take(frames.bytes)
      this.#block = block
      this.#append(block, block.size)
    }
  }

  /** Removes entries from the front, at least one, as many as fit into `maxBytes`. The caller has to release them. */
  take(maxBytes: number): Held[] {
    const taken: Held[] = []
    let bytes = 0
    while (!this.isEmpty) {
      const held = this.#entries[this.#first]!
      const { length } = held.bytes
      if (bytes > 0 && bytes + length > maxBytes) break
      bytes += length
      taken.push(held)
      this.#first++
      if (held === this.#block) this.#block = undefined
      if (held instanceof Block) this.ownBytes -= held.size
    }
    this.bytes -= bytes
    this.ownBytes -= taken.length * PLACE_BYTES
    this.#budget.add(-taken.length * PLACE_BYTES)
    if (this.isEmpty) this.#reset()
    else if (2 * this.#first > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
    return taken
  }

  /** Returns the cursor of its first event; undefined if there is none. */
  firstCursor(): string | undefined {
    for (const { bytes } of this.#entries.slice(this.#first)) {
      for (let at = bytes.indexOf(BEFORE_CURSOR); at >= 0; at = bytes.indexOf(BEFORE_CURSOR, at + 1)) {
        const start = at + BEFORE_CURSOR.length
        const cursor = bytes.toString('latin1', start, bytes.indexOf('"', start))
        // In an answer it may be a part of the request's id.
        if (parseCursor(cursor)) return cursor
      }
    }
    return undefined
  }

  /** Drops everything. */
  clear(): void {
    const left = this.#entries.slice(this.#first)
    for (const held of left) this.#budget.release(held)
    this.#budget.add(-left.length * PLACE_BYTES)
    this.bytes = 0
    this.ownBytes = 0
    this.#reset()
  }

  #append(held: Held, ownBytes: number): void {
    this.#entries.push(held)
    this.ownBytes += ownBytes + PLACE_BYTES
    // Last, since this may be the queue that the budget drops.
    this.#budget.hold(held)
    this.#budget.add(PLACE_BYTES)
  }

  #reset(): void {
    this.#entries = []
    this.#first = 0
    this.#block = undefined
    this.#blockBytes = FIRST_BLOCK_BYTES / 2
  }
}
