import type { Bus, InTurn } from '@pairwire/bus'
import type { Clock } from '@pairwire/process'
import { createFairQueue } from './fair-queue.ts'
import type { GatewayLimits } from './limits.ts'
import { type Outgoing, outgoingOf } from './notification.ts'

/** Events that follow a cursor, as the bus gives them at a time. None at the newest one. */
export type ReplayPage = readonly Outgoing[]

/**
 * What is read from the bus for replays. Clients that come back together read the same, so a page is read, and its
 * JSON made, once for all of them while they are at about the same place. A few are read at a time, in fair order by
 * account: what is read waits unparsed for its turn, so that this also bounds the memory.
 */
export type ReplayPages = Readonly<{
  /**
   * @param inTurn has what was read parsed in a turn of this account
   * @throws CursorTooOldError when events after the cursor are gone
   */
  after(cursor: string, accountId: string, inTurn: InTurn): Promise<ReplayPage>
}>

/** Makes an empty memory of pages. */
export function createReplayPages(
  bus: Pick<Bus, 'replay'>,
  clock: Clock,
  { replayReads, replayedEventsKept }: Pick<GatewayLimits, 'replayReads' | 'replayedEventsKept'>,
): ReplayPages {
  const queue = createFairQueue(replayReads)
  const reading = new Map<string, Promise<ReplayPage>>()
  /** The one that was asked for last stands last. */
  const kept = new Map<string, ReplayPage>()
  let events = 0

  const read = (cursor: string, inTurn: InTurn): Promise<ReplayPage> => {
    const page = readPage(cursor, inTurn).finally(() => reading.delete(cursor))
    reading.set(cursor, page)
    return page
  }

  const readPage = async (cursor: string, inTurn: InTurn): Promise<ReplayPage> => {
    for await (const batch of bus.replay(cursor, inTurn)) {
      const page = batch.map((event) => outgoingOf(event, clock.now()))
      keep(cursor, page)
      return page
    }
    return []
  }

  const keep = (cursor: string, page: ReplayPage) => {
    kept.set(cursor, page)
    events += page.length
    for (const [oldest, { length }] of kept) {
      if (events <= replayedEventsKept) break
      kept.delete(oldest)
      events -= length
    }
  }

  const findKept = (cursor: string): ReplayPage | undefined => {
    const page = kept.get(cursor)
    if (!page) return undefined
    kept.delete(cursor)
    kept.set(cursor, page)
    return page
  }

  return {
    async after(cursor, accountId, inTurn) {
      const page = findKept(cursor)
      if (page) return page
      return queue(accountId, async () => findKept(cursor) ?? reading.get(cursor) ?? read(cursor, inTurn))
    },
  }
}
