import type { Bus } from '@pairwire/bus'
import type { Clock } from '@pairwire/process'
import { type Outgoing, outgoingOf } from './notification.ts'

/** Events that follow a cursor, as the bus gives them at a time. None at the newest one. */
export type ReplayPage = readonly Outgoing[]

/**
 * What is read from the bus for replays. Clients that come back together read the same, so a page is read, and its
 * JSON made, once for all of them while they are at about the same place.
 */
export type ReplayPages = Readonly<{
  /** @throws CursorTooOldError when events after the cursor are gone */
  after(cursor: string): Promise<ReplayPage>
}>

/** Makes an empty memory of pages, of `keptEvents` in all. */
export function createReplayPages(bus: Pick<Bus, 'replay'>, clock: Clock, keptEvents: number): ReplayPages {
  const reading = new Map<string, Promise<ReplayPage>>()
  /** The one that was asked for last stands last. */
  const kept = new Map<string, ReplayPage>()
  let events = 0

  const read = async (cursor: string): Promise<ReplayPage> => {
    try {
      const page = await readPage(cursor)
      if (page.length > 0) keep(cursor, page)
      return page
    } finally {
      reading.delete(cursor)
    }
  }

  const readPage = async (cursor: string): Promise<ReplayPage> => {
    for await (const batch of bus.replay(cursor)) return batch.map((event) => outgoingOf(event, clock.now()))
    return []
  }

  const keep = (cursor: string, page: ReplayPage) => {
    kept.set(cursor, page)
    events += page.length
    for (const [oldest, { length }] of kept) {
      if (events <= keptEvents) break
      kept.delete(oldest)
      events -= length
    }
  }

  return {
    async after(cursor) {
      const page = kept.get(cursor)
      if (page) {
        kept.delete(cursor)
        kept.set(cursor, page)
        return page
      }
      const running = reading.get(cursor) ?? read(cursor)
      reading.set(cursor, running)
      return running
    },
  }
}
