import { describe, expect, it } from 'vitest'
import { type ApiUnderTest, createApiUnderTest } from '../testing/api-under-test.ts'

describe('POST /api/register', () => {
  it('200 creates an account and mails a welcome with a login link', async () => {
    const { register, mailbox, email, accounts } = await createApiUnderTest()

    const answer = await register()

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ ok: true })
    expect((await accounts.findAccount(email)).account.user.Email).toBe(email)
    expect(mailbox.list()).toMatchObject([
      {
        to: email,
        subject: 'Welcome to Pairwire: your login link',
        link: expect.stringMatching(/^http:\/\/localhost:23000\/dashboard\/login\?t=.{20,}$/),
      },
    ])
  })

  it.each([
    ['a missing email', { email: undefined }, 'Please enter an email address'],
    ['an empty email', { email: '' }, 'Please enter an email address'],
    ['a text that is no email', { email: 'mara' }, 'Please enter an email address'],
    ['two emails in one', { email: 'a@b.example,c@d.example' }, 'Please enter an email address'],
    ['a missing origin', { origin: undefined }, 'Please select how you found us'],
    ['an unknown origin', { origin: 'elsewhere' }, 'Please select how you found us'],
    ['email and origin both wrong', { origin: '', email: '' }, 'Please enter an email address'],
    ['a captcha that is no text', { recaptcha_token: 7 }, 'Recaptcha not loaded'],
  ])('400 with the form’s sentence for %s', async (_case, over, sentence) => {
    const { register } = await createApiUnderTest()

    const answer = await register(over)

    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({ errorType: 'ERR_VALIDATION', errorMessage: sentence })
  })

  it('400 with the support’s address for everybody while registration is closed, and /api/config and the pages say so', async () => {
    const { app, register } = await createApiUnderTest({ registration: 'closed' })

    for (const over of [{}, { email: '' }]) {
      const answer = await register(over)

      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toEqual({
        errorType: 'REGISTRATION_CLOSED',
        errorMessage: 'Registration is closed. Ask for an invitation at support@pairwire.example.',
      })
    }
    expect((await app.inject('/api/config')).json()).toMatchObject({ registration: 'closed' })
    expect((await app.inject('/status')).payload).not.toContain('Register')
  })

  it('400 for a blocked email domain', async () => {
    const { register } = await createApiUnderTest()

    const answer = await register({ email: 'someone@mailinator.com' })

    expect(answer.statusCode).toBe(400)
    expect(answer.json().errorType).toBe('BLOCKED_EMAIL_DOMAIN')
  })

  it('409 for a known email, in any case', async () => {
    const { register, email } = await createApiUnderTest()
    await register()

    const answer = await register({ email: email.toUpperCase() })

    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toEqual({
      errorType: 'ERR_CONFLICT',
      errorMessage: 'Email already registered. Please try again...',
    })
  })
})

describe('the captcha of a register call', () => {
  it('is used up by a successful call', async () => {
    const { register, captchaToken } = await createApiUnderTest()
    const recaptcha_token = await captchaToken()
    await register({ recaptcha_token })

    const answer = await register({ recaptcha_token, email: 'other@example.com' })

    expect(answer.statusCode).toBe(400)
    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })

  it.each([
    ['a wrong origin', { origin: 'elsewhere' }],
    ['a wrong email', { email: 'nobody' }],
    ['a blocked domain', { email: 'someone@mailinator.com' }],
  ])('is used up by a call that fails because of %s', async (_case, over) => {
    const { register, captchaToken } = await createApiUnderTest()
    const recaptcha_token = await captchaToken()
    expect((await register({ recaptcha_token, ...over })).json().errorType).not.toBe('CAPTCHA_FAILED')

    const answer = await register({ recaptcha_token })

    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })

  it('is refused after five minutes', async () => {
    const { register, captchaToken, clock } = await createApiUnderTest()
    const recaptcha_token = await captchaToken()
    clock.now += 5 * 60_000

    const answer = await register({ recaptcha_token })

    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })

  it('is refused if another service signed it', async () => {
    const { register } = await createApiUnderTest()
    const stranger = await createApiUnderTest({ sessionSecret: new Uint8Array(32).fill(9) })
    const challenge = JSON.parse(Buffer.from(await stranger.captchaToken(), 'base64').toString())
    challenge.challenge.signature = '00'.repeat(32)

    const answer = await register({ recaptcha_token: asToken(challenge) })

    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })

  it('is refused with a later expiry than the signed one', async () => {
    const { register, captchaToken } = await createApiUnderTest()
    const payload = JSON.parse(Buffer.from(await captchaToken(), 'base64').toString())
    payload.challenge.parameters.expiresAt += 60

    const answer = await register({ recaptcha_token: asToken(payload) })

    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })

  it('is refused with a wrong solution, and afterwards even with the right one', async () => {
    const { register, captchaToken } = await createApiUnderTest()
    const right = await captchaToken()
    const wrong = JSON.parse(Buffer.from(right, 'base64').toString())
    wrong.solution.derivedKey = 'ab'.repeat(32)

    const first = await register({ recaptcha_token: asToken(wrong) })
    const second = await register({ recaptcha_token: right })

    expect(first.json().errorType).toBe('CAPTCHA_FAILED')
    expect(second.json().errorType).toBe('CAPTCHA_FAILED')
  })

  it('allows one of many simultaneous calls', async () => {
    const { register, captchaToken, email } = await createApiUnderTest()
    const recaptcha_token = await captchaToken()

    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => register({ recaptcha_token, email: `${n}-${email}` })),
    )

    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1)
  })

  it.each([
    '',
    'not base64',
    asToken({}),
    asToken([]),
    asToken(null),
    asToken({ challenge: {}, solution: {} }),
  ])('is refused if it is %j', async (recaptcha_token) => {
    const { register } = await createApiUnderTest()

    const answer = await register({ recaptcha_token })

    expect(answer.statusCode).toBe(400)
    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })
})

describe('GET /api/captcha', () => {
  const costOf = async ({ app }: ApiUnderTest, remoteAddress: string): Promise<number> =>
    (await app.inject({ url: '/api/captcha', remoteAddress })).json().parameters.cost

  it('doubles the challenge for an address that asks often, up to sixteen times, and for nobody else', async () => {
    const api = await createApiUnderTest({ authRatePerAddress: 3 })
    const costs = []
    for (let count = 0; count < 17; count++) costs.push(await costOf(api, '2001:db8::1'))

    const [k1, k2, k4, k8, k16] = [1_000, 2_000, 4_000, 8_000, 16_000]
    expect(costs).toEqual([k1, k1, k1, k2, k2, k2, k4, k4, k4, k8, k8, k8, k16, k16, k16, k16, k16])
    expect(await costOf(api, '2001:db8::2')).toBe(k16)
    expect(await costOf(api, '2001:db8:0:1::1')).toBe(k1)
  })

  it('is easy again after ten minutes', async () => {
    const api = await createApiUnderTest({ authRatePerAddress: 1 })
    await costOf(api, '192.0.2.7')
    expect(await costOf(api, '192.0.2.7')).toBe(2_000)

    api.clock.now += 10 * 60_000

    expect(await costOf(api, '192.0.2.7')).toBe(1_000)
  })

  it('accepts the solution of the hardest challenge', async () => {
    const api = await createApiUnderTest({ authRatePerAddress: 1 })
    for (let count = 0; count < 4; count++) await api.captchaToken()

    const recaptcha_token = await api.captchaToken()

    expect(JSON.parse(Buffer.from(recaptcha_token, 'base64').toString()).challenge.parameters.cost).toBe(
      16_000,
    )
    expect((await api.register({ recaptcha_token })).statusCode).toBe(200)
  })

  it('is refused with less work than required', async () => {
    const api = await createApiUnderTest({ authRatePerAddress: 1 })
    await api.captchaToken()
    const payload = JSON.parse(Buffer.from(await api.captchaToken(), 'base64').toString())
    payload.challenge.parameters.cost = 1_000

    const answer = await api.register({ recaptcha_token: asToken(payload) })

    expect(answer.json().errorType).toBe('CAPTCHA_FAILED')
  })
})

function asToken(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}
