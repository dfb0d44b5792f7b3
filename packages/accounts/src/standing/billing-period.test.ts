import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { billingPeriodOf } from './billing-period.ts'

const periodOf = (startedAt: string, now: string) => {
  const { period, endsAt } = billingPeriodOf(new Date(startedAt), new Date(now))
  return [period, endsAt.toISOString()]
}

describe('billing period', () => {
  it('begins on the UTC day of the start and ends a month later', () => {
    expect(periodOf('2026-01-15T23:59:59Z', '2026-01-15T23:59:59Z')).toEqual([
      '2026-01-15',
      '2026-02-15T00:00:00.000Z',
    ])
  })

  it('changes to the next one at midnight UTC', () => {
    expect(periodOf('2026-01-15T12:00:00Z', '2026-02-14T23:59:59.999Z')[0]).toBe('2026-01-15')
    expect(periodOf('2026-01-15T12:00:00Z', '2026-02-15T00:00:00.000Z')[0]).toBe('2026-02-15')
  })

  it('begins on the last day of a month that is too short, and returns to its own day after it', () => {
    const starts = [
      '2028-01-31T12:00:00Z',
      '2028-02-29T12:00:00Z',
      '2028-03-31T12:00:00Z',
      '2028-04-30T12:00:00Z',
    ]

    expect(starts.map((now) => periodOf('2028-01-31T09:00:00Z', now)[0])).toEqual([
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
    ])
  })

  it('is the first one for a moment before the start, as after a clock step back', () => {
    expect(periodOf('2026-01-01T00:00:00Z', '2025-12-31T23:59:59Z')[0]).toBe('2026-01-01')
  })

  it('contains its moment, and the next one begins where it ends', () => {
    const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, fc.nat(4_000 * 86_400_000), (startedAt, laterMs) => {
        const now = new Date(startedAt.getTime() + laterMs)

        const { period, endsAt } = billingPeriodOf(startedAt, now)
        const next = billingPeriodOf(startedAt, endsAt)

        expect(Date.parse(period)).toBeLessThanOrEqual(now.getTime())
        expect(endsAt.getTime()).toBeGreaterThan(now.getTime())
        expect(next.period).toBe(endsAt.toISOString().slice(0, 10))
      }),
    )
  })
})
