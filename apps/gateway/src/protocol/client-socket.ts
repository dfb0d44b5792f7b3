import { WebSocket } from 'ws'

/**
 * The `ws` socket of a client. `ws` closes by itself when it cannot read a frame (too big, not UTF-8, malformed); here
 * the owner is called first, and closes with its own sentence. `ws` also answers a client's close at once; the owner is
 * called, since nothing may follow.
 */
export class ClientSocket extends WebSocket {
  /** Called with the close code for a frame that could not be read. */
  onUnreadable: ((code: number) => void) | undefined
  /** Called when the client closes, before the close is answered. */
  onClientClose: (() => void) | undefined

  /** Closes with our own sentence. */
  hangUp(code: number, sentence: string): void {
    super.close(code, sentence)
  }

  /** Called by `ws`. */
  override close(code?: number, reason?: string | Buffer): void {
    // `ws` gives a code without a reason on an open connection only for a frame that it cannot read.
    const unreadable = code !== undefined && reason === undefined && this.readyState === WebSocket.OPEN
    if (unreadable && this.onUnreadable) {
      this.onUnreadable(code)
      return
    }
    if (this.readyState === WebSocket.OPEN) this.onClientClose?.()
    super.close(code, reason)
  }
}
