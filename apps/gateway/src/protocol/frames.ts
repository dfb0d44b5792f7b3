/** Whole frames on their way to clients, and the memory behind them. */
export type Held = {
  readonly bytes: Buffer
  /** Bytes of memory that live as long as anyone holds them. */
  readonly size: number
  /** Outboxes that hold them. Counted by their budget only. */
  holders: number
}

/** Bytes of the objects around a buffer. */
const OBJECTS_BYTES = 400

/** Frames as they are written. Shared or held, their bytes are never changed again. */
export class Frames implements Held {
  readonly bytes: Buffer
  /** Whether several clients get these same ones: then who falls behind keeps them, and not a copy. */
  readonly isShared: boolean
  holders = 0
  #kept: Frames | undefined

  constructor(bytes: Buffer, isShared = false) {
    this.bytes = bytes
    this.isShared = isShared
  }

  get size(): number {
    return this.bytes.buffer.byteLength + OBJECTS_BYTES
  }

  /**
   * These frames in memory of their own, the same for all who ask. Node cuts small buffers out of slabs, which live
   * on with each of their pieces.
   */
  get kept(): Frames {
    if (this.bytes.buffer.byteLength === this.bytes.length) return this
    if (!this.#kept) {
      const bytes = Buffer.allocUnsafeSlow(this.bytes.length)
      this.bytes.copy(bytes)
      this.#kept = new Frames(bytes, this.isShared)
    }
    return this.#kept
  }
}

/** Frames for one client, copied together: thousands of small buffers would take many times their bytes. */
export class Block implements Held {
  readonly #buffer: Buffer
  #used = 0
  holders = 0

  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafeSlow(capacity)
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#used)
  }

  get size(): number {
    return this.#buffer.length + OBJECTS_BYTES
  }

  /** False when there is no room for them. */
  take(bytes: Buffer): boolean {
    if (this.#used + bytes.length > this.#buffer.length) return false
    bytes.copy(this.#buffer, this.#used)
    this.#used += bytes.length
    return true
  }
}

/**
 * A text frame as a server sends it: final, unmasked, whole.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
export function frameText(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headerBytes(length) + length)
  frame.write(text, writeHeader(frame, 0, length))
  return frame
}

/** Bytes of the header of a text frame whose payload has so many. */
export function headerBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10
}

/** Writes such a header. @returns where the payload begins */
export function writeHeader(bytes: Buffer, at: number, payloadBytes: number): number {
  bytes[at] = 0x81
  if (payloadBytes < 126) bytes[at + 1] = payloadBytes
  else if (payloadBytes < 65_536) {
    bytes[at + 1] = 126
    bytes.writeUInt16BE(payloadBytes, at + 2)
  } else {
    bytes[at + 1] = 127
    bytes.writeBigUInt64BE(BigInt(payloadBytes), at + 2)
  }
  return at + headerBytes(payloadBytes)
}

/** The answer to a ping: a control frame, whose payload is never longer than 125 bytes. */
export function framePong(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x8a, payload.length), payload])
}
