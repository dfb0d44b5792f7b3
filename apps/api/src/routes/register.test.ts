import { describe, expect, it } from 'vitest'
import { createApiUnderTest } from '../api-under-test.ts'

describe('POST /api/register', () => {
  it('200 makes an account and mails its login link', async () => {
    const { register, mailbox } = await createApiUnderTest()

    const answer = await register({ email: 'mara@example.com' })

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ ok: true })
    expect(mailbox.list()).toMatchObject([
      { to: 'mara@example.com', link: expect.stringContaining('http://localhost:23000/dashboard/login?t=') },
    ])
  })

  it('400 when the captcha was used before', async () => {
    const { register, captchaToken } = await createApiUnderTest()
    const recaptcha_token = await captchaToken()
    await register({ recaptcha_token })

    const answer = await register({ recaptcha_token, email: 'other@example.com' })

    expect(answer.statusCode).toBe(400)
    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })

  it('409 for a known email', async () => {
    const { register } = await createApiUnderTest()
    await register()

    const answer = await register()

    expect(answer.statusCode).toBe(409)
    expect(answer.json().errorType).toBe('ERR_CONFLICT')
  })
})
