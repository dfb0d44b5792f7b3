import { ByteWriter } from '@pairwire/chain-writer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader, readU64, TruncatedError } from './byte-reader.ts'

describe('ByteReader', () => {
  it('reads every u64 as it was written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const bytes = new ByteWriter().u8(0).u64(value).finish()

        expect(new ByteReader(bytes, 1).u64()).toBe(value)
        expect(readU64(bytes, 1)).toBe(value)
      }),
    )
  })

  it('reads fields in sequence and knows when they end', () => {
    const bytes = new ByteWriter().u16(513).u32(4_294_967_295).bool(true).string('hé').finish()
    const reader = new ByteReader(bytes)

    expect([reader.u16(), reader.u32(), reader.bool(), reader.string()]).toEqual([
      513,
      4_294_967_295,
      true,
      'hé',
    ])
    expect(reader.ended).toBe(true)
  })

  it('returns keys as views into the same memory', () => {
    const bytes = new Uint8Array(40)

    expect(new ByteReader(bytes, 4).key().buffer).toBe(bytes.buffer)
  })

  it('cuts off the zero padding of strings', () => {
    expect(new ByteReader(new ByteWriter().string('NUT\0\0\0').finish()).string()).toBe('NUT')
  })

  it('replaces invalid UTF-8 instead of failing', () => {
    const bytes = Uint8Array.of(2, 0, 0, 0, 0xff, 0x41)

    expect(new ByteReader(bytes).string()).toBe('\ufffdA')
  })

  it.each([
    ['u8', (reader: ByteReader) => reader.u8()],
    ['u16', (reader: ByteReader) => reader.u16()],
    ['u32', (reader: ByteReader) => reader.u32()],
    ['u64', (reader: ByteReader) => reader.u64()],
    ['key', (reader: ByteReader) => reader.key()],
    ['string', (reader: ByteReader) => reader.string()],
  ])('throws a TruncatedError when a %s ends too early', (_, read) => {
    expect(() => read(new ByteReader(new Uint8Array(0)))).toThrow(TruncatedError)
  })

  it('throws for a string longer than all memory and for an invalid flag', () => {
    expect(() => new ByteReader(Uint8Array.of(255, 255, 255, 255, 1)).string()).toThrow(TruncatedError)
    expect(() => new ByteReader(Uint8Array.of(2)).bool()).toThrow(TruncatedError)
  })
})
