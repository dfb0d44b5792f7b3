/**
 * Base58 with the Bitcoin alphabet, as Solana writes addresses (32 bytes) and signatures (64 bytes).
 *
 * Keys of 32 bytes, encoded signatures of 64, and decoded data of instructions use tables of powers, so that nothing is
 * divided or carried until the end: groups of five characters (58^5) times 16-bit words, whose sums stay exact integers below
 * 2^53. Everything else is rare and uses long division.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-msporny-base58-03
 */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Value of each ASCII code, 255 if the character is not in the alphabet. */
const VALUES = new Uint8Array(128).fill(255)
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value

const POW_58_5 = 58 ** 5
const POW_58_9 = 58n ** 9n
/** ASCII code of `1`, the digit zero. */
const ONE = 49

/** Base58 text of `bytes`, of any length; leading zero bytes become leading `1`s. */
export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length === KEY_BYTES) return encodeKey(bytes)
  return bytes.length === SIGNATURE_BYTES ? encodeSignature(bytes) : encodeAny(bytes)
}

/** Bytes of a base58 `text` of any length, or `undefined` if a character is not in the alphabet. */
export function decodeBase58(text: string): Uint8Array | undefined {
  const { length } = text
  if (length < 32 || length > 44) return decodeBase58Data(text)
  return decodeKey(text) ?? decodeBase58Data(text)
}

/** The same for a text that is probably not an address, such as an instruction's data: it is not tried as a key first. */
export function decodeBase58Data(text: string): Uint8Array | undefined {
  return text.length <= MAX_TABLE_TEXT ? decodeByTable(text) : decodeAny(text)
}

/**
 * Whether `text` is the base58 form of exactly 32 bytes, like every Solana account address. Nothing is decoded: each leading
 * `1` is a zero byte, and the rest is a number with as many bytes as are left.
 */
export function isAddress(text: string): boolean {
  if (text.length < 32 || text.length > 44 || !IN_ALPHABET.test(text)) return false
  let zeros = 0
  while (text.charCodeAt(zeros) === ONE) zeros++
  const bytes = KEY_BYTES - zeros
  if (bytes <= 0) return bytes === 0 && text.length === KEY_BYTES

  const number = zeros === 0 ? text : text.slice(zeros)
  return isAtLeast(number, POWERS_OF_256[bytes - 1]!) && !isAtLeast(number, POWERS_OF_256[bytes]!)
}

const IN_ALPHABET = /^[1-9A-HJ-NP-Za-km-z]+$/

/** Compares two base58 numbers without leading `1`s. The alphabet is in ASCII order. */
function isAtLeast(number: string, bound: string): boolean {
  return number.length === bound.length ? number >= bound : number.length > bound.length
}

/** Bytes of an account's key: nearly everything encoded or decoded here, hence the two tables below. */
const KEY_BYTES = 32
/** 16-bit words of a key, most significant first. */
const KEY_WORDS = 16
/** Groups of five characters that hold any key: 58^45 > 2^256. */
const KEY_GROUPS = 9

/** Bytes of a signature, which every event has, and groups of five characters that hold any signature: 58^90 > 2^512. */
const SIGNATURE_BYTES = 64
const SIGNATURE_GROUPS = 18

/** Row `group`: 58^5 to the power of that group's place, as sixteen digits in base 2^16. */
const { table: WORDS_OF_GROUP, first: FIRST_WORD } = digitsOfPowers(
  BigInt(POW_58_5),
  KEY_GROUPS,
  65536n,
  KEY_WORDS,
)

/** Rows of digits, the highest power first, and the first non-zero digit of each row. */
function digitsOfPowers(base: bigint, powers: number, digitBase: bigint, digits: number) {
  const table = new Float64Array(powers * digits)
  const first = new Uint8Array(powers)
  for (let power = 0; power < powers; power++) {
    let value = base ** BigInt(powers - 1 - power)
    for (let digit = digits - 1; digit >= 0; digit--, value /= digitBase) {
      table[power * digits + digit] = Number(value % digitBase)
      if (value > 0n) first[power] = digit
    }
  }
  return { table, first }
}

/** 256^0 to 256^32 in base58. */
const POWERS_OF_256 = Array.from({ length: KEY_BYTES + 1 }, (_, power) => {
  let text = ''
  for (let rest = 256n ** BigInt(power); rest > 0n; rest /= 58n) text = ALPHABET[Number(rest % 58n)]! + text
  return text
})

/** Sums before their carries. */
const words = new Float64Array(KEY_WORDS)

/** Every character's ASCII code, by its value. */
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0))

/** Two characters' ASCII codes, by their value, which is below 58^2 = 3,364. */
const CODE_PAIRS = Uint16Array.from(
  { length: 58 * 58 },
  (_, value) => (CODES[Math.floor(value / 58)]! << 8) | CODES[value % 58]!,
)

const encodeKey = createEncoder(KEY_BYTES, KEY_GROUPS)
const encodeSignature = createEncoder(SIGNATURE_BYTES, SIGNATURE_GROUPS)

/** An encoder of this many bytes, which fit that many groups of five characters. */
function createEncoder(byteCount: number, groupCount: number): (bytes: Uint8Array) => string {
  const wordCount = byteCount / 2
  /** Row `word`: 2^16 to the power of that word's place, as digits in base 58^5. */
  const { table, first: firstGroup } = digitsOfPowers(65536n, wordCount, BigInt(POW_58_5), groupCount)
  /** Sums before their carries; 32 products of 16 and 30 bits stay below 2^51. */
  const groups = new Float64Array(groupCount)
  const codes = createAscii(groupCount * 5)

  return (bytes) => {
    let zeros = 0
    while (zeros < byteCount && bytes[zeros] === 0) zeros++

    groups.fill(0)
    for (let word = zeros >> 1; word < wordCount; word++) {
      const value = (bytes[word * 2]! << 8) | bytes[word * 2 + 1]!
      const row = word * groupCount
      for (let group = firstGroup[word]!; group < groupCount; group++) {
        groups[group]! += value * table[row + group]!
      }
    }
    const { ascii } = codes
    let carry = 0
    for (let group = groupCount - 1; group >= 0; group--) {
      const sum = groups[group]! + carry
      carry = Math.floor(sum / POW_58_5)
      const value = (sum - carry * POW_58_5) | 0
      const upper = (value / 3_364) | 0
      const first = (upper / 3_364) | 0
      const middle = CODE_PAIRS[upper - first * 3_364]!
      const last = CODE_PAIRS[value - upper * 3_364]!
      const at = group * 5
      ascii[at] = CODES[first]!
      ascii[at + 1] = middle >> 8
      ascii[at + 2] = middle
      ascii[at + 3] = last >> 8
      ascii[at + 4] = last
    }

    // The number's own leading zero digits are dropped; each leading zero byte is a `1`, which is the same character.
    let first = 0
    while (first < ascii.length && ascii[first] === ONE) first++
    return codes.textFrom(first - zeros)
  }
}

/** The part of Node's Buffer used here, which browsers lack. */
type NodeGlobals = {
  Buffer?: {
    alloc(length: number): Uint8Array & { toString(as: 'latin1', start: number, end: number): string }
  }
}

/** ASCII bytes to fill, and their text from an offset on. A `Buffer` halves the time. */
function createAscii(length: number): Readonly<{ ascii: Uint8Array; textFrom: (start: number) => string }> {
  const { Buffer } = globalThis as NodeGlobals
  if (Buffer === undefined) {
    const ascii = new Uint8Array(length)
    const textFrom = (start: number) =>
      String.fromCharCode.apply(null, ascii.subarray(start) as unknown as number[])
    return { ascii, textFrom }
  }
  const ascii = Buffer.alloc(length)
  return { ascii, textFrom: (start) => ascii.toString('latin1', start, length) }
}

/** `undefined` for a text that is not a key of 32 bytes, or not base58. */
function decodeKey(text: string): Uint8Array | undefined {
  const { length } = text
  let ones = 0
  while (ones < length && text.charCodeAt(ones) === ONE) ones++

  words.fill(0)
  // The text is at the end of the nine groups.
  let at = 0
  for (let group = KEY_GROUPS - Math.ceil(length / 5); group < KEY_GROUPS; group++) {
    const end = length - (KEY_GROUPS - 1 - group) * 5
    let value = 0
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      const digit = code < 128 ? VALUES[code]! : 255
      if (digit === 255) return undefined
      value = value * 58 + digit
    }
    if (value === 0) continue
    const row = group * KEY_WORDS
    for (let word = FIRST_WORD[group]!; word < KEY_WORDS; word++)
      words[word]! += value * WORDS_OF_GROUP[row + word]!
  }

  const bytes = new Uint8Array(KEY_BYTES)
  let carry = 0
  for (let word = KEY_WORDS - 1; word >= 0; word--) {
    const sum = words[word]! + carry
    carry = Math.floor(sum / 65536)
    const value = sum - carry * 65536
    bytes[word * 2] = value >>> 8
    bytes[word * 2 + 1] = value
  }
  let zeros = 0
  while (zeros < KEY_BYTES && bytes[zeros] === 0) zeros++
  return carry === 0 && zeros === ones ? bytes : undefined
}

/** Groups of five characters decoded by a table; 128 sums of products of 30 and 16 bits stay below 2^53. */
const MAX_TABLE_GROUPS = 128
const MAX_TABLE_TEXT = MAX_TABLE_GROUPS * 5

/**
 * Row `group`: 58^5 to its power, as digits in base 2^16, least significant first. 58^5 has five factors of two, so the
 * lowest digits of a row are zero. Computed on first use.
 */
type DecodeTable = Readonly<{
  digits: Float64Array
  rowStart: Uint32Array
  firstDigit: Uint8Array
  sums: Float64Array
}>

let decodeTable: DecodeTable | undefined

function createDecodeTable(): DecodeTable {
  const digits: number[] = []
  const rowStart = new Uint32Array(MAX_TABLE_GROUPS + 1)
  const firstDigit = Uint8Array.from({ length: MAX_TABLE_GROUPS }, (_, group) => (group * 5) >> 4)
  let power = 1n
  for (let group = 0; group < MAX_TABLE_GROUPS; group++, power *= BigInt(POW_58_5)) {
    const hex = power.toString(16)
    for (let end = hex.length; end > 0; end -= 4) {
      digits.push(Number.parseInt(hex.slice(Math.max(0, end - 4), end), 16))
    }
    rowStart[group + 1] = digits.length
  }
  const longestRow = digits.length - rowStart[MAX_TABLE_GROUPS - 1]!
  return { digits: Float64Array.from(digits), rowStart, firstDigit, sums: new Float64Array(longestRow + 4) }
}

function decodeByTable(text: string): Uint8Array | undefined {
  decodeTable ??= createDecodeTable()
  const { digits, rowStart, firstDigit, sums } = decodeTable
  const { length } = text
  let zeros = 0
  while (zeros < length && text.charCodeAt(zeros) === ONE) zeros++

  let used = 0
  for (let group = 0, end = length; end > zeros; group++, end -= 5) {
    let value = 0
    for (let at = end > zeros + 5 ? end - 5 : zeros; at < end; at++) {
      const code = text.charCodeAt(at)
      const digit = code < 128 ? VALUES[code]! : 255
      if (digit === 255) return undefined
      value = value * 58 + digit
    }
    const start = rowStart[group]!
    const count = rowStart[group + 1]! - start
    // Two digits more than the row hold the product and all carries into it.
    while (used < count + 2) sums[used++] = 0
    for (let digit = firstDigit[group]!; digit < count; digit++)
      sums[digit]! += value * digits[start + digit]!
  }

  let carry = 0
  let size = 0
  for (let word = 0; word < used; word++) {
    const sum = sums[word]! + carry
    carry = Math.floor(sum / 65536)
    const value = sum - carry * 65536
    sums[word] = value
    if (value > 0) size = word * 2 + (value > 255 ? 2 : 1)
  }
  const bytes = new Uint8Array(zeros + size)
  for (let at = 0, to = bytes.length - 1; at < size; at++, to--) {
    bytes[to] = (at & 1) === 0 ? sums[at >> 1]! : sums[at >> 1]! >>> 8
  }
  return bytes
}

/** By long division, nine characters per step: other lengths than keys and signatures are rarely encoded. */
function encodeAny(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++

  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  // Joined at the end: a text built one character at a time takes thirty times its bytes while it lives.
  const digits: string[] = []
  for (; number > 0n; number /= POW_58_9) {
    let rest = Number(number % POW_58_9)
    for (let count = 0; count < 9; count++, rest = Math.floor(rest / 58)) digits.push(ALPHABET[rest % 58]!)
  }
  return '1'.repeat(zeros) + digits.reverse().join('').replace(/^1+/, '')
}

/** Decodes texts longer than the table: nine characters (58^9 is below 2^53) per step of the long number. */
function decodeAny(text: string): Uint8Array | undefined {
  if (!IN_ALPHABET.test(text)) return undefined
  let zeros = 0
  while (text.charCodeAt(zeros) === ONE) zeros++

  let number = 0n
  for (let at = 0; at < text.length; at += 9) {
    const group = text.slice(at, at + 9)
    let value = 0
    for (let digit = 0; digit < group.length; digit++) value = value * 58 + VALUES[group.charCodeAt(digit)]!
    number = number * 58n ** BigInt(group.length) + BigInt(value)
  }
  const hex = number === 0n ? '' : number.toString(16)
  const bytes = new Uint8Array(zeros + Math.ceil(hex.length / 2))
  for (let at = bytes.length - 1, end = hex.length; end > 0; at--, end -= 2) {
    bytes[at] = Number.parseInt(hex.slice(Math.max(0, end - 2), end), 16)
  }
  return bytes
}
