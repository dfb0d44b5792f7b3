import { describe, expect, it } from 'vitest'
import { formatWindow, hourWords, sizeWords } from './history-window.ts'

describe('history in words', () => {
  it('formats a window with both its hours, in UTC', () => {
    const window = { from: '2026-11-13T19:00:00Z', to: '2026-11-20T19:00:00.000Z' }

    expect(formatWindow(window, 'en-GB')).toBe('13 Nov 2026 19:00 to 20 Nov 2026 19:00 UTC')
  })

  it('formats an hour by its name', () => {
    expect(hourWords('20261120-180000', 'en-GB')).toBe('20 Nov 2026 18:00')
  })

  it.each([
    [0, '0 byte'],
    [999, '999 byte'],
    [65_400_000, '65.4 MB'],
    [1_200_000_000, '1.2 GB'],
    [1_400_000_000_000_000, '1,400 TB'],
  ])('formats %d bytes as %s', (bytes, words) => {
    expect(sizeWords(bytes, 'en-GB')).toBe(words)
  })
})
