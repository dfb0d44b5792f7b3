import { describe, expect, it } from 'vitest'
import { orderLook } from './order-look.ts'

describe('the badge of an order', () => {
  it.each([
    ['sample', 1, 'Ready'],
    ['awaiting_payment', 0, 'Waiting for payment'],
    ['lapsed', 0, 'Not paid'],
    ['paid', 0, 'Preparing 0 %'],
    ['paid', 23, 'Preparing 95 %'],
    ['paid', 24, 'Ready'],
    ['failed', 23, 'Failed'],
    ['refunded', 24, 'Refunded'],
    ['expired', 24, 'Expired'],
  ] as const)('for %s with %d of 24 hours ready says %s', (status, readyHours, words) => {
    expect(orderLook({ status, readyHours, hours: 24 }).words).toBe(words)
  })
})
