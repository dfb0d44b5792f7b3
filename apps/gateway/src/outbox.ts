import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'

/**
 * A client's way out: whole frames, written straight to its socket beside `ws`. The queue is the socket's own,
 * bounded in bytes. That keeps the order with the frames that `ws` writes, since no compression is agreed.
 */
export type Outbox = Readonly<{
  /** Queues `frames`; false, and nothing queued, when the client has left too much unread or is closing. */
  write(frames: Buffer): boolean
  /** Queues them whatever is unread already: for the last frames of a connection. */
  writeLast(frames: Buffer): void
  /** Bytes not taken by the client's side yet. */
  queuedBytes(): number
}>

/** The outbox of one open websocket over `socket`. */
export function createOutbox(ws: WebSocket, socket: Duplex, maxBytes: number): Outbox {
  return new SocketOutbox(ws, socket, maxBytes)
}

/** A class, since `write` is called for every client and window: its fields are one look away, a closure's are three. */
class SocketOutbox implements Outbox {
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #maxBytes: number

  constructor(ws: WebSocket, socket: Duplex, maxBytes: number) {
    this.#ws = ws
    this.#socket = socket
    this.#maxBytes = maxBytes
  }

  write(frames: Buffer): boolean {
    if (this.#ws.readyState !== WebSocket.OPEN || this.#socket.writableLength > this.#maxBytes) return false
    this.#socket.write(frames)
    return true
  }

  writeLast(frames: Buffer): void {
    // After the close frame any byte is a protocol fault (RFC 6455 section 5.5.1).
    if (this.#ws.readyState === WebSocket.OPEN) this.#socket.write(frames)
  }

  queuedBytes(): number {
    return this.#socket.writableLength
  }
}
