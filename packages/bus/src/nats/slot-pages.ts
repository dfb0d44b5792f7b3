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

/** Heap for recently read slots: half a minute of a busy chain, so that clients resuming the same minutes read each once. */
const CACHE_BYTES = 48 * 1024 * 1024

/** Events returned at once. */
const PAGE_EVENTS = 256

/** Positions remembered. */
const PLACES_KNOWN = 10_000

/** A slot of the stream: its parts are from the sequence it was requested with up to, not including, `next`. */
type Slot = Readonly<{ head: SlotHead; first: string; next: number }>

/**
 * Reads the stream by cursor. Each read requests one message by its sequence, so nothing is held for a client that
 * pauses; a cursor's position is found by binary search, and is known at once after the last read.
 */
export function createSlotPages(stream: SlotStream) {
  const cache = createPieceCache(CACHE_BYTES, true)
  /** By cursor, the sequence of what follows it. */
  const places = new BoundedMap<string, number>(PLACES_KNOWN)
  /** The slot of each cached page. */
  const slots = new WeakMap<readonly StreamEvent[], Slot>()

  /** Returns the sequence of the first message that ends after the cursor; after the newest if none does. */
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

  /** Returns the first whole slot that begins at or after a sequence. */
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

  /** Reads the slot and its events, which are none if it cannot be read. Concurrent requests share one read. */
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

  const oldestSlot = async () => {
    const bounds = await stream.bounds()
    return bounds && (await findSlot(bounds.first))?.slot
  }

  return {
    sequenceAfter,
    oldestCursor: async () => (await oldestSlot())?.first,

    /** Whether the events after the cursor are still there. */
    async holds(cursor: string) {
      const oldest = await oldestSlot()
      return oldest !== undefined && cursor >= (oldest.head.before || oldest.first)
    },

    /** Returns some events after the cursor, or a gap; none if nothing follows it. @throws CursorTooOldError */
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
      if (isMissing) {
        const oldest = await oldestSlot()
        if (before === '' || !oldest || oldest.next >= slot.next) throw new CursorTooOldError(oldest?.first)
        return [gapBetween(cursor, before)]
      }
      const page = eventsAfter(events, cursor).slice(0, PAGE_EVENTS)
      if (page.length === 0) return [gapBetween(cursor, last)]
      const end = lastCursorOf(page)
      places.set(end, end === last ? slot.next : sequence)
      return page
    },

    /** Forgets all positions: a stream that lost its tail counts from an earlier sequence again. */
    forget() {
      cache.clear()
      places.clear()
    },
  }
}

/** The stream has nothing at or after a sequence. */
class NotThereError extends Error {}
