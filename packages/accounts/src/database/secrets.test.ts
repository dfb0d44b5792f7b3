import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecrets } from '../secrets.ts'

const aSecret = (fill: number) => new Uint8Array(32).fill(fill)
const secrets = createSecrets({ keyEncryption: aSecret(1), pepper: aSecret(2) })

describe('secrets', () => {
  it('open what they sealed, for the same account only', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), fc.uuid(), (key, accountId, otherId) => {
        fc.pre(accountId !== otherId)

        const sealed = secrets.keys.seal(key, accountId)

        expect(secrets.keys.open(sealed, accountId)).toBe(key)
        expect(() => secrets.keys.open(sealed, otherId)).toThrow()
      }),
    )
  })

  it('open a letter only for its own mail, and never as a key', () => {
    const sealed = secrets.letters.seal('dear', 'mail')

    expect(secrets.letters.open(sealed, 'mail')).toBe('dear')
    expect(() => secrets.letters.open(sealed, 'other mail')).toThrow()
    expect(() => secrets.keys.open(sealed, 'mail')).toThrow()
  })

  it('seal the same key differently each time', () => {
    expect(secrets.keys.seal('key', 'a')).not.toBe(secrets.keys.seal('key', 'a'))
  })

  it('refuse a text with any bit changed', () => {
    const [version, keyId, text] = secrets.keys.seal('0123456789abcdef', 'a').split('.')
    const bytes = Buffer.from(text!, 'base64url')

    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => secrets.keys.open(`${version}.${keyId}.${changed.toString('base64url')}`, 'a')).toThrow()
    }
  })

  it('refuse any text that they did not make', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => secrets.keys.open(text, 'a')).toThrow()
      }),
    )
    expect(() =>
      secrets.keys.open(`${secrets.keys.seal('key', 'a').split('.').slice(0, 2).join('.')}.`, 'a'),
    ).toThrow()
  })

  it('give one text another hash for each purpose and each pepper', () => {
    const other = createSecrets({ keyEncryption: aSecret(1), pepper: aSecret(3) })
    const hashes = [secrets, other].flatMap((made) =>
      [made.hashKey, made.hashToken, made.hashEmail, made.hashCaptcha].map((hash) => hash('text')),
    )

    expect(new Set(hashes).size).toBe(8)
    expect(secrets.hashKey('text')).toBe(secrets.hashKey('text'))
  })

  it('must have 32 bytes', () => {
    const short = new Uint8Array(31)

    expect(() => createSecrets({ keyEncryption: short, pepper: aSecret(2) })).toThrow(RangeError)
    expect(() => createSecrets({ keyEncryption: aSecret(1), pepper: short })).toThrow(RangeError)
  })
})
