import { generateKeyPairSync } from 'node:crypto'
import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { keyOf } from './key-table.ts'
import { isOnCurve, programAddress } from './program-address.ts'

describe('isOnCurve', () => {
  it('is true for every key that can sign', () => {
    for (let count = 0; count < 50; count++) {
      const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })

      expect(isOnCurve(Buffer.from(x!, 'base64url'))).toBe(true)
    }
  })

  it('is false for program accounts', () => {
    // Raydium AMM v4's authority, pump.fun's global and event authority
    for (const address of [
      '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
      '4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf',
      'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1',
    ]) {
      expect(isOnCurve(keyOf(address))).toBe(false)
    }
  })
})

describe('programAddress', () => {
  it('derives the same account as other implementations', () => {
    // pump.fun's global account and event authority, from its public IDL.
    const global = programAddress(
      [new TextEncoder().encode('global')],
      '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
    )
    const events = programAddress(
      [new TextEncoder().encode('__event_authority')],
      '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
    )

    expect(encodeBase58(global)).toBe('4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf')
    expect(encodeBase58(events)).toBe('Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1')
  })
})
