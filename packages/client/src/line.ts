import { readObject } from '@pairwire/basics/json'

/**
 * The bare line: one websocket and nothing more. It sends texts unchanged, passes on what arrives as it came, and stays
 * closed until `open` is called again.
 *
 *     idle --open--> connecting --opened--> open --close--> closing --closed--> idle
 *                        |                    |
 *                        +----failed, closed--+--closed (the other side)-----> idle
 */
export type Line = Readonly<{
  /** Connects with the key as `?key=`. @throws Error when this line is not idle, or `url` is no address. */
  open(url: string, key: string): void
  /** Sends one text frame, byte for byte. @returns false when the line is not open; nothing is kept for later. */
  send(text: string): boolean
  /** Hangs up. `closed` follows, at the latest after {@link CLOSE_LIMIT_MS}. Harmless when idle. */
  close(): void
  /** Adds a listener. @returns the function that removes it. */
  subscribe(listener: LineListener): () => void
  readonly state: LineState
}>

/** The state of a {@link Line}. */
export type LineState = 'idle' | 'connecting' | 'open' | 'closing'

/** Calls that a line makes. Every member is optional; `failed` is always followed by `closed`. */
export type LineListener = Readonly<{
  opened?(): void
  /** The text of one frame, as it came. */
  text?(text: string): void
  /** The same frame, parsed. Frames that are no JSON object come only as `text`. */
  frame?(frame: Readonly<Record<string, unknown>>, text: string): void
  /** The socket could not be opened, or broke. Browsers give no reason. */
  failed?(): void
  closed?(closing: Closing): void
}>

/** How a line ended. */
export type Closing = Readonly<{
  /** RFC 6455 close code; 1006 when the connection ended without one. */
  code: number
  /** The other side's reason; empty when it gave none. */
  reason: string
}>

/** What a line needs from a websocket class: the browser's, Node's global one (22 and newer) or that of `ws`. */
export type WebSocketConstructor = new (
  url: string,
) => {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(text: string): void
  close(code?: number): void
}

/** Options of {@link createLine}. */
export type LineOptions = Readonly<{
  /** Websocket class; required on Node 20, which has none. */
  WebSocket?: WebSocketConstructor | undefined
  /** Milliseconds before an attempt to connect is given up. */
  openLimitMs?: number | undefined
}>

/** Milliseconds that the other side has to answer a close; after that the line counts as closed. */
const CLOSE_LIMIT_MS = 2_000

/** Default milliseconds before an attempt to connect is given up, as for the product's other calls. */
const OPEN_LIMIT_MS = 10_000

/** Close code of a connection that ended without a close frame (RFC 6455, section 7.4.1). */
const ABNORMAL = 1006

/**
 * Makes an idle line. It never reconnects by itself.
 *
 * @example
 * const line = createLine({ WebSocket })
 * line.subscribe({ opened: () => line.send('{"method":"newPairSubscribe"}'), text: console.log })
 * line.open('ws://localhost:8080/', process.env.PAIRWIRE_KEY)
 *
 * @throws Error when no websocket class is given and the runtime has none.
 */
export function createLine(options: LineOptions = {}): Line {
  const Socket = options.WebSocket ?? globalWebSocket()
  const openLimitMs = options.openLimitMs ?? OPEN_LIMIT_MS
  const listeners = new Set<LineListener>()
  let state: LineState = 'idle'
  let socket: InstanceType<WebSocketConstructor> | undefined
  let limit: ReturnType<typeof setTimeout> | undefined

  return {
    get state() {
      return state
    },
    open(url, key) {
      if (state !== 'idle') throw new Error('This line is already open. Close it first.')
      const opening = new Socket(addressWithKey(url, key))
      socket = opening
      state = 'connecting'
      limit = setTimeout(giveUp, openLimitMs, opening)
      opening.onopen = () => {
        if (opening !== socket || state !== 'connecting') return
        clearTimeout(limit)
        state = 'open'
        for (const listener of listeners) listener.opened?.()
      }
      opening.onmessage = (event: { data: unknown }) => {
        if (opening === socket && typeof event.data === 'string') hear(event.data)
      }
      opening.onerror = () => {
        if (opening !== socket || state === 'closing') return
        for (const listener of listeners) listener.failed?.()
      }
      opening.onclose = (event: { code?: number; reason?: unknown } | undefined) =>
        end(opening, { code: event?.code ?? ABNORMAL, reason: String(event?.reason ?? '') })
    },
    send(text) {
      if (state !== 'open' || !socket) return false
      socket.send(text)
      return true
    },
    close() {
      if (!socket || state === 'closing') return
      state = 'closing'
      clearTimeout(limit)
      limit = setTimeout(end, CLOSE_LIMIT_MS, socket, { code: ABNORMAL, reason: '' })
      socket.close(1000)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }

  function hear(text: string) {
    let frame: Readonly<Record<string, unknown>> | undefined
    for (const listener of listeners) {
      listener.text?.(text)
      if (listener.frame) frame ??= readObject(text)
      if (frame) listener.frame?.(frame, text)
    }
  }

  function giveUp(late: InstanceType<WebSocketConstructor>) {
    for (const listener of listeners) listener.failed?.()
    end(late, { code: ABNORMAL, reason: 'No answer in time.' })
    late.close()
  }

  function end(ended: InstanceType<WebSocketConstructor>, closing: Closing) {
    if (ended !== socket) return
    clearTimeout(limit)
    socket = undefined
    state = 'idle'
    for (const listener of listeners) listener.closed?.(closing)
  }
}

function globalWebSocket(): WebSocketConstructor {
  const found: unknown = Reflect.get(globalThis, 'WebSocket')
  if (typeof found !== 'function') {
    throw new Error('This runtime has no WebSocket. Pass one: createLine({ WebSocket }).')
  }
  // The platform's own class has the members named above.
  return found as WebSocketConstructor
}

function addressWithKey(url: string, key: string): string {
  const address = new URL(url)
  address.searchParams.set('key', key)
  return address.href
}
