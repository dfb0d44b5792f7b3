import type { StreamEvent } from '@pairwire/contract'
import { estimateBytes, lastCursorOf, lastIndexWhere } from '../event-ring.ts'
import { writeSlot } from './slot-message.ts'

/** A slot that is to be in the stream. */
export type QueuedSlot = {
  /** The same at every publisher of the slot. */
  readonly id: string
  /** Cursor of the event before it; empty where nothing is known of what came before. */
  readonly before: string
  readonly last: string
  /** When it came, milliseconds of the clock. */
  readonly at: number
  /** The only event, where that is a gap. */
  readonly gap: Extract<StreamEvent, { kind: 'gap' }> | undefined
  readonly body: Promise<Buffer>
  /** About the memory that it takes. */
  bytes: number
  isForgotten: boolean
}

/**
 * The newest slots that were published, in the stream or not yet, bounded in bytes: those that the stream loses are sent
 * again from here, and those that are no longer here either are a hole, which every reader of the stream sees.
 *
 * @param newest cursor of the event before the first one; empty where that is not known
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
     * @throws Error when an event is older than the one before it; nothing of the batch is kept then
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
        .catch(() => {}) // a reader that was not told has it from the stream
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
      // Packed it takes a fifth. What cannot be packed fails where it is to be sent.
      body.then(
        ({ length }) => {
          if (!slot.isForgotten) bytes += length - slot.bytes
          slot.bytes = length
        },
        () => {},
      )
    },

    /**
     * The first slot that ends after a cursor; where `published` ends at it, the one behind that, as a gap may stand at
     * the place of the slot before it.
     */
    after(cursor: string, published?: QueuedSlot) {
      const first = lastIndexWhere(slots, ({ last }) => last <= cursor) + 1
      for (let at = first; at > 0 && slots[at - 1]!.last === cursor; at--) {
        if (slots[at - 1] === published) return slots[at]
      }
      return slots[first]
    },

    /** Cursor of the newest event; that of the start before the first. */
    newest: () => last,

    /** Forgets all, so that any cursor may come next. */
    clear() {
      while (slots.length > 0) forgetOldest()
      last = ''
    },
  }
}
