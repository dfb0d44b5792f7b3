import type { StreamEvent } from '@pairwire/contract'
import { CursorTooOldError } from './bus.ts'

/**
 * Heap taken by an event of each kind, its strings included, but for those that a token's creator chose.
 * Measured on Node 20 over 20,000 events of usual lengths (716, 912 and 142 bytes), rounded up; of a gap reckoned.
 */
const EVENT_BYTES = { swap: 800, newPair: 1_000, latestBlock: 200, gap: 300 }

/** Slots freed at the front before the array is shortened; shortening on each drop would copy it each time. */
const COMPACT_AFTER = 4_096

/**
 * The newest events, oldest first, bounded by an estimate of the bytes they take. Events must come in the order
 * of their cursors.
 *
 *     events: [ freed | freed | oldest … newest ]
 *                             ^ head
 */
export type EventRing = Readonly<{
  /** @throws Error when a cursor is smaller than the one before it; nothing of the batch is kept then. */
  push(events: readonly StreamEvent[]): void
  /** At most `limit` events after `cursor`. @throws CursorTooOldError when events after it are gone or unknown. */
  after(cursor: string, limit: number): readonly StreamEvent[]
  oldestCursor(): string | undefined
  clear(): void
}>

/** An empty ring; `maxBytes` is about the heap that it may take. */
export function createEventRing(maxBytes: number): EventRing {
  let events: (StreamEvent | undefined)[] = []
  let head = 0
  let bytes = 0
  /** What stood before the oldest event is not known from this cursor downwards. */
  let lost: string | undefined
  let newest = ''

  const drop = () => {
    const event = events[head]!
    bytes -= estimateBytes(event)
    lost = event.cursor
    events[head++] = undefined
    if (head >= COMPACT_AFTER && head * 2 >= events.length) {
      events = events.slice(head)
      head = 0
    }
  }

  return {
    push(batch) {
      let last = newest
      for (const { cursor } of batch) {
        if (cursor < last) throw new Error(`Event ${cursor} was published after ${last}.`)
        last = cursor
      }
      newest = last

      for (const event of batch) {
        events.push(event)
        bytes += estimateBytes(event)
      }
      while (bytes > maxBytes && head < events.length - 1) drop()
    },

    after(cursor, limit) {
      const oldest = events[head]?.cursor
      // Before the first event of this process there may have been others, of which nothing is known here.
      const known = lost === undefined ? oldest !== undefined && cursor >= oldest : cursor >= lost
      if (!known) throw new CursorTooOldError(oldest)

      let low = head
      let high = events.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (events[middle]!.cursor <= cursor) low = middle + 1
        else high = middle
      }
      return events.slice(low, low + limit) as StreamEvent[] // nothing before `head` is in the slice
    },

    oldestCursor: () => events[head]?.cursor,

    clear() {
      events = []
      head = 0
      bytes = 0
    },
  }
}

function estimateBytes(event: StreamEvent): number {
  const bytes = EVENT_BYTES[event.kind]
  if (event.kind !== 'newPair') return bytes

  const { baseToken, quoteToken } = event.params.pair
  return bytes + metadataBytes(baseToken.info?.metadata) + metadataBytes(quoteToken.info?.metadata)
}

type Metadata =
  | { name: string; symbol: string; logo: string | null; socials: object | null }
  | null
  | undefined

/** Two bytes a character, the widest that the engine keeps. */
function metadataBytes(metadata: Metadata): number {
  if (!metadata) return 0

  let characters = metadata.name.length + metadata.symbol.length + (metadata.logo?.length ?? 0)
  for (const link of Object.values(metadata.socials ?? {})) characters += link?.length ?? 0
  return characters * 2
}
