import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { createRate, createRates, createRecentCount } from './rate.ts'

describe('rate', () => {
  it('allows its burst, then what has refilled since', () => {
    const clock = createManualClock()
    const rate = createRate(clock, 2, 3)
    const taken = () => [1, 2, 3, 4].map(() => rate.take())

    expect(taken()).toEqual([true, true, true, false])
    clock.advance(500)
    expect(taken()).toEqual([true, false, false, false])
    clock.advance(60_000)
    expect(taken()).toEqual([true, true, true, false])
  })

  it('can be drawn below zero, and says how long until there is enough', () => {
    const clock = createManualClock()
    const rate = createRate(clock, 10, 50)

    rate.draw(70)

    expect([rate.has(0), rate.take(0), rate.spent(), rate.msUntil(30)]).toEqual([false, false, 70, 5_000])
    clock.advance(5_000)
    expect([rate.has(30), rate.msUntil(30), rate.spent()]).toEqual([true, 0, 20])
  })

  it('takes amounts spent elsewhere, down to half its burst below zero', () => {
    const clock = createManualClock()
    const rate = createRate(clock, 10, 50)

    rate.drawElsewhere(40)
    expect([rate.has(10), rate.has(11)]).toEqual([true, false])
    rate.drawElsewhere(1_000)

    expect(rate.msUntil(0)).toBe(2_500)
  })

  it('keeps names apart, and forgets the oldest when there are too many', () => {
    const rates = createRates(createManualClock(), 1, 1, 2)

    expect([rates.take('a'), rates.take('a'), rates.take('b')]).toEqual([true, false, true])
    rates.take('c')

    expect(rates.take('a')).toBe(true)
  })
})

describe('recent count', () => {
  it('allows its limit within any span, even across two', () => {
    const clock = createManualClock()
    const recent = createRecentCount(clock, 2, 1_000)

    expect(recent.note()).toBe(true)
    clock.advance(900)
    expect(recent.note()).toBe(true)
    clock.advance(99)
    expect(recent.note()).toBe(false)
    clock.advance(902)
    expect(recent.note()).toBe(true)
  })

  // An account that resumes at one gateway for weeks is counted at all others.
  it('answers after weeks in which it was only told of others, since it remembers no more than its limit', () => {
    const clock = createManualClock()
    const recent = createRecentCount(clock, 60, 60_000)
    for (let minute = 0; minute < 3_000; minute++) {
      recent.drawElsewhere(60)
      clock.advance(60_000)
    }
    recent.drawElsewhere(59)

    expect([recent.note(), recent.note()]).toEqual([true, false])
  }, 1_000)
})
