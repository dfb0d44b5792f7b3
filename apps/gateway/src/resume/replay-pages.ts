import type { Clock } from '@pairwire/basics'
import { type Bus, createAskedLately, type InTurn } from '@pairwire/bus'
import { type Outgoing, outgoingOf } from '../fanout/outgoing-event.ts'
import type { GatewayLimits } from '../limits.ts'
import { createFairQueue } from './fair-queue.ts'

/** Events that follow a cursor, as the bus gives them at a time. None at the newest one. */
export type ReplayPage = readonly Outgoing[]

/**
 * What is read from the bus for replays. Clients that come back together read the same, so a page that is asked for again
 * is kept, with the JSON made of it. Any other is used at once and let go of: nothing that has waited refers to it, which
 * the collector would have moved to what lives long, and the page with it. A few are read at a time, in fair order by
 * account: what is read waits unparsed for its turn, so this bounds the memory too.
 */
export type ReplayPages = ReturnType<typeof createReplayPages>

/** Makes an empty memory of pages. */
export function createReplayPages(
  bus: Pick<Bus, 'replay'>,
  clock: Clock,
  { replayReads, replayedEventsKept }: Pick<GatewayLimits, 'replayReads' | 'replayedEventsKept'>,
) {
  const queue = createFairQueue(replayReads)
  /** The one that was asked for last stands last. */
  const kept = new Map<string, ReplayPage>()
  let events = 0
  const wasAsked = createAskedLately()

  const read = async (cursor: string, inTurn: InTurn): Promise<ReplayPage> => {
    for await (const batch of bus.replay(cursor, inTurn)) {
      return batch.map((event) => outgoingOf(event, clock.now()))
    }
    return []
  }

  const keep = (cursor: string, page: ReplayPage) => {
    if (page.length === 0 || kept.has(cursor)) return
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
    /**
     * Has what follows a cursor used.
     *
     * @param isAskedAgain whether who asks will do so again, for the rest
     * @param inTurn has what was read parsed in a turn of this account
     * @throws CursorTooOldError when events after the cursor are gone
     */
    async after(
      cursor: string,
      isAskedAgain: boolean,
      accountId: string,
      inTurn: InTurn,
      use: (page: ReplayPage) => Promise<boolean>,
    ) {
      const isKept = wasAsked(cursor) || isAskedAgain
      const known = findKept(cursor)
      if (known) return use(known)
      return queue(accountId, async () => {
        const page = findKept(cursor) ?? (await read(cursor, inTurn))
        if (isKept) keep(cursor, page)
        return use(page)
      })
    },
  }
}
