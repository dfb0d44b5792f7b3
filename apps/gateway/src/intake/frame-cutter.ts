/**
 * Finds where the frames of a client end in its bytes, and what each costs to read. `ws` reads their contents, and
 * refuses those that break the protocol.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
export class FrameCutter {
  readonly #frameCost: number
  readonly #header = new DataView(new ArrayBuffer(HEADER_MAX_BYTES))
  /** Bytes of the header received, and its length as far as known. */
  #filled = 0
  #headerBytes = 2
  /** Bytes of the payload still to come. */
  #payloadLeft = 0
  /** Bytes of the message in its fragments so far. */
  #messageBytes = 0
  /**
   * The cost in bytes of the piece that `advance` last found. A frame is read at its end and a message with its last
   * fragment, so the pieces before cost nothing.
   */
  cost = 0
  /** Whether the client's close frame has ended. Nothing after it is read. */
  isClosed = false

  /** @param frameCost fixed cost of a frame, in bytes */
  constructor(frameCost: number) {
    this.#frameCost = frameCost
  }

  /** Advances from the offset `from` to the end of the frame, or of `chunk` if that comes first. */
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
