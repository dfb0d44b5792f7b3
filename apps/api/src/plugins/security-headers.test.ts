import type { ThirdParties } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createRecaptchaCaptcha } from '../adapters/captcha-recaptcha.ts'
import { createApiUnderTest, NO_ACCOUNTS, theApp, theDocs } from '../testing/api-under-test.ts'

const ANSWERS = ['/dashboard', '/assets/index-abc123.js', '/api/config', '/api/unknown', '/docs', '/nowhere']

describe('security headers', () => {
  it.each(ANSWERS)('are on every answer: %s', async (url) => {
    const app = await theApp()

    const { headers } = await app.inject(url)

    expect(headers['content-security-policy']).toBe(
      "default-src 'self';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';" +
        "connect-src 'self' ws://localhost:23000 ws://localhost:* ws://127.0.0.1:*;worker-src 'self';frame-src 'self';object-src 'none';" +
        "base-uri 'none';form-action 'self';frame-ancestors 'none'",
    )
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers).not.toHaveProperty('x-powered-by')
  })

  it('require https only if the public address is https', async () => {
    const parts = { accounts: NO_ACCOUNTS, docs: theDocs() }
    const plain = await createApiUnderTest(parts)
    const secure = await createApiUnderTest({ ...parts, publicUrl: 'https://pairwire.example' })

    expect((await plain.app.inject('/docs')).headers).not.toHaveProperty('strict-transport-security')
    expect((await secure.app.inject('/docs')).headers['strict-transport-security']).toBe('max-age=31536000')
  })

  it('allow other streams on the visitor’s machine only if the service runs there too', async () => {
    const away = await createApiUnderTest({ accounts: NO_ACCOUNTS, publicUrl: 'http://pairwire.example' })
    const secure = await createApiUnderTest({ accounts: NO_ACCOUNTS, publicUrl: 'https://pairwire.example' })

    for (const { app } of [away, secure])
      expect((await app.inject('/dashboard')).headers['content-security-policy']).not.toMatch(
        /localhost:\*|127\.0\.0\.1/,
      )
  })

  it('allow a third party’s sources only if it is configured', async () => {
    const policyWith = async (thirdParties: ThirdParties) => {
      const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, thirdParties })
      return String((await app.inject('/dashboard')).headers['content-security-policy'])
    }
    const none = await policyWith({})
    const sentry = await policyWith({ sentryDsn: 'https://key@errors.example/7' })
    const crisp = await policyWith({ crispWebsiteId: 'site' })
    const clarity = await policyWith({ clarityProjectId: 'project' })

    expect(none).not.toMatch(/crisp|clarity|bing|sentry|errors\.example/)
    expect(sentry).toContain(
      "connect-src 'self' ws://localhost:23000 ws://localhost:* ws://127.0.0.1:* https://errors.example;",
    )
    expect(sentry).toContain("script-src 'self';")
    expect(crisp).toContain("script-src 'self' https://client.crisp.chat;")
    expect(crisp).toContain('wss://client.relay.crisp.chat')
    expect(crisp).not.toMatch(/clarity|script-src[^;]*unsafe/)
    expect(clarity).toContain("script-src 'self' https://*.clarity.ms;")
    expect(clarity).not.toMatch(/crisp|unsafe/)
  })

  it('allow the captcha’s own sources and no others', async () => {
    const { app } = await createApiUnderTest({
      accounts: NO_ACCOUNTS,
      captcha: createRecaptchaCaptcha({ siteKey: 'site-key', secret: 'secret' }),
    })

    const policy = String((await app.inject('/dashboard')).headers['content-security-policy'])

    expect(policy).toContain(
      "script-src 'self' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/;",
    )
    expect(policy).not.toContain('unsafe')
  })
})
