/** Whole frames on their way to clients, and the memory they hold. */
export type Held = {
  readonly bytes: Buffer
  /** Bytes of memory that live while anything holds the frames. */
  readonly size: number
  /** Number of outboxes that hold them. Changed only by their budget. */
  holders: number
}

/** Overhead of the objects around a buffer, in bytes. */
const OBJECTS_BYTES = 400

/** Frames as written. While shared or held, their bytes never change. */
export class Frames implements Held {
  readonly bytes: Buffer
  /** Whether several clients get these frames: a slow client then keeps them without a copy. */
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
   * These frames in memory of their own, made once. Node allocates small buffers from slabs, each of which stays alive
   * with any of its pieces.
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

/** Frames for one client, copied together: thousands of small buffers would take many times their size. */
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

  /** Copies the bytes; false when there is no room. */
  take(bytes: Buffer): boolean {
    if (this.#used + bytes.length > this.#buffer.length) return false
    bytes.copy(this.#buffer, this.#used)
    this.#used += bytes.length
    return true
  }
}

/**
 * Makes a text frame as a server sends it: final, unmasked, whole.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
export function frameText(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headerBytes(length) + length)
  frame.write(text, writeHeader(frame, 0, length))
  return frame
}

/** Returns the header size of a text frame with this payload size. */
export function headerBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10
}

/** Writes the header. @returns the offset of the payload */
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

/** Makes the answer to a ping: a control frame, whose payload is at most 125 bytes. */
export function framePong(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x8a, payload.length), payload])
}
