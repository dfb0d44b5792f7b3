import { describe, expect, it } from 'vitest'
import { shortCount, tableCount } from './short-count.ts'

describe('a count in a summary', () => {
  it('is exact below a million and short above', () => {
    const counts = [0, 8_214, 999_999, 1_000_000, 2_414_999, 999_999_999, 1_204_000_000]

    expect(counts.map((count) => shortCount(count, 'en-GB'))).toEqual([
      '0',
      '8,214',
      '999,999',
      '1.00 M',
      '2.41 M',
      '999.99 M',
      '1.20 B',
    ])
  })
})

describe('a count in a table', () => {
  it('is exact as long as three of them fit on a phone', () => {
    expect([8_214, 999_999_999, 123_456_789_012].map((count) => tableCount(count, 'en-GB'))).toEqual([
      '8,214',
      '999,999,999',
      '123.45 B',
    ])
  })
})
