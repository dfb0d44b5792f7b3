import { describe, expect, it } from 'vitest'
import { formatWindow, hourWords } from './history-window.ts'

describe('history in words', () => {
  it('formats a window with both its hours, in UTC', () => {
    const window = { from: '2026-11-13T19:00:00Z', to: '2026-11-20T19:00:00.000Z' }

    expect(formatWindow(window, 'en-GB')).toBe('13 Nov 2026 19:00 to 20 Nov 2026 19:00 UTC')
  })

  it('formats an hour by its name', () => {
    expect(hourWords('20261120-180000', 'en-GB')).toBe('20 Nov 2026 18:00')
  })
})
