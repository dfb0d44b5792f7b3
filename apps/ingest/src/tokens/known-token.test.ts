import { anyText } from '@pairwire/basics/testing/any-text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KnownToken, readToken, readTokenKey, writeForgotten, writeToken } from './known-token.ts'

const MINT = 'NutMint1111111111111111111111111111111111111'

const aText = fc.option(anyText({ maxLength: 300 }))
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
  firstSeen: fc.option(fc.nat()),
  launchpad: fc.option(fc.constantFrom('pumpfun', 'bags')),
  description: fc.option(
    fc.record({
      logo: aText,
      socials: fc.option(fc.record({ website: aText, x: aText, telegram: aText })),
    }),
  ),
  asOf: aPoint,
})

describe('the record of a token', () => {
  it('restores the token, whatever strangers wrote into it, from one line', () => {
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

  it('is read as far as an earlier version wrote it', () => {
    const body = '[6,"1000","Nut","NUT",null,null,null,7,0,9,3]'

    expect(readToken({ key: `${MINT} -`, body })).toMatchObject({
      name: 'Nut',
      asOf: { run: 0, slot: 9, transactionIndex: 3 },
      firstSeen: null,
      launchpad: null,
      description: null,
    })
  })

  it('marks a forgotten token as unknown', () => {
    const record = writeForgotten(MINT)

    expect(readToken(record)).toBeUndefined()
    expect(readTokenKey(record.key)).toEqual({ mint: MINT, metadataAccount: null, isForgotten: true })
  })
})
