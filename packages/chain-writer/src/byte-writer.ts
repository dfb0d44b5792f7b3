/**
 * Writes little-endian borsh into a growing buffer: the reverse of reading a program's bytes. Only tests and the
 * simulator write; no decoder does.
 */
export class ByteWriter {
  /** From Node's pool if small, which spares the garbage collector in a market of thousands of trades a second. */
  #bytes: Buffer
  #length = 0

  /** `capacity` in bytes is only initial; the buffer doubles when it is too small. */
  constructor(capacity = 512) {
    this.#bytes = Buffer.allocUnsafe(capacity)
  }

  /** Returns what was written so far, as a view that later writes may leave behind. */
  finish(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#length)
  }

  /** Writes bytes unchanged, one after the other: discriminators, addresses, other layouts. */
  bytes(...parts: readonly Uint8Array[]): this {
    for (const bytes of parts) {
      const at = this.#grow(bytes.length)
      this.#bytes.set(bytes, at)
    }
    return this
  }

  /** Fields that nothing reads, and flags that are not set. */
  zeros(count: number): this {
    const at = this.#grow(count)
    this.#bytes.fill(0, at, at + count)
    return this
  }

  u8(value: number): this {
    const at = this.#grow(1) // first, since growing replaces the bytes
    this.#bytes[at] = value
    return this
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0)
  }

  u16(value: number): this {
    const at = this.#grow(2)
    this.#bytes.writeUInt16LE(value, at)
    return this
  }

  u32(value: number): this {
    const at = this.#grow(4)
    this.#bytes.writeUInt32LE(value, at)
    return this
  }

  /** @throws RangeError when the value does not fit, since a wrapped amount would be made up. */
  u64(...values: readonly bigint[]): this {
    for (const value of values) {
      if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new RangeError(`${value} does not fit 64 bits`)
      const at = this.#grow(8)
      this.#bytes.writeBigUInt64LE(value, at)
    }
    return this
  }

  i64(value: bigint): this {
    const at = this.#grow(8)
    this.#bytes.writeBigInt64LE(value, at)
    return this
  }

  /** Two's complement over 16 bytes; `value` fits 64 bits, as every amount here does. */
  i128(value: bigint): this {
    return this.i64(value).i64(value < 0n ? -1n : 0n)
  }

  /** Writes borsh strings, each with its size in bytes as u32 and then UTF-8. */
  string(...texts: readonly string[]): this {
    for (const text of texts) {
      const bytes = TEXT_ENCODER.encode(text)
      this.u32(bytes.length).bytes(bytes)
    }
    return this
  }

  #grow(size: number): number {
    const at = this.#length
    this.#length = at + size
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length))
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    return at
  }
}

const TEXT_ENCODER = new TextEncoder()
