import type { ControlMessage, StreamEvent } from '@pairwire/contract'
import type { Bus } from './bus.ts'
import { createEventRing } from './event-ring.ts'

/** Events handed over in one step of a replay, so that a long one never holds the thread for long. */
const REPLAY_BATCH = 256

/** How much an in-process bus keeps. */
export type InProcessBusOptions = Readonly<{
  /** About the heap that the events held for replay may take, in bytes. */
  maxBytes: number
}>

/**
 * A bus within one process. Listeners are called before `publish` resolves, in the order in which they came; one
 * that throws keeps the others from nothing, and `publish` rejects with its error. After a restart it knows no
 * event from before, and says so by `CursorTooOldError`.
 */
export function createInProcessBus({ maxBytes }: InProcessBusOptions): Bus {
  const ring = createEventRing(maxBytes)
  const eventListeners = new Set<(events: readonly StreamEvent[]) => void>()
  const controlListeners = new Set<(message: ControlMessage) => void>()
  let closed = false

  const assertOpen = () => {
    if (closed) throw new Error('The bus is closed.')
  }

  return {
    async publish(events) {
      assertOpen()
      if (events.length === 0) return

      ring.push(events)
      callAll(eventListeners, events)
    },

    subscribe: (listener) => register(eventListeners, listener),

    async *replay(cursor) {
      let from = cursor
      while (!closed) {
        const batch = ring.after(from, REPLAY_BATCH)
        const last = batch.at(-1)
        if (!last) return

        yield batch
        from = last.cursor
      }
    },

    async oldestCursor() {
      return ring.oldestCursor()
    },

    async sendControl(message) {
      assertOpen()
      callAll(controlListeners, message)
    },

    onControl: (listener) => register(controlListeners, listener),

    async close() {
      closed = true
      eventListeners.clear()
      controlListeners.clear()
      ring.clear()
    },
  }
}

function register<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Calls every listener with `value`. @throws the first error that one threw, after all were called. */
function callAll<Value>(listeners: ReadonlySet<(value: Value) => void>, value: Value): void {
  const errors: unknown[] = []
  for (const listener of [...listeners]) {
    try {
      listener(value)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
