import { describe, expect, it } from 'vitest'
import { drawHours, hourFacts, lookOf } from './hour-field.tsx'

const hour = { hour: '20261120-180000', state: 'complete', swaps: 100, pairs: 3, size: 10 } as const

describe('the hour field', () => {
  it('draws the newest hour at the bottom right', () => {
    expect(drawHours([719])).toBe('M233 185h6v6h-6z')
  })

  it.each([
    [0, 1],
    [25, 1],
    [26, 2],
    [51, 3],
    [76, 4],
    [100, 4],
  ])('gives %d swaps of the busiest hundred strength %d', (swaps, strength) => {
    expect(lookOf({ ...hour, swaps }, 100)).toBe(strength)
  })

  it('outlines a missing hour', () => {
    expect(lookOf({ ...hour, state: 'missing' }, 100)).toBe('missing')
  })

  it('describes what each hour contains and lacks', () => {
    expect(hourFacts(hour)).toBe('20 Nov 2026 18:00 UTC: 100 swaps, 3 new pairs')
    expect(hourFacts({ ...hour, swaps: 1, pairs: 1 })).toMatch(/: 1 swap, 1 new pair$/)
    expect(hourFacts({ ...hour, state: 'incomplete' })).toMatch(/, incomplete$/)
    expect(hourFacts({ ...hour, state: 'pending' })).toBe('20 Nov 2026 18:00 UTC: not written yet')
    expect(hourFacts({ ...hour, state: 'missing' })).toBe('20 Nov 2026 18:00 UTC: missing')
  })
})
