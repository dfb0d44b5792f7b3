/** Time as the SDK sees it. */
export type Clock = Readonly<{
  /** Milliseconds since any fixed moment; never steps back. */
  elapsed(): number
  /** Calls `callback` once, `ms` from now, unless the returned function is called before. */
  after(ms: number, callback: () => void): () => void
}>

/** A websocket class: a browser's, Node's global one, or that of the `ws` package. */
// biome-ignore lint/suspicious/noExplicitAny: each runtime types its constructor in another way
export type WebSocketClass = new (...args: any[]) => object

/** What the SDK takes from the runtime it runs in. */
export type Platform = Readonly<{
  clock: Clock
  /** At least 0, below 1. */
  random(): number
  /** The class of this runtime; undefined where it has none. */
  findWebSocket(): Promise<WebSocketClass | undefined>
  /** Calls back each time that the machine has a network again. @returns the function that ends it */
  onOnline(callback: () => void): () => void
}>

type EventListening = (type: string, listener: () => void) => void

/** What every runtime has. What waits keeps the process alive: it belongs to a stream that is read. */
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
    // A browser and its workers; Node's global object takes no listeners.
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
