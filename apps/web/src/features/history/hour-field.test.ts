import { HISTORY_OFFERS } from '@pairwire/contract/plans'
import { describe, expect, it } from 'vitest'
import { drawHours } from './hour-field.tsx'

describe('the hour field', () => {
  it('fills exactly the hours on offer, at the newest end', () => {
    const filled = HISTORY_OFFERS.map(({ hours }) => drawHours(720 - hours, 720).split('z').length - 1)

    expect(filled).toEqual([1, 24, 168, 720])
    expect(drawHours(719, 720)).toBe('M233 185h6v6h-6z')
  })
})
