import { WebSocket } from 'ws'

/**
 * The `ws` socket of a client. `ws` closes by itself when it cannot read a frame (too big, not UTF-8, malformed);
 * here its owner is told first, and closes in its own words.
 */
export class ClientSocket extends WebSocket {
  /** Called with the close code for a frame that could not be read. */
  onUnreadable: ((code: number) => void) | undefined

  override close(code?: number, reason?: string | Buffer): void {
    // Only for such a frame does `ws` give a code without a reason while the connection is open.
    const unreadable = code !== undefined && reason === undefined && this.readyState === WebSocket.OPEN
    if (unreadable && this.onUnreadable) this.onUnreadable(code)
    else super.close(code, reason)
  }
}
