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
  return {
    write(frames) {
      if (ws.readyState !== WebSocket.OPEN || socket.writableLength > maxBytes) return false
      socket.write(frames)
      return true
    },
    writeLast(frames) {
      // After the close frame any byte is a protocol fault (RFC 6455 section 5.5.1).
      if (ws.readyState === WebSocket.OPEN) socket.write(frames)
    },
    queuedBytes: () => socket.writableLength,
  }
}
