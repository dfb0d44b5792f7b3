import type { ControlMessage, EarlyMessage, StreamEvent } from '@pairwire/contract'
import { type Bus, CursorTooOldError, type InTurn } from './bus.ts'
import { createEventRing, lastCursorOf } from './event-ring.ts'
import type { EventStore } from './event-store.ts'
import { gapBetween } from './gap-between.ts'
import { createInProcessRequests } from './in-process-requests.ts'
import { callAll, register } from './listeners.ts'

/** Limits of an in-process bus. */
type InProcessBusOptions = Readonly<{
  /** About the heap for the events held for replay, in bytes. */
  maxBytes: number
  /** Keeps what memory does not; without it events end with the process. The bus closes it. */
  store?: EventStore
}>

/**
 * A bus within one process. Listeners are called in order before `publish` resolves; if one throws, the others are
 * still called, and `publish` rejects with its error. The newest events are replayed from memory, older ones from the
 * store.
 *
 *     store:  [ oldest … ]
 *     memory:          [ … newest ]
 */
export function createInProcessBus({ maxBytes, store }: InProcessBusOptions): Bus {
  const newRing = () =>
    createEventRing({
      ...{ maxBytes, lastCursor: store?.newestCursor() },
      mayDrop: (cursor) => !store?.isWaiting(cursor),
    })
  let ring = newRing()
  const eventListeners = new Set<(events: readonly StreamEvent[]) => void>()
  const earlyListeners = new Set<(message: EarlyMessage) => void>()
  const controlListeners = new Set<(message: ControlMessage) => void>()
  const requests = createInProcessRequests()
  let closed = false

  const assertOpen = () => {
    if (closed) throw new Error('The bus is closed.')
  }

  const oldestCursor = async () => (await store?.oldestCursor()) ?? ring.oldestCursor()

  /** Returns some events after `cursor`, or a gap; none at the newest. */
  const after = async (cursor: string, inTurn?: InTurn): Promise<readonly StreamEvent[]> => {
    if (ring.reachesBackTo(cursor)) return ring.after(cursor)
    // Read now: events that leave memory meanwhile are on disk.
    const lost = ring.lost()
    const kept = store ? await store.after(cursor, inTurn) : 'tooOld'
    if (kept === 'tooOld') throw new CursorTooOldError(await oldestCursor())
    if (kept !== 'end') return kept
    // Dropped before the disk took it.
    return lost !== undefined && cursor < lost ? [gapBetween(cursor, lost)] : ring.after(cursor)
  }

  return {
    async publish(events) {
      assertOpen()
      if (events.length === 0) return

      const pieces = ring.push(events)
      void store?.keep(pieces).then(() => ring.makeRoom())
      callAll(eventListeners, events)
    },

    subscribe: (listener) => register(eventListeners, listener),

    async *replay(cursor, inTurn) {
      let from = cursor
      while (!closed) {
        const batch = await after(from, inTurn)
        if (batch.length === 0) return

        yield batch
        from = lastCursorOf(batch)
      }
    },

    holds: async (cursor) => ring.reachesBackTo(cursor) || ((await store?.holds(cursor)) ?? false),

    oldestCursor,

    async newestCursor() {
      return ring.newestCursor()
    },

    async startOver() {
      await store?.clear()
      ring = newRing()
    },

    publishEarly: (message) => callAll(earlyListeners, message),

    wantsEarly: () => earlyListeners.size > 0,

    onEarly: (listener) => register(earlyListeners, listener),

    async sendControl(message) {
      assertOpen()
      callAll(controlListeners, message)
    },

    onControl: (listener) => register(controlListeners, listener),

    async request(subject, body, timeoutMs) {
      assertOpen()
      return requests.request(subject, body, timeoutMs)
    },

    requestAll: requests.requestAll,
    answer: requests.answer,

    async close() {
      closed = true
      eventListeners.clear()
      earlyListeners.clear()
      controlListeners.clear()
      requests.close()
      await store?.close()
      ring = newRing()
    },
  }
}
