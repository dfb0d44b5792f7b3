import { describe, expect, it } from 'vitest'
import { BLOCKED_EMAIL_DOMAINS, createBlockedEmailDomains } from './blocked-email-domains.ts'

const isBlocked = createBlockedEmailDomains([' Spam.Example '])

describe('blocked email domains', () => {
  it.each(
    'mailinator.com guerrillamail.com 10minutemail.com yopmail.com temp-mail.org throwawaymail.com sharklasers.com trashmail.com getnada.com maildrop.cc 1secmail.com mohmal.com moakt.com tempr.email fakemail.net minuteinbox.com tempmail.com spam.example'.split(
      ' ',
    ),
  )('block %s and its subdomains, in any case', (domain) => {
    expect(isBlocked(`ann@${domain}`)).toBe(true)
    expect(isBlocked(`ann@${domain.toUpperCase()}`)).toBe(true)
    expect(isBlocked(`ann@a.b.${domain}`)).toBe(true)
    expect(isBlocked(`ann@x${domain}`)).toBe(false)
    expect(isBlocked(`ann@${domain}.example`)).toBe(false)
  })

  // Guards against a list that grows too eager with an update: these people could not register any more.
  it.each(
    'gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com yahoo.co.uk icloud.com me.com privaterelay.appleid.com aol.com proton.me protonmail.com pm.me fastmail.com tutanota.com tuta.com gmx.de gmx.net web.de mail.ru yandex.ru qq.com 163.com naver.com hey.com zoho.com mailbox.org posteo.de duck.com mozmail.com simplelogin.com passmail.net example.com example.org'.split(
      ' ',
    ),
  )('do not block %s', (domain) => {
    expect(isBlocked(`ann@${domain}`)).toBe(false)
  })

  it('are whole domains in lower case, never a top-level one', () => {
    for (const domain of BLOCKED_EMAIL_DOMAINS)
      expect(domain).toMatch(/^[\p{Ll}\p{Lo}\d-]+(\.[\p{Ll}\p{Lo}\d-]+)+$/u)
    expect(BLOCKED_EMAIL_DOMAINS.size).toBeGreaterThan(5_000)
  })
})
