import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { createApiUnderTest } from '../testing/api-under-test.ts'

describe('POST /api/login', () => {
  it('200 mails a link to a known email, in any case', async () => {
    const { register, post, mailbox, email } = await createApiUnderTest()
    await register()

    const answer = await post('/api/login', { email: email.toUpperCase() })

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

  it('400 for what is no email', async () => {
    const { post } = await createApiUnderTest()

    const answer = await post('/api/login', { email: 'mara' })

    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      errorType: 'ERR_VALIDATION',
      errorMessage: 'Please enter an email address',
    })
  })

  it('503 when the mail server is away', async () => {
    let away = false
    const { register, post, email } = await createApiUnderTest({
      mail: {
        send: async () => {
          if (away) throw new Error('away')
        },
        close: async () => {},
      },
    })
    await register()
    away = true

    const answer = await post('/api/login', { email })

    expect(answer.statusCode).toBe(503)
    expect(answer.json().errorType).toBe('ERR_UNAVAILABLE')
  })
})

describe('POST /api/authenticate', () => {
  it('200 changes the mailed token for a session of 30 days', async () => {
    const { register, post, mailbox, clock } = await createApiUnderTest()
    await register()

    const answer = await post('/api/authenticate', { email_token: tokenOf(mailbox.list()[0]!.link) })

    expect(answer.statusCode).toBe(200)
    const claims = decodeJwt(answer.json().token)
    expect(claims.exp).toBe(Math.floor(clock.now / 1_000) + 30 * 24 * 60 * 60)
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sub'])
  })

  it('401 for a link that was used', async () => {
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
