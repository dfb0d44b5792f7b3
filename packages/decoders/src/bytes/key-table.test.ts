import { encodeBase58 } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AddressCache } from './key-table.ts'

// Guards every address of every event.
describe('a cache of addresses', () => {
  it('writes each key in base58, even two that share a slot', () => {
    const cache = new AddressCache()
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 })

    fc.assert(
      fc.property(key, fc.nat(31), fc.nat(255), (first, at, byte) => {
        const second = first.slice()
        second[at] = byte
        for (const each of [first, second, first]) expect(cache.of(each)).toBe(encodeBase58(each))
      }),
    )
  })

  it('does not keep a reference to the bytes of a look-up', () => {
    const cache = new AddressCache()
    const key = new Uint8Array(32).fill(7)
    const address = cache.of(key)

    key[0] = 8

    expect(cache.of(key)).toBe(encodeBase58(key))
    expect(cache.of(new Uint8Array(32).fill(7))).toBe(address)
  })
})
