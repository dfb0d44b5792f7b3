import { describe, expect, it } from 'vitest'
import { EXCHANGES, exchangeName } from './exchanges.ts'

describe('the name of an exchange', () => {
  it('is the common one for each of them, and for tokens counted as Bonk', () => {
    for (const exchange of EXCHANGES) expect(exchangeName(exchange)).toMatch(/^[A-Z][A-Za-z0-9. ]+$/)
    expect(exchangeName('bonk')).toBe('Bonk')
  })

  it('is the name on the wire for any unknown exchange', () => {
    expect(exchangeName('lake_swap')).toBe('lake_swap')
    expect(exchangeName('constructor')).toBe('constructor')
  })
})
