import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSession } from './session.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

describe('the session of a token', () => {
  it('is valid until its expiry', () => {
    const token = aToken({ exp: NOW / 1000 + 1 })

    expect(readSession(token, NOW)).toEqual({ token })
  })

  it('is over from its expiry on', () => {
    expect(readSession(aToken({ exp: NOW / 1000 }), NOW)).toBeUndefined()
    expect(readSession(aToken({ exp: NOW / 1000 - 1 }), NOW)).toBeUndefined()
  })

  it('reads claims in base64url', () => {
    // Its base64 contains both characters that base64url replaces.
    const token = aToken({ sub: '\u00fb\u00ff\u00fe>>>???', exp: NOW / 1000 + 60 })

    expect(readSession(token, NOW)).toEqual({ token })
  })

  it.each([null, '', 'a', 'a.b', 'a.b.c', '..', 'a.bnVsbA.c', `a.${btoa('[')}.c`])(
    'is absent when the token is %j',
    (token) => {
      expect(readSession(token, NOW)).toBeUndefined()
    },
  )

  it('never throws on a token', () => {
    fc.assert(fc.property(fc.string(), (token) => void readSession(token, NOW)))
  })
})

function aToken(claims: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(claims))
  const payload = btoa(String.fromCharCode(...bytes))
  return `e30.${payload.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.signature`
}
