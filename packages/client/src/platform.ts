/** The SDK's clock. */
export type Clock = Readonly<{
  /** Milliseconds since some fixed moment; never steps back. */
  elapsed(): number
  /** Calls `callback` once after `ms`, unless the returned function is called first. */
  after(ms: number, callback: () => void): () => void
}>

/** A websocket class: a browser's, Node's global one, or that of the `ws` package. */
// biome-ignore lint/suspicious/noExplicitAny: runtimes type its constructor differently
export type WebSocketClass = new (...args: any[]) => object

/** What the SDK takes from its runtime. */
export type Platform = Readonly<{
  clock: Clock
  /** At least 0, below 1. */
  random(): number
  /** The runtime's class; undefined if it has none. */
  findWebSocket(): Promise<WebSocketClass | undefined>
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
  findWebSocket: async () => globalWebSocket(),
  onOnline(callback) {
    // Browsers and workers have it; Node's global object takes no listeners.
    const target = globalThis as { addEventListener?: EventListening; removeEventListener?: EventListening }
    target.addEventListener?.('online', callback)
    return () => target.removeEventListener?.('online', callback)
  },
}

function globalWebSocket(): WebSocketClass | undefined {
  const found: unknown = Reflect.get(globalThis, 'WebSocket')
  // The platform's own class, in every runtime that has one.
  return typeof found === 'function' ? (found as WebSocketClass) : undefined
}
