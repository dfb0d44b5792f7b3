import type { Clock } from './clock.ts'
import { type OpenSocketOf, openSocket, type WebSocketClass } from './socket.ts'

/** What the SDK takes from its runtime. */
export type Platform = Readonly<{
  clock: Clock
  /** At least 0, below 1. */
  random(): number
  /** The runtime's class; undefined if it has none. */
  findWebSocket(): Promise<WebSocketClass | undefined>
  openSocket: OpenSocketOf
  /** Calls back each time the machine comes back online. @returns the function that removes the listener */
  onOnline(callback: () => void): () => void
}>

type EventListening = (type: string, listener: () => void) => void

/** Parts that every runtime has. Timers keep the process alive, since they belong to a stream that is read. */
export const platform: Platform = {
  clock: {
    elapsed: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  },
  random: Math.random,
  findWebSocket: async () => (globalThis as { WebSocket?: WebSocketClass }).WebSocket,
  openSocket,
  onOnline(callback) {
    // Browsers and workers have it; Node's global object takes no listeners.
    const target = globalThis as { addEventListener?: EventListening; removeEventListener?: EventListening }
    target.addEventListener?.('online', callback)
    return () => target.removeEventListener?.('online', callback)
  },
}
