import { lastIndexWhere } from '@pairwire/bus'
import type { Outgoing } from './outgoing-event.ts'

/** The events that were sent last, in order: where a replay joins the live stream. */
export class RecentEvents {
  readonly #kept: number
  #events: Outgoing[] = []
  /** Whether none was let go yet. */
  #isWhole = true

  /** Keeps `kept` of them, and up to twice as many. */
  constructor(kept: number) {
    this.#kept = kept
  }

  /** Cursor of the newest; undefined before the first. */
  get newest(): string | undefined {
    return this.#events.at(-1)?.cursor
  }

  /** Whether the newest has a place to come back to. */
  get isPlaced(): boolean {
    const newest = this.#events.at(-1)
    return newest !== undefined && !('event' in newest && newest.event.unplaced)
  }

  push(event: Outgoing): void {
    this.#events.push(event)
    if (this.#events.length <= 2 * this.#kept) return
    this.#events = this.#events.slice(-this.#kept)
    this.#isWhole = false
  }

  /**
   * What was sent after `cursor`; undefined when that is not known from here.
   *
   * @param isNewest whether nothing after the cursor was published before the first of these
   */
  after(cursor: string, isNewest: boolean): readonly Outgoing[] | undefined {
    const oldest = this.#events[0]?.cursor
    const newest = this.newest
    // What is ahead of what was sent is on its way: it would come twice.
    if (newest !== undefined && cursor > newest) return undefined
    const isKnown = (oldest !== undefined && oldest <= cursor) || (isNewest && this.#isWhole)
    return isKnown ? this.#events.slice(firstAfter(this.#events, cursor)) : undefined
  }
}

/** Place of the first event after `cursor`, in chain order. */
export function firstAfter(events: readonly { readonly cursor: string }[], cursor: string): number {
  return lastIndexWhere(events, (event) => event.cursor <= cursor) + 1
}
