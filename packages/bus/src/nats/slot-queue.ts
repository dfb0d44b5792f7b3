import type { StreamEvent } from '@pairwire/contract'
import { estimateBytes, lastCursorOf, lastIndexWhere } from '../event-ring.ts'
import { writeSlot } from './slot-message.ts'

/** A slot that belongs into the stream. */
export type QueuedSlot = {
  /** The same at every publisher of the slot. */
  readonly id: string
  /** Cursor of the event before it; empty if unknown. */
  readonly before: string
  readonly last: string
  /** When it arrived, in milliseconds of the clock. */
  readonly at: number
  /** The only event, if it is a gap. */
  readonly gap: Extract<StreamEvent, { kind: 'gap' }> | undefined
  readonly body: Promise<Buffer>
  /** About the memory that it takes. */
  bytes: number
  isForgotten: boolean
}

/**
 * The newest published slots, in the stream or not yet, limited in bytes: slots that the stream loses are sent again
 * from here, and those that were dropped here too leave a hole, which every reader of the stream sees.
 *
 * @param newest cursor of the event before the first one; empty if unknown
 */
export function createSlotQueue(newest: string, maxBytes: number) {
  const slots: QueuedSlot[] = []
  let last = newest
  let bytes = 0

  const forgetOldest = () => {
    const oldest = slots.shift()!
    oldest.isForgotten = true
    bytes -= oldest.bytes
  }

  return {
    /**
     * Packs the slot once `told` has resolved, which is called after this turn.
     *
     * @throws Error when an event is older than the previous one; nothing of the batch is kept then
     */
    push(events: readonly StreamEvent[], id: string, at: number, told: () => Promise<void>) {
      let previous = last
      for (const { cursor } of events) {
        if (cursor < previous) throw new Error(`Event ${cursor} was published after ${previous}.`)
        previous = cursor
      }
      const [first] = events
      const body = Promise.resolve()
        .then(told)
        .catch(() => {}) // a reader that misses it reads it from the stream
        .then(() => writeSlot(events))
      const slot: QueuedSlot = {
        id,
        before: last,
        last: lastCursorOf(events),
        at,
        gap: events.length === 1 && first?.kind === 'gap' ? first : undefined,
        body,
        bytes: estimateBytes(events),
        isForgotten: false,
      }
      last = slot.last
      slots.push(slot)
      bytes += slot.bytes
      while (bytes > maxBytes && slots.length > 1) forgetOldest()
      // Packed it takes a fifth. What cannot be packed fails when it is sent.
      body.then(
        ({ length }) => {
          if (!slot.isForgotten) bytes += length - slot.bytes
          slot.bytes = length
        },
        () => {},
      )
    },

    /**
     * Returns the first slot that ends after a cursor; if `published` ends at it, the one after that, as a gap may have
     * the cursor of the slot before it.
     */
    after(cursor: string, published?: QueuedSlot) {
      const first = lastIndexWhere(slots, ({ last }) => last <= cursor) + 1
      for (let at = first; at > 0 && slots[at - 1]!.last === cursor; at--) {
        if (slots[at - 1] === published) return slots[at]
      }
      return slots[first]
    },

    /** Cursor of the newest event; before the first, that of the start. */
    newest: () => last,

    /** Forgets everything, so that any cursor may come next. */
    clear() {
      while (slots.length > 0) forgetOldest()
      last = ''
    },
  }
}
