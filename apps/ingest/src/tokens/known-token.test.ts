import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KnownToken, readToken, readTokenKey, writeForgotten, writeToken } from './known-token.ts'

const MINT = 'NutMint1111111111111111111111111111111111111'

const aText = fc.option(fc.string({ unit: 'binary', maxLength: 300 }))
const anAccount = fc.option(fc.constantFrom('Metadata111111111111111111111111111111111111', 'Other'))
const aPoint = fc.record({ run: fc.nat(), slot: fc.nat(), transactionIndex: fc.nat() })
const aToken: fc.Arbitrary<KnownToken> = fc.record({
  mint: fc.constant(MINT),
  decimals: fc.integer({ min: 0, max: 255 }),
  supply: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  name: aText,
  symbol: aText,
  uri: aText,
  mintAuthority: anAccount,
  freezeAuthority: anAccount,
  metadataAccount: anAccount,
  firstSlot: fc.nat(),
  asOf: aPoint,
})

describe('the record of a token', () => {
  it('gives the token back whatever strangers wrote into it, on one line', () => {
    fc.assert(
      fc.property(aToken, (token) => {
        const record = writeToken(token)

        expect(readToken(record)).toEqual(token)
        expect(record.key + record.body).not.toMatch(/[\n\r\t]/)
        expect(readTokenKey(record.key)).toEqual({
          mint: MINT,
          metadataAccount: token.metadataAccount,
          isForgotten: false,
        })
      }),
    )
  })

  it('says of a forgotten token that it is not known', () => {
    const record = writeForgotten(MINT)

    expect(readToken(record)).toBeUndefined()
    expect(readTokenKey(record.key)).toEqual({ mint: MINT, metadataAccount: null, isForgotten: true })
  })
})
