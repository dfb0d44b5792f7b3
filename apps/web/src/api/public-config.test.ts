import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPublicConfig } from './public-config.ts'

const origin = { protocol: 'https:', host: 'pairs.example:8443', hostname: 'pairs.example' }

describe('reading the settings', () => {
  it('defaults to the same origin for everything without an answer', () => {
    expect(readPublicConfig(undefined, origin)).toEqual({
      streamUrl: 'wss://pairs.example:8443/',
      simulated: false,
      production: false,
      captcha: { provider: 'altcha' },
      payment: { provider: 'sandbox' },
      statusUrl: '/status',
      supportEmail: 'support@pairs.example',
      links: {
        discord: 'https://discord.com/',
        github: 'https://github.com/',
        x: 'https://x.com/',
        reddit: 'https://www.reddit.com/',
      },
    })
  })

  it("uses the server's checkout, and none in production by default", () => {
    const paddle = {
      provider: 'paddle',
      environment: 'production',
      clientToken: 'live_1',
      prices: { 1: 'a', 2: 'b', 3: 'c' },
    }

    expect(readPublicConfig({ production: true, payment: paddle }, origin).payment).toEqual(paddle)
    expect(readPublicConfig({ production: true }, origin)).not.toHaveProperty('payment')
    expect(readPublicConfig({ payment: { provider: 'other' } }, origin)).not.toHaveProperty('payment')
    expect(readPublicConfig({ payment: { ...paddle, clientToken: 7 } }, origin)).not.toHaveProperty('payment')
  })

  it('uses ws for a page loaded over http', () => {
    const config = readPublicConfig({}, { ...origin, protocol: 'http:' })

    expect(config.streamUrl).toBe('ws://pairs.example:8443/')
  })

  it("uses the server's settings", () => {
    const answer = {
      streamUrl: 'wss://stream.example/',
      simulated: true,
      production: true,
      captcha: { provider: 'recaptcha', siteKey: 'site' },
      statusUrl: 'https://status.example/',
      supportEmail: 'help@example.com',
      links: { discord: '/a', github: '/b', x: '/c', reddit: '/d' },
      devMailbox: '/dev/mail',
    }

    expect(readPublicConfig(answer, origin)).toEqual(answer)
  })

  it.each(['javascript:alert(1)', '//evil.example', 'data:text/html,x', ' '])(
    'never makes a link of %j',
    (address) => {
      const config = readPublicConfig({ statusUrl: address, devMailbox: address }, origin)

      expect(config.statusUrl).toBe('/status')
      expect(config.devMailbox).toBeUndefined()
    },
  )

  it('never fails, whatever it reads', () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        expect(readPublicConfig(answer, origin).streamUrl).toMatch(/^wss?:/)
      }),
    )
  })

  it('accepts a third party only with a name that is valid in an address, and none by default', () => {
    const origin = { protocol: 'http:', host: 'localhost:8080', hostname: 'localhost' }
    const read = (thirdParties: unknown) => readPublicConfig({ thirdParties }, origin).thirdParties

    expect(read(undefined)).toBeUndefined()
    expect(
      read({ crispWebsiteId: '"><script>', clarityProjectId: '../x', sentryDsn: 'javascript:1' }),
    ).toBeUndefined()
    expect(
      read({ crispWebsiteId: 'a-b', clarityProjectId: 'c1', sentryDsn: 'https://k@errors.example/1' }),
    ).toEqual({
      crispWebsiteId: 'a-b',
      clarityProjectId: 'c1',
      sentryDsn: 'https://k@errors.example/1',
    })
  })
})
