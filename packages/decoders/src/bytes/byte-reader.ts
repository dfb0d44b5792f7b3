/** The bytes end before the layout does, or contain what the layout forbids. */
export class TruncatedError extends RangeError {
  constructor(message = 'The bytes end before their layout does.') {
    super(message)
    this.name = 'TruncatedError'
  }
}

/**
 * Reads little-endian borsh fields one after the other. Keys and byte strings are views into the same memory. Every
 * read throws {@link TruncatedError} at the end of the bytes.
 *
 * @see https://borsh.io
 */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  /** Whether every byte was read, which shows an event of an older, shorter version. */
  get ended(): boolean {
    return this.#at >= this.#bytes.length
  }

  skip(count: number): void {
    this.#take(count)
  }

  u8(): number {
    return this.#bytes[this.#take(1)]!
  }

  /** @throws TruncatedError also for any byte except 0 and 1, which borsh forbids. */
  bool(): boolean {
    const value = this.u8()
    if (value > 1) throw new TruncatedError('A flag is neither 0 nor 1.')
    return value === 1
  }

  u16(): number {
    const at = this.#take(2)
    return this.#bytes[at]! | (this.#bytes[at + 1]! << 8)
  }

  u32(): number {
    return readU32(this.#bytes, this.#take(4))
  }

  u64(): bigint {
    return readU64(this.#bytes, this.#take(8))
  }

  /** Two's complement over 16 bytes. */
  i128(): bigint {
    const at = this.#take(16)
    const low = readU64(this.#bytes, at)
    const high = readU64(this.#bytes, at + 8)
    return high === 0n ? low : low | (BigInt.asIntN(64, high) << 64n)
  }

  /** The 32 bytes of an account's key. */
  key(): Uint8Array {
    const at = this.#take(32)
    return this.#bytes.subarray(at, at + 32)
  }

  /** Reads a string with a length prefix; cuts off zero padding at the end, as Metaplex stores it. */
  string(): string {
    const length = this.u32()
    const at = this.#take(length)
    let end = at + length
    while (end > at && this.#bytes[end - 1] === 0) end--
    return UTF8.decode(this.#bytes.subarray(at, end))
  }

  #take(count: number): number {
    const at = this.#at
    if (count > this.#bytes.length - at) throw new TruncatedError()
    this.#at = at + count
    return at
  }
}

/** Reads the u64 at `at`, which must be within `bytes`. */
export function readU64(bytes: Uint8Array, at: number): bigint {
  const low = readU32(bytes, at)
  const high = readU32(bytes, at + 4)
  // Below 2^53 one conversion is enough.
  return high < 0x200000 ? BigInt(high * 4294967296 + low) : (BigInt(high) << 32n) | BigInt(low)
}

/** Reads the u32 at `at`, which must be within `bytes`. */
export function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

/** Replaces invalid UTF-8 in untrusted bytes. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
