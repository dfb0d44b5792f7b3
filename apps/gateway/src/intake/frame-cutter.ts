/**
 * Finds where the frames of a client end in its bytes, and what it costs to read each. What is in them is left to
 * `ws`, which also refuses those that break the protocol.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
export class FrameCutter {
  readonly #frameCost: number
  readonly #header = new DataView(new ArrayBuffer(HEADER_MAX_BYTES))
  /** Bytes of the header that are there, and that it has as far as known. */
  #filled = 0
  #headerBytes = 2
  /** Bytes of the payload that are still to come. */
  #payloadLeft = 0
  /** Bytes of the message in the fragments up to now. */
  #messageBytes = 0
  /**
   * What reading the piece costs that `advance` found last, in bytes. Frames are read at their end and messages with
   * their last fragment, so this is where they cost; the pieces before cost nothing.
   */
  cost = 0
  /** Whether the client's close frame has ended. Nothing that comes after it is read. */
  isClosed = false

  /** @param frameCost what a frame costs whatever is in it, in bytes */
  constructor(frameCost: number) {
    this.#frameCost = frameCost
  }

  /** Goes on from the offset `from` to the end of the frame, or of `chunk` when that comes first. */
  advance(chunk: Uint8Array, from: number): number {
    this.cost = 0
    let at = from
    while (this.#filled < this.#headerBytes) {
      if (at === chunk.length) return at
      this.#header.setUint8(this.#filled++, chunk[at++]!)
      if (this.#filled === 2) this.#headerBytes = this.#readHeaderBytes()
      if (this.#filled === this.#headerBytes) this.#payloadLeft = this.#readPayloadBytes()
    }

    const taken = Math.min(this.#payloadLeft, chunk.length - at)
    this.#payloadLeft -= taken
    if (this.#payloadLeft === 0) this.#endFrame()
    return at + taken
  }

  #readHeaderBytes(): number {
    const second = this.#header.getUint8(1)
    const length = second & 0x7f
    return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + (second & 0x80 ? 4 : 0)
  }

  #readPayloadBytes(): number {
    const length = this.#header.getUint8(1) & 0x7f
    if (length === 126) return this.#header.getUint16(2)
    if (length === 127) return this.#header.getUint32(2) * 2 ** 32 + this.#header.getUint32(6)
    return length
  }

  #endFrame(): void {
    const first = this.#header.getUint8(0)
    const opcode = first & 0x0f
    const isControl = opcode >= 0x08
    if (opcode === 0x08) this.isClosed = true
    if (!isControl) this.#messageBytes += this.#readPayloadBytes()
    this.cost = this.#frameCost
    if (!isControl && (first & 0x80) !== 0) {
      this.cost += this.#messageBytes
      this.#messageBytes = 0
    }
    this.#filled = 0
    this.#headerBytes = 2
  }
}

/** Two bytes, eight of a long length, four of the mask. */
const HEADER_MAX_BYTES = 14
