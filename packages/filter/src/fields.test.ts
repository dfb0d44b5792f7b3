import { describe, expect, it } from 'vitest'
import { indexFields } from './fields.ts'

describe('fields', () => {
  it('are found in any case, with null as absent', () => {
    const fields = indexFields({ WalletAccount: null, walletaccount: 1, USDValue: null })

    expect(fields.read('walletAccount')).toBe(1)
    expect(fields.read('usdValue')).toBeUndefined()
    expect([...fields.names()]).toEqual(['walletaccount'])
  })

  it('use the last of two spellings', () => {
    expect(indexFields({ usdValue: 1, UsdValue: 2 }).read('usdvalue')).toBe(2)
  })

  it('hold only what JSON holds', () => {
    expect(indexFields({}).read('constructor')).toBeUndefined()
    expect(indexFields(JSON.parse('{"__proto__":1}')).read('__proto__')).toBe(1)
  })
})
