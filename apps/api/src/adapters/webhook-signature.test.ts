import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSigned, SIGNATURE_TOLERANCE_MS, signWebhook } from './webhook-signature.ts'

const SECRET = 'pdl_ntfset_secret'
const NOW = Date.UTC(2026, 2, 1, 12)
const BODY = Buffer.from('{"event_id":"evt_1","note":"ünïcode"}')

describe('the signature of a webhook', () => {
  it('is the one that the provider documents', () => {
    const signature = signWebhook('secret', '{}', 1_671_552_777_000)

    // printf '1671552777:{}' | openssl dgst -sha256 -hmac secret
    expect(signature).toBe(`ts=1671552777;h1=${OPENSSL}`)
  })

  it('is valid for exactly the signed bytes, a moment ago', () => {
    const signature = signWebhook(SECRET, BODY, NOW)

    expect(isSigned(SECRET, BODY, signature, NOW)).toBe(true)
    expect(isSigned(SECRET, BODY, signature, NOW + SIGNATURE_TOLERANCE_MS)).toBe(true)
  })

  it('is valid if one of several matches, while a secret is being replaced', () => {
    const [, hash] = signWebhook(SECRET, BODY, NOW).split(';')

    expect(isSigned(SECRET, BODY, `ts=${NOW / 1_000};h1=${'0'.repeat(64)};${hash}`, NOW)).toBe(true)
  })

  // Guards plans against strangers who know the address of the webhook.
  it('is refused if forged, old, from the future, empty or unreadable', () => {
    const good = signWebhook(SECRET, BODY, NOW)

    expect(isSigned(SECRET, BODY, signWebhook('another', BODY, NOW), NOW)).toBe(false)
    expect(isSigned(SECRET, BODY, good, NOW + SIGNATURE_TOLERANCE_MS + 1_000)).toBe(false)
    expect(isSigned(SECRET, BODY, good, NOW - SIGNATURE_TOLERANCE_MS - 1_000)).toBe(false)
    for (const odd of [
      undefined,
      '',
      'ts=;h1=',
      good.slice(0, -1),
      good.replace('ts=', 'ts=1'),
      'h1=00',
      `${good}x`.repeat(40),
    ]) {
      expect(isSigned(SECRET, BODY, odd, NOW)).toBe(false)
    }
  })

  it('is refused for a body that differs in any one byte or is cut off', () => {
    const signature = signWebhook(SECRET, BODY, NOW)

    fc.assert(
      fc.property(fc.nat(BODY.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const changed = Buffer.from(BODY)
        changed[place] = changed[place]! ^ change

        expect(isSigned(SECRET, changed, signature, NOW)).toBe(false)
        expect(isSigned(SECRET, BODY.subarray(0, place), signature, NOW)).toBe(false)
      }),
    )
  })
})

const OPENSSL = '34ffe9f6a5b1a44ae14b11d3172f63c8f9d288354d1c745da58b40b2e8d861c7'
