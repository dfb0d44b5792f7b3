import { drawDots, PLANS } from '@pairwire/contract/plans'
import { describe, expect, it } from 'vitest'
import { planFacts } from './plan-facts.ts'

describe('what a plan includes', () => {
  it('is stated in the specification’s figures', () => {
    const lines = PLANS.map((plan) => planFacts(plan).map(({ text }) => text))

    expect(lines).toEqual([
      ['Unlimited NewPair events', '1,000 swap events a month', '1 account in the swap filter'],
      ['Unlimited filtered swaps', '10 accounts in the swap filter', 'At least one filter required'],
      ['Unlimited swaps', '1K accounts in the swap filter', 'No filter requirement'],
    ])
  })

  it('is drawn with exactly as many dots as accounts', () => {
    const dots = PLANS.map((plan) => drawDots(0, plan.swapFilterAccounts).split('h.01').length - 1)

    expect(dots).toEqual([1, 10, 1_000])
  })
})
