import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import type { MailMessage } from '../adapters/mail.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'

describe('POST /api/login', () => {
  it('200 mails a link to a known email, in any case', async () => {
    const { register, post, mailbox, email, mailsSettled } = await createApiUnderTest()
    await register()

    const answer = await post('/api/login', { email: email.toUpperCase() })
    await mailsSettled()

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ ok: true })
    expect(mailbox.list()).toHaveLength(2)
  })

  it('401 for an unknown email', async () => {
    const { post, email } = await createApiUnderTest()

    const answer = await post('/api/login', { email })

    expect(answer.statusCode).toBe(401)
    expect(answer.json().errorType).toBe('ERR_LOGIN_REQUIRED')
  })

  it('400 for a text that is not an email', async () => {
    const { post } = await createApiUnderTest()

    const answer = await post('/api/login', { email: 'mara' })

    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      errorType: 'ERR_VALIDATION',
      errorMessage: 'Please enter an email address',
    })
  })

  it('200 even if the mail server is away: the mail waits for it', async () => {
    const tried: MailMessage[] = []
    const { register, post, email, clock, logged, mailsSettled } = await createApiUnderTest({
      mail: {
        send: async (message) => {
          tried.push(message)
          if (tried.length === 2) throw new Error(`refused: ${message.link}`)
        },
        close: async () => {},
      },
    })
    await register()

    const answer = await post('/api/login', { email })
    await mailsSettled()
    clock.now += 5_000
    await mailsSettled()

    expect(answer.statusCode).toBe(200)
    expect(tried.map(({ subject }) => subject)).toEqual([
      'Welcome to Pairwire: your login link',
      'Your Pairwire login link',
      'Your Pairwire login link',
    ])
    expect(tried[2]).toEqual(tried[1])
    expect(logged.join()).toContain('A mail could not be sent.')
    expect(logged.join()).not.toContain(tokenOf(tried[1]!.link))
    expect(logged.join()).not.toContain(email)
  })
})

describe('POST /api/authenticate', () => {
  it('200 exchanges the mailed token for a session of 30 days', async () => {
    const { register, post, mailbox, clock } = await createApiUnderTest()
    await register()

    const answer = await post('/api/authenticate', { email_token: tokenOf(mailbox.list()[0]!.link) })

    expect(answer.statusCode).toBe(200)
    const claims = decodeJwt(answer.json().token)
    expect(claims.exp).toBe(Math.floor(clock.now / 1_000) + 30 * 24 * 60 * 60)
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub'])
  })

  it('401 for a used link', async () => {
    const { register, post, mailbox } = await createApiUnderTest()
    await register()
    const email_token = tokenOf(mailbox.list()[0]!.link)
    await post('/api/authenticate', { email_token })

    const answer = await post('/api/authenticate', { email_token })

    expect(answer.statusCode).toBe(401)
    expect(answer.json().errorType).toBe('ERR_LOGIN_REQUIRED')
  })

  it('401 for a link older than 15 minutes', async () => {
    const { register, post, mailbox, clock } = await createApiUnderTest()
    await register()
    clock.now += 15 * 60_000 + 1

    const answer = await post('/api/authenticate', { email_token: tokenOf(mailbox.list()[0]!.link) })

    expect(answer.statusCode).toBe(401)
  })

  it('401 for a made-up token', async () => {
    const { post } = await createApiUnderTest()

    const answer = await post('/api/authenticate', { email_token: 'made up' })

    expect(answer.statusCode).toBe(401)
  })

  it.each([[{}], [{ email_token: '' }], [{ email_token: 7 }], [{ email_token: 'x'.repeat(201) }]])(
    '400 for %j',
    async (body) => {
      const { post } = await createApiUnderTest()

      const answer = await post('/api/authenticate', body)

      expect(answer.statusCode).toBe(400)
      expect(answer.json().errorType).toBe('ERR_VALIDATION')
    },
  )
})

function tokenOf(link: string): string {
  return new URL(link).searchParams.get('t')!
}
