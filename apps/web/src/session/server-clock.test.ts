import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createServerClock } from './server-clock.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const dated = (at: number) => new Date(at).toUTCString()

describe("the server's clock", () => {
  it('does not change the time while this device may be right', () => {
    const clock = createServerClock()
    clock.heard(dated(NOW), NOW + 200, NOW + 400)

    expect(clock.offset()).toBe(0)
  })

  it('comes within half a second of the truth from one quick answer, and closer with each', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -86_400_000, max: 86_400_000 }).filter((ahead) => Math.abs(ahead) > 2_000),
        fc.array(
          fc.record({ at: fc.integer({ min: 0, max: 60_000 }), trip: fc.integer({ min: 0, max: 100 }) }),
          {
            minLength: 1,
          },
        ),
        (ahead, answers) => {
          const clock = createServerClock()
          let error = Number.POSITIVE_INFINITY
          for (const { at, trip } of answers) {
            const sent = NOW + at
            clock.heard(dated(sent + trip / 2 + ahead), sent, sent + trip)
            error = Math.abs(clock.offset() - ahead)
          }
          expect(error).toBeLessThanOrEqual(550)
        },
      ),
    )
  })

  it('starts over when a clock is set', () => {
    const clock = createServerClock()
    clock.heard(dated(NOW + 60_000), NOW, NOW)
    clock.heard(dated(NOW), NOW + 100, NOW + 100)

    expect(clock.offset()).toBe(0)
  })

  it.each([null, '', 'soon'])('learns nothing from the date %j', (date) => {
    const clock = createServerClock()
    clock.heard(date, NOW, NOW)

    expect(clock.offset()).toBe(0)
  })
})
