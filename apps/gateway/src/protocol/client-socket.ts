import { WebSocket } from 'ws'
import type { Line, LineOwner } from './line.ts'

/** The code for a socket that closed without a close frame (RFC 6455 section 7.1.5). */
const NO_CLOSE_FRAME = 1006

/**
 * The `ws` socket of a client. `ws` closes by itself when it cannot read a frame (too big, not UTF-8, malformed); here
 * the owner is called first, and closes with its own sentence. `ws` also answers a client's close at once; the owner is
 * called, since nothing may follow.
 */
export class ClientSocket extends WebSocket implements Line {
  #owner: LineOwner | undefined

  attend(owner: LineOwner): void {
    this.#owner = owner
    this.on('message', (data: Buffer, isBinary: boolean) => owner.onFrame(data, isBinary))
    this.on('ping', (data: Buffer) => owner.onPing(data))
    this.on('pong', () => owner.onPong())
    this.on('error', () => owner.onBroken())
    this.on('close', (code) => owner.onGone(code === NO_CLOSE_FRAME ? 'lost' : 'client'))
  }

  isOpen(): boolean {
    return this.readyState === WebSocket.OPEN
  }

  /** Closes with our own sentence. */
  hangUp(code: number, sentence: string): void {
    super.close(code, sentence)
  }

  /** Called by `ws`. */
  override close(code?: number, reason?: string | Buffer): void {
    // `ws` gives a code without a reason on an open connection only for a frame that it cannot read.
    const unreadable = code !== undefined && reason === undefined && this.isOpen()
    if (unreadable && this.#owner) {
      this.#owner.onUnreadable(code)
      return
    }
    if (this.isOpen()) this.#owner?.onGoodbye()
    super.close(code, reason)
  }
}
