import { describe, expect, it } from 'vitest'
import { formatWindow, historyWindow, untilNextHour } from './history-window.ts'

const now = Date.parse('2026-11-20T19:42:10Z')

describe('the window of history on offer', () => {
  it('ends at the last whole hour and is as long as was chosen, in UTC', () => {
    expect(formatWindow(historyWindow(168, now), 'en-GB')).toBe('13 Nov 2026 19:00 to 20 Nov 2026 19:00 UTC')
    expect(formatWindow(historyWindow(1, now), 'en-GB')).toBe('20 Nov 2026 18:00 to 20 Nov 2026 19:00 UTC')
  })

  it('moves at the next whole hour', () => {
    expect(untilNextHour(now)).toBe((17 * 60 + 50) * 1_000)
    expect(historyWindow(24, now + untilNextHour(now)).to).toEqual(new Date('2026-11-20T20:00:00Z'))
  })
})
