/** What carries a connection's frames: a websocket, or the body of an answer. */
export type Line = {
  /** Whether frames may be written. */
  isOpen(): boolean
  /** Asks the client for a sign of life. */
  ping(): void
  /** Ends it once all that was written is taken; says why, if the transport has a place for that. */
  hangUp(code: number, sentence: string): void
  /** Cuts it. */
  terminate(): void
  /** Sets its owner, which is told what comes from the client, and how the line ends. */
  attend(owner: LineOwner): void
}

/** The connection that a line belongs to. */
export type LineOwner = Readonly<{
  onFrame(data: Buffer, isBinary: boolean): void
  onPing(data: Buffer): void
  onPong(): void
  /** The socket is broken, or a frame; it closes in either case. */
  onBroken(): void
  /** A frame could not be read, with the close code for it. */
  onUnreadable(code: number): void
  /** The client closes: nothing may be sent any more. */
  onGoodbye(): void
  /** It is closed: by the client, or because it was lost. */
  onGone(how: 'client' | 'lost'): void
}>
