import { type Clock, createFairQueue } from '@pairwire/basics'
import { type Bus, createAskedLately, type InTurn } from '@pairwire/bus'
import type { GatewayLimits } from '../limits.ts'
import { type Outgoing, outgoingOf } from '../protocol/outgoing-event.ts'

/** Events after a cursor, in the bus's page size. Empty at the newest one. */
export type ReplayPage = readonly Outgoing[]

/**
 * Pages read from the bus for replays. Clients that reconnect together read the same pages, so a page requested twice
 * is kept, with the JSON made of it. Any other page is used at once and dropped: if a waiting object referred to it,
 * the garbage collector would promote it, and the page, to the old generation. Only a few reads run at a time, fairly
 * by account; since read pages wait unparsed for their turn, this bounds the memory too.
 */
export type ReplayPages = ReturnType<typeof createReplayPages>

/** Creates an empty cache of pages; returns the function that reads one. */
export function createReplayPages(
  bus: Pick<Bus, 'replay'>,
  clock: Clock,
  { replayReads, replayedEventsKept }: Pick<GatewayLimits, 'replayReads' | 'replayedEventsKept'>,
) {
  const queue = createFairQueue(replayReads)
  /** In order of last use, the most recent last. */
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

  /**
   * Passes the events after a cursor to `use`.
   *
   * @param isAskedAgain whether the caller will ask again, for the rest
   * @param inTurn parses the read page in a turn of this account
   * @throws CursorTooOldError when events after the cursor are gone
   */
  return async (
    cursor: string,
    isAskedAgain: boolean,
    accountId: string,
    inTurn: InTurn,
    use: (page: ReplayPage) => Promise<boolean>,
  ) => {
    const isKept = wasAsked(cursor) || isAskedAgain
    const known = findKept(cursor)
    if (known) return use(known)
    return queue(accountId, async () => {
      const page = findKept(cursor) ?? (await read(cursor, inTurn))
      if (isKept) keep(cursor, page)
      return use(page)
    })
  }
}
