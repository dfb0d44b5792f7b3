import { describe, expect, it } from 'vitest'
import { createLagMedian } from './lag-median.ts'

describe('lag', () => {
  it('is the median of recent lags, to a tenth of a second', () => {
    const lag = createLagMedian()
    for (const late of [100, 812, 60_000]) lag.add(late, 10_000)

    expect(lag.read(10_000)).toBe(800)
  })

  it('counts a clock behind the chain as no lag', () => {
    const lag = createLagMedian()
    lag.add(-3_000, 10_000)

    expect(lag.read(10_000)).toBe(0)
  })

  it('forgets lags older than five seconds', () => {
    const lag = createLagMedian()
    lag.add(9_000, 10_000)
    lag.add(1_000, 14_000)

    expect(lag.read(14_900)).toBe(1_000)
    expect(lag.read(15_000)).toBe(1_000)
    expect(lag.read(19_000)).toBeNull()
  })
})
