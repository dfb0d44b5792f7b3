import { BoundedMap } from '@pairwire/basics'
import type { StreamEvent } from '@pairwire/contract'
import { CursorTooOldError, type InTurn } from '../bus.ts'
import { readHeader } from '../event-record.ts'
import { eventsAfter, lastCursorOf } from '../event-ring.ts'
import { gapBetween } from '../gap-between.ts'
import { createPieceCache } from '../piece-cache.ts'
import { createSlotAssembly, readSlot, type SlotHead } from './slot-message.ts'
import type { SlotStream } from './slot-stream.ts'

export type SlotPages = ReturnType<typeof createSlotPages>

/** Events that are handed over at once. */
const PAGE_EVENTS = 256

/** Places that are known at once. */
const PLACES_KNOWN = 10_000

/** A slot of the stream: its parts stand from the one sequence it was asked for to before the other. */
type Slot = Readonly<{ head: SlotHead; first: string; next: number }>

/**
 * Reads the stream by cursor. Each read asks for one message by its sequence, so nothing is held for a client that
 * pauses; a cursor's place is found by halving, and is known at once behind the last read.
 *
 * @param cacheBytes about the heap for the slots that were read last
 */
export function createSlotPages(stream: SlotStream, cacheBytes: number) {
  const cache = createPieceCache(cacheBytes, true)
  /** By cursor, the sequence at which what follows it is read. */
  const places = new BoundedMap<string, number>(PLACES_KNOWN)
  /** Of what is in the cache. */
  const slots = new WeakMap<readonly StreamEvent[], Slot>()

  /** Sequence of the first message that ends after the cursor; behind the newest where none does. */
  const sequenceAfter = async (cursor: string): Promise<number> => {
    const bounds = await stream.bounds()
    if (!bounds) return 1
    let low = bounds.first
    let high = bounds.last + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const message = await stream.at(middle)
      if (!message || (message.head && message.head.last > cursor)) high = middle
      else low = message.sequence + 1
    }
    return low
  }

  /** The first whole slot that begins at a sequence or behind it. */
  const findSlot = async (sequence: number) => {
    const assembly = createSlotAssembly()
    for (let message = await stream.at(sequence); message; message = await stream.at(message.sequence + 1)) {
      const body = message.head && assembly.add(message.head, message.data)
      if (!body) continue
      const first = readHeader(Buffer.from(body), 0)?.first ?? message.head!.last
      return { slot: { head: message.head!, first, next: message.sequence + 1 }, body }
    }
    return undefined
  }

  /** The slot and its events, which are none where it cannot be read. Many who ask at once share one reading. */
  const read = async (sequence: number, inTurn?: InTurn) => {
    try {
      const events = await cache.remember(String(sequence), async () => {
        const found = await findSlot(sequence)
        if (!found) throw new NotThereError()
        const read = [...((await readSlot(found.body, inTurn)) ?? [])]
        slots.set(read, found.slot)
        return read
      })
      return { slot: slots.get(events)!, events }
    } catch (error) {
      if (error instanceof NotThereError) return undefined
      throw error
    }
  }

  const isOldest = async (sequence: number) => sequence <= ((await stream.bounds())?.first ?? sequence)

  const oldestSlot = async () => {
    const bounds = await stream.bounds()
    return bounds && (await findSlot(bounds.first))?.slot
  }
  const oldestCursor = async () => (await oldestSlot())?.first

  return {
    sequenceAfter,
    oldestCursor,

    /** Whether the events after the cursor are still there. */
    async holds(cursor: string) {
      const oldest = await oldestSlot()
      return oldest !== undefined && cursor >= (oldest.head.before || oldest.first)
    },

    /** Some events after the cursor, or a gap; none where the stream has nothing after it. @throws CursorTooOldError */
    async after(cursor: string, inTurn?: InTurn): Promise<readonly StreamEvent[]> {
      const known = places.get(cursor)
      let sequence = known ?? (await sequenceAfter(cursor))
      let found = await read(sequence, inTurn)
      if (
        known !== undefined &&
        (!found || found.slot.head.before > cursor || found.slot.head.last <= cursor)
      ) {
        sequence = await sequenceAfter(cursor)
        found = await read(sequence, inTurn)
      }
      if (!found) return []
      const { slot, events } = found
      const { before, last } = slot.head
      const isMissing = before === '' ? cursor < slot.first : cursor < before
      if (isMissing && (before === '' || (await isOldest(sequence)))) {
        throw new CursorTooOldError(await oldestCursor())
      }
      if (isMissing) return [gapBetween(cursor, before)]
      const page = eventsAfter(events, cursor).slice(0, PAGE_EVENTS)
      if (page.length === 0) return [gapBetween(cursor, last)]
      const end = lastCursorOf(page)
      places.set(end, end === last ? slot.next : sequence)
      return page
    },

    /** Forgets where anything stands: a stream that lost its tail counts from an earlier sequence again. */
    forget() {
      cache.clear()
      places.clear()
    },
  }
}

/** The stream has nothing at a sequence or behind it. */
class NotThereError extends Error {}
