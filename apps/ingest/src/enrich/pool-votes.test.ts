import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGREEMENT, agreed, withoutMajority } from './pool-votes.ts'

const votes = (...prices: number[]) => prices.map((price) => ({ price, weight: 1 }))
const weights = fc.array(fc.double({ min: 20, max: 1e9, noNaN: true }), { minLength: 3, maxLength: 12 })

describe('agreed', () => {
  it('needs two votes near the median', () => {
    expect(agreed(votes(150))).toBeUndefined()
    expect(agreed(votes(150, 152))).toBeUndefined()
    expect(agreed(votes(150, 151))?.price).toBe(150.5)
    expect(agreed(votes(150, 151, 400))?.price).toBeUndefined()
    expect(agreed(votes(150, 150.2, 400))).toEqual({ price: 150.2, votes: votes(150, 150.2) })
  })

  it('goes by weight', () => {
    const heavy = [...votes(150, 150.1), { price: 150.5, weight: 3 }]

    expect(agreed(heavy)?.price).toBe(150.5)
  })

  it('lies within the bound of an honest vote, whatever one other says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 149, max: 151, noNaN: true }), { minLength: 1, maxLength: 9 }),
        fc.double({ min: 1, max: 1_000, noNaN: true }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (honest, price, weight) => {
          const all = withoutMajority([
            ...honest.map((each) => ({ price: each, weight: 100 })),
            { price, weight },
          ])

          const value = agreed(all)?.price ?? honest[0]!
          expect(value).toBeGreaterThanOrEqual(Math.min(...honest) * (1 - AGREEMENT))
          expect(value).toBeLessThanOrEqual(Math.max(...honest) / (1 - AGREEMENT))
        },
      ),
    )
  })
})

describe('withoutMajority', () => {
  it('gives two votes the same weight', () => {
    const two = withoutMajority([
      { price: 1, weight: 10 },
      { price: 2, weight: 500 },
    ])

    expect(two.map(({ weight }) => weight)).toEqual([10, 10])
  })

  it('leaves no vote more than a third of the total, and light ones unchanged', () => {
    fc.assert(
      fc.property(weights, (before) => {
        const after = withoutMajority(before.map((weight) => ({ price: 1, weight }))).map(
          ({ weight }) => weight,
        )

        const whole = after.reduce((sum, weight) => sum + weight)
        expect(Math.max(...after)).toBeLessThanOrEqual(whole / 3 + whole * 1e-12)
        for (const [at, weight] of after.entries()) {
          expect(weight).toBe(Math.min(before[at]!, Math.max(...after)))
        }
      }),
    )
  })
})
