import { lastIndexWhere } from '@pairwire/bus'
import type { Outgoing } from '../protocol/outgoing-event.ts'

/** The last events sent, in order, where a replay joins the live stream. */
export class RecentEvents {
  readonly #kept: number
  #events: Outgoing[] = []
  /** Whether none was dropped yet. */
  #isWhole = true

  /** Keeps `kept` of them, and up to twice as many. */
  constructor(kept: number) {
    this.#kept = kept
  }

  /** Cursor of the newest; undefined before the first. */
  get newest(): string | undefined {
    return this.#events.at(-1)?.cursor
  }

  /** Whether a client can resume from the newest. */
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
   * Returns the events sent after `cursor`; undefined if these do not tell.
   *
   * @param isNewest whether nothing after the cursor was published before the first of these
   */
  after(cursor: string, isNewest: boolean): readonly Outgoing[] | undefined {
    const oldest = this.#events[0]?.cursor
    const newest = this.newest
    // Events after a cursor ahead of the last sent one are in flight: they would come twice.
    if (newest !== undefined && cursor > newest) return undefined
    const isKnown = (oldest !== undefined && oldest <= cursor) || (isNewest && this.#isWhole)
    return isKnown ? this.#events.slice(firstAfter(this.#events, cursor)) : undefined
  }
}

/** Returns the index of the first event after `cursor`, in chain order. */
export function firstAfter(events: readonly { readonly cursor: string }[], cursor: string): number {
  return lastIndexWhere(events, (event) => event.cursor <= cursor) + 1
}
