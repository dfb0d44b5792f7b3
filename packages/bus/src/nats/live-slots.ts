import { setTimeout as wait } from 'node:timers/promises'
import { eventsOfText, eventsText, type StreamEvent } from '@pairwire/contract'
import { lastCursorOf } from '../event-ring.ts'
import type { NatsLink } from './nats-link.ts'
import { HEADERS_BYTES, readHead, type SlotHead, writeHead } from './slot-message.ts'

/**
 * Slots sent straight to current listeners while the stream is still taking them. Each goes in pieces, whose heads have
 * the cursors before and at the end of the piece, as in the stream. Nothing is kept, and a piece may be lost: a reader
 * takes one only if it follows what it has, and reads the rest from the stream.
 */
export type LiveSlots = ReturnType<typeof createLiveSlots>

/** A slot to send. */
type ToldSlot = Readonly<{ events: readonly StreamEvent[] }> &
  Pick<SlotHead, 'before' | 'source' | 'epoch' | 'publisher'>

/** Events of a piece: what a reader's socket delivers at once, so that the first leave while the last still arrive. */
const PIECE_EVENTS = 100

/** Milliseconds that a slot takes to reach clients: packing it for the stream meanwhile would take a core from that. */
const ON_ITS_WAY_MS = 20

/** Sends and receives slots on `subject`. */
export function createLiveSlots(
  { connection, isUp, maxPayload }: Pick<NatsLink, 'connection' | 'isUp' | 'maxPayload'>,
  subject: string,
) {
  return {
    /** Sends a slot, unless NATS is disconnected; resolves when it has usually reached clients. */
    async tell({ events, before, ...rest }: ToldSlot): Promise<void> {
      // A disconnected client would buffer all of them.
      if (!isUp()) return
      for (let at = 0, from = before; at < events.length; at += PIECE_EVENTS) {
        const piece = events.slice(at, at + PIECE_EVENTS)
        const last = lastCursorOf(piece)
        const body = Buffer.from(eventsText(piece))
        // The rest would have no predecessor.
        if (body.length > maxPayload() - HEADERS_BYTES) return
        const head = { before: from, last, ...rest, part: 1, parts: 1 }
        connection.publish(subject, body, { headers: writeHead(head) })
        from = last
      }
      await wait(ON_ITS_WAY_MS)
    },

    /** Delivers each piece that arrives, until the returned function is called. */
    listen(take: (head: SlotHead, events: readonly StreamEvent[]) => void): () => void {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          const head = error ? undefined : readHead(message.headers)
          if (head) take(head, eventsOfText(message.string()))
        },
      })
      return () => subscription.unsubscribe()
    },
  }
}
