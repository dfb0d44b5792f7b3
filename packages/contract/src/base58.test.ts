import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase58, encodeBase58, isAddress } from './base58.ts'

/** The textbook conversion by long division, slow and simple, as the reference. */
function encodeByBigInt(bytes: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let value = 0n
  for (const byte of bytes) value = value * 256n + BigInt(byte)
  let text = ''
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)] + text
  for (const byte of bytes) {
    if (byte !== 0) break
    text = `1${text}`
  }
  return text
}

describe('base58', () => {
  it('encodes the wrapped SOL mint as explorers do', () => {
    const mint = 'So11111111111111111111111111111111111111112'

    const bytes = decodeBase58(mint)

    expect(bytes).toHaveLength(32)
    expect(encodeBase58(bytes!)).toBe(mint)
  })

  it('agrees with plain long division on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        expect(encodeBase58(bytes)).toBe(encodeByBigInt(bytes))
      }),
    )
  })

  it('agrees with plain long division on keys of 32 bytes, which are encoded by table', () => {
    fc.assert(
      fc.property(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 }), (zeros, bytes) => {
        bytes.fill(0, 0, zeros)

        expect(encodeBase58(bytes)).toBe(encodeByBigInt(bytes))
        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes)
      }),
      { numRuns: 2_000 },
    )
    expect(encodeBase58(new Uint8Array(32).fill(255))).toBe(encodeByBigInt(new Uint8Array(32).fill(255)))
  })

  it('agrees with plain long division on signatures of 64 bytes, which are too', () => {
    fc.assert(
      fc.property(fc.nat(64), fc.uint8Array({ minLength: 64, maxLength: 64 }), (zeros, bytes) => {
        bytes.fill(0, 0, zeros)

        expect(encodeBase58(bytes)).toBe(encodeByBigInt(bytes))
        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes)
      }),
      { numRuns: 2_000 },
    )
    expect(encodeBase58(new Uint8Array(64).fill(255))).toBe(encodeByBigInt(new Uint8Array(64).fill(255)))
  })

  it('decodes texts as long as a key that are not keys', () => {
    const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    const text = fc
      .tuple(fc.nat(44), fc.array(fc.constantFrom(...alphabet), { minLength: 32, maxLength: 44 }))
      .map(([ones, characters]) => '1'.repeat(ones) + characters.join('').slice(ones))

    fc.assert(
      fc.property(text, (made) => {
        expect(encodeByBigInt(decodeBase58(made)!)).toBe(made)
      }),
      { numRuns: 2_000 },
    )
    expect(decodeBase58('z'.repeat(44))).toHaveLength(33)
    expect(decodeBase58(`${'z'.repeat(43)}0`)).toBeUndefined()
  })

  it('decodes every text that it encoded, including leading zeros', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.uint8Array({ maxLength: 400 }), (zeros, tail) => {
        const bytes = new Uint8Array(zeros + tail.length)
        bytes.set(tail, zeros)

        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes)
      }),
    )
  })

  it('decodes the longest texts that use a table, and the shortest that do not', () => {
    for (const size of [440, 460, 468, 469, 470, 471, 480, 1_200, 10_240]) {
      for (const fill of [1, 128, 255]) {
        const bytes = new Uint8Array(size).fill(fill)

        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes)
      }
    }
  })

  it('refuses characters outside the alphabet', () => {
    for (const text of ['0', 'O', 'I', 'l', 'é', ' ', '12 ']) expect(decodeBase58(text)).toBeUndefined()
  })

  it('accepts only the text of exactly 32 bytes as an address', () => {
    expect(isAddress('11111111111111111111111111111111')).toBe(true)
    expect(isAddress('So1111111111111111111111111111111111111112')).toBe(false)
    expect(isAddress('So11111111111111111111111111111111111111112x')).toBe(false)
    expect(isAddress('')).toBe(false)
    expect(isAddress('l'.repeat(40))).toBe(false)
  })

  it('recognises an address without decoding, with the same result', () => {
    const bytes = fc
      .tuple(fc.nat(34), fc.uint8Array({ maxLength: 34 }))
      .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest]).subarray(0, 34))
    // The first and the last numbers of each length in bytes, where a wrong comparison would fail.
    const edge = fc
      .tuple(fc.nat(33), fc.constantFrom(0x00, 0x01, 0xff), fc.constantFrom(0x00, 0xff), fc.nat(33))
      .map(([length, first, others, zeros]) =>
        Uint8Array.from([...new Uint8Array(zeros), first, ...new Uint8Array(length).fill(others)]),
      )
    const text = fc.oneof(
      fc.oneof(bytes, edge).map(encodeBase58),
      fc.string({ unit: fc.constantFrom('1', '2', 'J', 'Z', 'z', 'l'), minLength: 30, maxLength: 46 }),
    )

    fc.assert(
      fc.property(text, (text) => {
        expect(isAddress(text)).toBe(decodeBase58(text)?.length === 32)
      }),
      { numRuns: 5_000 },
    )
  })
})
