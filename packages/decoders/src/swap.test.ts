import { USD1, USDC, USDT, WRAPPED_SOL } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isReversed } from './swap.ts'

const ORDER = [USDC, USDT, USD1, WRAPPED_SOL, 'any other mint']

describe('isReversed', () => {
  it('makes the first present of USDC, USDT, USD1 and wrapped SOL the quote', () => {
    for (const [at, preferred] of ORDER.entries()) {
      for (const other of ORDER.slice(at + 1)) {
        expect(isReversed(preferred, other)).toBe(true)
        expect(isReversed(other, preferred)).toBe(false)
      }
    }
  })

  it("keeps the program's own order of two mints when neither is a quote", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (base, quote) => !isReversed(base, quote)))
  })
})
