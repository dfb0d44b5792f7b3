import { describe, expect, it } from 'vitest'
import { nextRenewal } from './billing-sandbox.ts'

describe('the next renewal', () => {
  it('falls on the day of the start, or on the last day of a shorter month, without moving later ones', () => {
    const start = new Date('2026-01-31T12:00:00Z')
    const dates: string[] = []

    for (let after = start; dates.length < 4; ) {
      after = nextRenewal(start, after)
      dates.push(after.toISOString().slice(0, 10))
    }

    expect(dates).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'])
  })

  it('comes after the given moment, to the millisecond', () => {
    const start = new Date('2026-03-01T12:00:00.500Z')

    expect(nextRenewal(start, new Date('2026-04-01T12:00:00.499Z')).toISOString()).toBe(
      '2026-04-01T12:00:00.500Z',
    )
    expect(nextRenewal(start, new Date('2026-04-01T12:00:00.500Z')).toISOString()).toBe(
      '2026-05-01T12:00:00.500Z',
    )
  })
})
