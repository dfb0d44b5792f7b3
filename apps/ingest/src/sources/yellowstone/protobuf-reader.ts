/** Bytes that are no protobuf message, or end before it does. */
export class MalformedMessageError extends Error {
  constructor(what: string) {
    super(`The message ${what}.`)
    this.name = 'MalformedMessageError'
  }
}

/** How a field's value is written. */
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/**
 * Reads the fields of one protobuf message between two places of a buffer, without copying. A caller asks for the next
 * field's tag, then reads its value or skips it; what it does not know it skips, as newer servers add fields.
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

  /** Goes to a message elsewhere in the same bytes, which the caller knows to be there. */
  moveTo(start: number, end: number): void {
    this.#at = start
    this.#end = end
  }

  /** Goes to the next field. @returns false at the end of the message */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const tag = this.#varint()
    if (tag > MAX_TAG) throw new MalformedMessageError('has a field of a number that there is not')
    this.number = tag >>> 3
    this.#wire = tag & 7
    if (this.number === 0) throw new MalformedMessageError('has a field without a number')
    return true
  }

  /** A whole number; beyond 2^53 the nearest one that a double holds. */
  varint(): number {
    if (this.#wire !== WIRE.varint) throw this.#otherType()
    return this.#varint()
  }

  /** A signed 64-bit number, as protobuf's int64 writes it. */
  int64(): number {
    const value = this.varint()
    return value >= TWO_63 ? value - TWO_64 : value
  }

  /** A view of the field's bytes. */
  view(): Buffer {
    const start = this.open()
    return this.bytes.subarray(start, this.#at)
  }

  /** The field's bytes as text. */
  text(): string {
    const start = this.open()
    return this.bytes.toString('utf8', start, this.#at)
  }

  /** A reader of the message that this field holds. */
  message(): ProtobufReader {
    const start = this.open()
    return new ProtobufReader(this.bytes, start, this.#at)
  }

  /**
   * Goes into the message that this field holds, so that {@link next} finds its fields, until it has found the last.
   * @returns what {@link leave} needs
   */
  enter(): number {
    const start = this.open()
    const outerEnd = this.#end
    this.#end = this.#at
    this.#at = start
    return outerEnd
  }

  /** Comes back behind the field that {@link enter} went into. */
  leave(outerEnd: number): void {
    this.#at = this.#end
    this.#end = outerEnd
  }

  /** Steps over the field's bytes. @returns where they begin; {@link at} is then where they end */
  open(): number {
    if (this.#wire !== WIRE.bytes) throw this.#otherType()
    const length = this.#varint()
    const start = this.#at
    if (length > this.#end - start) throw new MalformedMessageError('ends in the middle of a field')
    this.#at = start + length
    return start
  }

  /** Where the next field begins. */
  get at(): number {
    return this.#at
  }

  /** Steps over a field of any type. */
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

/** Places beyond which the room for them is not kept: few transactions of the chain have a tenth as many. */
const KEPT = 4_096

/** Numbers in a row. It keeps its room when it is emptied: an array that grows anew leaves four times its size behind. */
export class PlaceList {
  #places: number[] = []
  #count = 0

  get length(): number {
    return this.#count
  }

  /** The number at `index`, which the caller knows to be there. */
  at(index: number): number {
    return this.#places[index]!
  }

  push(place: number): void {
    this.#places[this.#count++] = place
  }

  /** Puts another number in the place of the one at `index`. */
  set(index: number, place: number): void {
    this.#places[index] = place
  }

  clear(): void {
    if (this.#count > KEPT) this.#places = []
    this.#count = 0
  }
}
