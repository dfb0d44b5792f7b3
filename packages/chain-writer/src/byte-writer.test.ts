import { describe, expect, it } from 'vitest'
import { ByteWriter } from './byte-writer.ts'

describe('ByteWriter', () => {
  it('writes little-endian borsh', () => {
    const bytes = new ByteWriter()
      .u8(1)
      .bool(true)
      .u16(0x0203)
      .u32(0x04050607)
      .u64(0x08n)
      .i64(-2n)
      .string('é')
      .bytes(Uint8Array.of(9))
      .finish()

    expect(Buffer.from(bytes).toString('hex')).toBe(
      '01' + '01' + '0302' + '07060504' + '0800000000000000' + 'feffffffffffffff' + '02000000c3a9' + '09',
    )
  })

  it('writes 128-bit numbers in two’s complement', () => {
    const hexOf = (value: bigint) => Buffer.from(new ByteWriter().i128(value).finish()).toString('hex')

    expect(hexOf(5n)).toBe(`05${'00'.repeat(15)}`)
    expect(hexOf(-1n)).toBe('ff'.repeat(16))
  })

  it('grows beyond its initial capacity', () => {
    const bytes = new ByteWriter(1).u64(1n).bytes(new Uint8Array(1_000).fill(7)).u8(3).finish()

    expect(bytes).toHaveLength(1_009)
    expect([bytes[0], bytes[8], bytes[1_007], bytes[1_008]]).toEqual([1, 7, 7, 3])
  })

  it('refuses an amount that does not fit instead of wrapping it', () => {
    expect(() => new ByteWriter().u64(2n ** 64n)).toThrow(RangeError)
    expect(() => new ByteWriter().u64(-1n)).toThrow(RangeError)
  })
})
