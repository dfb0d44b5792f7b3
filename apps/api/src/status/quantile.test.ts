import { describe, expect, it } from 'vitest'
import { quantile } from './quantile.ts'

describe('quantile', () => {
  it('lies in its bucket, at its share of it', () => {
    const bounds = [100, 200, 400]

    expect(quantile(bounds, [10, 0, 0, 0], 0.5)).toBe(50)
    expect(quantile(bounds, [50, 0, 50, 0], 0.75)).toBe(300)
    expect(quantile(bounds, [98, 1, 1, 0], 0.99)).toBe(200)
  })

  it('beyond the last bound is that bound', () => {
    expect(quantile([100, 200], [0, 0, 5], 0.99)).toBe(200)
  })

  it('of nothing is undefined', () => {
    expect(quantile([100], [0, 0], 0.5)).toBeUndefined()
  })
})
