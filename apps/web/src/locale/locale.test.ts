import { describe, expect, it } from 'vitest'
import { formatBytes, formatCount, formatDate, formatDay, formatNumber, readLocale } from './locale.ts'

describe('the locale', () => {
  it.each([null, '', 'not a locale', '🙂'])('is en-GB when %j is stored', (stored) => {
    expect(readLocale(stored)).toBe('en-GB')
  })

  it('is the stored one', () => {
    expect(readLocale('de-ch')).toBe('de-CH')
  })
})

describe('a date', () => {
  it('has a short month in the locale', () => {
    expect(formatDate('2026-12-12T10:00:00Z', 'en-GB', 'UTC')).toBe('12 Dec 2026')
    expect(formatDate('2026-12-12T10:00:00Z', 'en-US', 'UTC')).toBe('Dec 12, 2026')
  })

  it('is in the user’s own time zone', () => {
    expect(formatDate('2026-12-12T23:30:00Z', 'en-GB', 'Asia/Tokyo')).toBe('13 Dec 2026')
  })

  it('is empty when the input is not a date', () => {
    expect(formatDate('', 'en-GB')).toBe('')
    expect(formatDate('soon', 'en-GB')).toBe('')
  })

  it('has a form without the year', () => {
    expect(formatDay(new Date('2026-11-12T10:00:00Z'), 'en-GB', 'UTC')).toBe('12 Nov')
  })
})

describe('a number', () => {
  it('has its digits grouped as the locale does', () => {
    expect(formatNumber(398_214_771, 'en-GB')).toBe('398,214,771')
    expect(formatNumber(12_345_678_901_234_567_890n, 'de-DE')).toBe('12.345.678.901.234.567.890')
  })

  it('has its noun, in the plural but for one', () => {
    expect([0, 1, 1_204].map((count) => formatCount(count, 'event'))).toEqual([
      '0 events',
      '1 event',
      '1,204 events',
    ])
    expect(formatCount(2, 'try', 'tries')).toBe('2 tries')
  })

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [65_400_000, '65.4 MB'],
    [1_200_000_000, '1.2 GB'],
    [1_400_000_000_000_000, '1,400 TB'],
  ])('of %d bytes is %s', (bytes, words) => {
    expect(formatBytes(bytes, 'en-GB')).toBe(words)
  })
})
