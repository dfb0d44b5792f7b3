import { within } from '@pairwire/basics'
import { CursorTooOldError, type InTurn } from '../bus.ts'
import type { NatsLink } from './nats-link.ts'
import type { Publisher } from './publisher.ts'
import type { createReader } from './reader.ts'
import type { SlotPages } from './slot-pages.ts'
import type { SlotStream } from './slot-stream.ts'

/** What {@link createPastEvents} needs. */
type PastEventsParts = Readonly<{
  /** The kind of source whose events are published. */
  source: string
  link: Pick<NatsLink, 'isUp'>
  stream: Pick<SlotStream, 'look'>
  pages: SlotPages
  reader: ReturnType<typeof createReader>
  publisher: Pick<Publisher, 'hasPublished' | 'settled' | 'sequence' | 'newestCursor'>
}>

/** Milliseconds that a replay waits for events published by this process. */
const OWN_LIMIT_MS = 2_000

/** Reads published events: the newest from the reader's ring, older ones from the stream. */
export function createPastEvents(parts: PastEventsParts) {
  const { source, link, stream, pages, reader, publisher } = parts
  /** Resolves once the events published by this process have come back to it, or NATS is away. */
  const ownArrived = async () => {
    if (!publisher.hasPublished() || !link.isUp()) return
    const arrived = publisher
      .settled()
      .then(() => (reader.hasStarted() ? reader.reached(publisher.sequence()) : undefined))
    await within(OWN_LIMIT_MS, arrived)
  }

  const afterInStream = async (cursor: string, inTurn?: InTurn) => {
    const events = await pages.after(cursor, inTurn)
    if (events.length > 0) return events
    const { last } = await stream.look()
    if (cursor >= last && last !== '') return events
    // They may have been appended between the two requests.
    const appended = await pages.after(cursor, inTurn)
    if (appended.length === 0) throw new CursorTooOldError(undefined)
    return appended
  }

  return {
    /** Returns some events after `cursor`, or a gap; none at the newest one delivered. */
    async after(cursor: string, inTurn?: InTurn) {
      await ownArrived()
      if (!reader.hasStarted()) return afterInStream(cursor, inTurn)
      const ring = reader.ring()
      const newest = ring.newestCursor()
      if (ring.reachesBackTo(cursor)) return ring.after(cursor)
      const events = await afterInStream(cursor, inTurn)
      // Events that are not delivered yet arrive by themselves.
      return newest === undefined ? [] : events.filter((event) => event.cursor <= newest)
    },

    async holds(cursor: string) {
      await reader.started()
      await ownArrived()
      return reader.ring().reachesBackTo(cursor) || pages.holds(cursor)
    },

    async oldestCursor() {
      await ownArrived()
      return (await pages.oldestCursor()) ?? reader.ring().oldestCursor()
    },

    async newestCursor() {
      if (publisher.hasPublished()) return publisher.newestCursor()
      if (reader.ring().newestCursor() !== undefined) return reader.ring().newestCursor()
      const newest = await stream.look().catch(() => undefined)
      if (newest === undefined) return publisher.newestCursor()
      return newest.source === source && newest.last !== '' ? newest.last : undefined
    },
  }
}
