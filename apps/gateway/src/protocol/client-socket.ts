import { WebSocket } from 'ws'

/**
 * The `ws` socket of a client. `ws` closes by itself when it cannot read a frame (too big, not UTF-8, malformed);
 * here its owner is told first, and closes in its own words. It also answers a client's close at once; the owner
 * is told, since nothing may follow.
 */
export class ClientSocket extends WebSocket {
  /** Called with the close code for a frame that could not be read. */
  onUnreadable: ((code: number) => void) | undefined
  /** Called when the client says goodbye, before that is answered. */
  onClientClose: (() => void) | undefined

  /** Closes in our own words. */
  hangUp(code: number, sentence: string): void {
    super.close(code, sentence)
  }

  /** As `ws` calls it. */
  override close(code?: number, reason?: string | Buffer): void {
    // Only for a frame that it cannot read does it give a code without a reason while the connection is open.
    const unreadable = code !== undefined && reason === undefined && this.readyState === WebSocket.OPEN
    if (unreadable && this.onUnreadable) {
      this.onUnreadable(code)
      return
    }
    if (this.readyState === WebSocket.OPEN) this.onClientClose?.()
    super.close(code, reason)
  }
}
