import { describe, expect, it } from 'vitest'
import { readServiceStatus, stripSentence } from './service-status.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

describe('the service’s status', () => {
  it('has 90 days up to today, each with its measurements', () => {
    const status = readServiceStatus(
      {
        state: 'late',
        minutes: [{ lagMedianMs: 430 }, { lagMedianMs: 812 }],
        days: [
          { day: '2026-11-18', wellSeconds: 80_000, lateSeconds: 720, downSeconds: 0 },
          { day: '2026-11-19', wellSeconds: 80_000, lateSeconds: 0, downSeconds: 2_460 },
          { day: '2026-11-20', wellSeconds: 40_000, lateSeconds: 59, downSeconds: 0 },
        ],
      },
      NOW,
    )

    expect(status).toMatchObject({ state: 'late', medianLagMs: 812 })
    expect(status?.days).toHaveLength(90)
    expect(status?.days[0]).toMatchObject({ day: '2026-08-23', state: 'none' })
    expect(status?.days.slice(-3).map(({ state }) => state)).toEqual(['late', 'down', 'well'])
    expect(stripSentence(status?.days ?? [])).toBe(
      'The last 90 days: 3 days measured, 1 normal, 1 delayed, 1 with an outage.',
    )
  })

  it('is valid without days and without a lag', () => {
    const status = readServiceStatus({ state: 'well', minutes: [{ lagMedianMs: null }] }, NOW)

    expect(status?.medianLagMs).toBeUndefined()
    expect(stripSentence(status?.days ?? [])).toBe('The last 90 days: nothing was measured yet.')
  })

  it.each([undefined, null, 'well', [], {}, { state: 'fine' }])('is undefined for %j', (answer) => {
    expect(readServiceStatus(answer, NOW)).toBeUndefined()
  })
})
