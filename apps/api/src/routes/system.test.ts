import { describe, expect, it } from 'vitest'
import { createRecaptchaCaptcha } from '../adapters/captcha-recaptcha.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'

describe('GET /api/systemstatus', () => {
  it('200 returns the operator’s newest notice first', async () => {
    const { app, accounts, refreshNotices } = await createApiUnderTest()
    await accounts.addStatus('Older.')
    await accounts.addStatus('Newer.')
    await refreshNotices()

    const answer = await app.inject('/api/systemstatus')

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual([
      { Details: 'Newer. Data is simulated.' },
      { Details: 'Older.' },
      { Details: 'Data is simulated.' },
    ])
  })

  it('200 with an empty list while all is well and the data is real', async () => {
    const { app } = await createApiUnderTest({ simulated: false })

    const answer = await app.inject('/api/systemstatus')

    expect(answer.json()).toEqual([])
  })
})

describe('GET /api/config', () => {
  it('200 returns the browser’s settings', async () => {
    const { app, parts } = await createApiUnderTest()

    const answer = await app.inject('/api/config')

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({
      streamUrl: 'ws://localhost:23000/',
      simulated: true,
      production: false,
      captcha: { provider: 'altcha' },
      payment: { provider: 'sandbox' },
      statusUrl: '/status',
      supportEmail: 'support@pairwire.example',
      links: parts.links,
      devMailbox: '/dev/mail',
    })
  })

  it('names no mailbox on a host that others reach', async () => {
    const { app } = await createApiUnderTest({ isLocal: false })

    const answer = await app.inject('/api/config')

    expect(answer.json()).not.toHaveProperty('devMailbox')
  })

  it('returns the site key of a captcha that has one', async () => {
    const { app } = await createApiUnderTest({
      captcha: createRecaptchaCaptcha({ siteKey: 'site-key', secret: 'secret' }),
    })

    const answer = await app.inject('/api/config')

    expect(answer.json().captcha).toEqual({ provider: 'recaptcha', siteKey: 'site-key' })
    expect(answer.payload).not.toContain('secret')
  })
})

describe('GET /api/captcha', () => {
  it('200 returns a challenge that is valid for five minutes', async () => {
    const { app, clock } = await createApiUnderTest()

    const answer = await app.inject('/api/captcha')

    expect(answer.statusCode).toBe(200)
    expect(answer.json().signature).toMatch(/^[0-9a-f]{64}$/)
    expect(answer.json().parameters.expiresAt).toBe(Math.floor((clock.now + 5 * 60_000) / 1_000))
  })

  it('404 if the captcha makes its challenges elsewhere', async () => {
    const { app } = await createApiUnderTest({
      captcha: createRecaptchaCaptcha({ siteKey: 'site-key', secret: 'secret' }),
    })

    const answer = await app.inject('/api/captcha')

    expect(answer.statusCode).toBe(404)
    expect(answer.json().errorType).toBe('ERR_NOT_FOUND')
  })
})
