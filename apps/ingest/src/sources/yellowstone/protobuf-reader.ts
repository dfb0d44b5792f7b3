/** Bytes that are no protobuf message, or end before it does. */
export class MalformedMessageError extends Error {
  constructor(what: string) {
    super(`The message ${what}.`)
    this.name = 'MalformedMessageError'
  }
}

/** The wire types of a field. */
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/**
 * Reads the fields of one protobuf message between two offsets of a buffer, without copying. The caller moves to the
 * next field, then reads its value or skips it; unknown fields are skipped, as newer servers add some.
 *
 * @example
 * const fields = new ProtobufReader(bytes)
 * while (fields.next()) {
 *   if (fields.number === 2) slot = fields.varint()
 *   else fields.skip()
 * }
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class ProtobufReader {
  readonly bytes: Buffer
  /** Number and wire type of the field that {@link next} found. */
  number = 0
  #wire = 0
  #at: number
  #end: number

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** Moves to a message elsewhere in the same bytes; the caller knows that it exists. */
  moveTo(start: number, end: number): void {
    this.#at = start
    this.#end = end
  }

  /** Moves to the next field. @returns false at the end of the message */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const tag = this.#varint()
    if (tag > MAX_TAG) throw new MalformedMessageError('has a field of a number that there is not')
    this.number = tag >>> 3
    this.#wire = tag & 7
    if (this.number === 0) throw new MalformedMessageError('has a field without a number')
    return true
  }

  /** Reads an unsigned integer; beyond 2^53 the nearest double. */
  varint(): number {
    if (this.#wire !== WIRE.varint) throw this.#otherType()
    return this.#varint()
  }

  /** Reads a signed 64-bit integer, as protobuf's int64. */
  int64(): number {
    const value = this.varint()
    return value >= TWO_63 ? value - TWO_64 : value
  }

  /** Returns a view of the field's bytes. */
  view(): Buffer {
    const start = this.open()
    return this.bytes.subarray(start, this.#at)
  }

  /** Reads the field's bytes as text. */
  text(): string {
    const start = this.open()
    return this.bytes.toString('utf8', start, this.#at)
  }

  /** Returns a reader of the message in this field. */
  message(): ProtobufReader {
    const start = this.open()
    return new ProtobufReader(this.bytes, start, this.#at)
  }

  /**
   * Enters the message in this field, so that {@link next} finds its fields until the last. @returns what {@link leave}
   * needs
   */
  enter(): number {
    const start = this.open()
    const outerEnd = this.#end
    this.#end = this.#at
    this.#at = start
    return outerEnd
  }

  /** Returns to the position after the field that {@link enter} entered. */
  leave(outerEnd: number): void {
    this.#at = this.#end
    this.#end = outerEnd
  }

  /** Skips the field's bytes. @returns their offset; {@link at} is then their end */
  open(): number {
    if (this.#wire !== WIRE.bytes) throw this.#otherType()
    const length = this.#varint()
    const start = this.#at
    if (length > this.#end - start) throw new MalformedMessageError('ends in the middle of a field')
    this.#at = start + length
    return start
  }

  /** Offset of the next field. */
  get at(): number {
    return this.#at
  }

  /** Skips a field of any type. */
  skip(): void {
    switch (this.#wire) {
      case WIRE.varint:
        this.#varint()
        return
      case WIRE.bytes:
        this.open()
        return
      case WIRE.fixed64:
        this.#step(8)
        return
      case WIRE.fixed32:
        this.#step(4)
        return
      default:
        throw new MalformedMessageError('has a field of a type that there is not')
    }
  }

  #step(count: number): void {
    if (count > this.#end - this.#at) throw new MalformedMessageError('ends in the middle of a field')
    this.#at += count
  }

  #varint(): number {
    const { bytes } = this
    const end = this.#end
    let at = this.#at
    if (at < end) {
      const first = bytes[at]!
      if (first < 0x80) {
        this.#at = at + 1
        return first
      }
    }
    let value = 0
    let scale = 1
    for (let count = 0; count < MAX_VARINT_BYTES && at < end; count++) {
      const byte = bytes[at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.#at = at
        return value
      }
      scale *= 128
    }
    throw new MalformedMessageError('holds a number that does not end')
  }

  #otherType(): MalformedMessageError {
    return new MalformedMessageError(`has a field ${this.number} of another type than it should be`)
  }
}

/** A field's number has 29 bits, its wire type three. */
const MAX_TAG = 2 ** 32 - 1
/** A 64-bit number in groups of seven bits. */
const MAX_VARINT_BYTES = 10
const TWO_63 = 2 ** 63
const TWO_64 = 2 ** 64

/** Capacity beyond which the memory is released: few transactions of the chain need a tenth of it. */
const KEPT = 4_096

/** A list of numbers that keeps its memory when emptied: regrowing an array leaves four times its size as garbage. */
export class PlaceList {
  #places: number[] = []
  #count = 0

  get length(): number {
    return this.#count
  }

  /** Returns the number at `index`, which must exist. */
  at(index: number): number {
    return this.#places[index]!
  }

  push(place: number): void {
    this.#places[this.#count++] = place
  }

  /** Replaces the number at `index`. */
  set(index: number, place: number): void {
    this.#places[index] = place
  }

  clear(): void {
    if (this.#count > KEPT) this.#places = []
    this.#count = 0
  }
}
