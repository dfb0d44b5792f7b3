/**
 * Base58 with the Bitcoin alphabet, as Solana prints addresses (32 bytes) and signatures (64 bytes).
 *
 * Both directions work on several digits a step. The widths are chosen so that every intermediate stays an
 * exact integer below 2^53: three characters (58^3) over 32-bit words when decoding, five characters
 * (58^5) over 16-bit words when encoding.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-msporny-base58-03
 */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Value of each ASCII code, 255 where the character is not of the alphabet. */
const VALUES = new Uint8Array(128).fill(255)
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value

const POW_58_5 = 58 ** 5

/** Base58 text of `bytes`, of any length; leading zero bytes become leading `1`s. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++

  // Big-endian 16-bit words; an odd length has a short first word.
  const wordCount = (bytes.length - zeros + 1) >> 1
  const words = new Uint16Array(wordCount)
  for (let end = bytes.length, word = wordCount - 1; word >= 0; word--, end -= 2) {
    words[word] = bytes[end - 1]! | (end - 2 >= zeros ? bytes[end - 2]! << 8 : 0)
  }

  // Each pass divides the number by 58^5 and keeps the remainder as five characters.
  let text = ''
  let first = 0
  while (first < wordCount) {
    let remainder = 0
    for (let word = first; word < wordCount; word++) {
      const value = remainder * 65536 + words[word]!
      const quotient = Math.floor(value / POW_58_5)
      words[word] = quotient
      remainder = value - quotient * POW_58_5
    }
    while (first < wordCount && words[first] === 0) first++

    let group = ''
    for (let digit = 0; digit < 5 && (first < wordCount || remainder > 0); digit++) {
      const quotient = Math.floor(remainder / 58)
      group = ALPHABET[remainder - quotient * 58]! + group
      remainder = quotient
    }
    text = group + text
  }
  return '1'.repeat(zeros) + text
}

/** Bytes of a base58 `text` of any length, or `undefined` when a character is not of the alphabet. */
export function decodeBase58(text: string): Uint8Array | undefined {
  const { length } = text
  let zeros = 0
  while (zeros < length && text.charCodeAt(zeros) === 49) zeros++

  // Little-endian 32-bit words; log(58) / log(2^32) words a character, rounded up.
  const words = new Uint32Array(Math.ceil((length - zeros) * 0.18309) + 1)
  let used = 0
  for (let at = zeros; at < length; ) {
    let carry = 0
    let factor = 1
    for (let step = 0; step < 3 && at < length; step++, at++) {
      const code = text.charCodeAt(at)
      const value = code < 128 ? VALUES[code]! : 255
      if (value === 255) return undefined
      carry = carry * 58 + value
      factor *= 58
    }
    for (let word = 0; word < used; word++) {
      const value = words[word]! * factor + carry
      carry = Math.floor(value / 4294967296)
      words[word] = value
    }
    if (carry > 0) words[used++] = carry
  }

  let size = used * 4
  if (used > 0) {
    const top = words[used - 1]!
    size -= top < 0x100 ? 3 : top < 0x10000 ? 2 : top < 0x1000000 ? 1 : 0
  }
  const bytes = new Uint8Array(zeros + size)
  for (let at = 0; at < size; at++) bytes[bytes.length - 1 - at] = words[at >> 2]! >>> ((at & 3) * 8)
  return bytes
}

/** Whether `text` is the base58 form of exactly 32 bytes, as every Solana account address is. */
export function isAddress(text: string): boolean {
  if (text.length < 32 || text.length > 44) return false
  return decodeBase58(text)?.length === 32
}
