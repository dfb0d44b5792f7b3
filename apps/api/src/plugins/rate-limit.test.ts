import { describe, expect, it } from 'vitest'
import {
  type ApiUnderTest,
  createApiUnderTest,
  NO_ACCOUNTS,
  theApp,
  theDocs,
} from '../testing/api-under-test.ts'

describe('rate limits', () => {
  it('count the register and login calls of an address together', async () => {
    const { app, post, email, register } = await createApiUnderTest({ authRatePerAddress: 3 })
    await register()
    await post('/api/login', { email })
    await post('/api/login', { email })

    for (const path of ['/api/register', '/api/login']) {
      const answer = await post(path, {})
      expect(answer.statusCode).toBe(429)
      expect(answer.json().errorType).toBe('ERR_RATE_LIMITED')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
    }
    expect((await app.inject('/api/config')).statusCode).toBe(200)
  })

  it('count the opened links of an address separately', async () => {
    const { post, mailbox, register } = await createApiUnderTest({ authRatePerAddress: 1 })
    await register()
    expect((await post('/api/login', {})).statusCode).toBe(429)

    expect((await post('/api/authenticate', { email_token: tokenOf(mailbox) })).statusCode).toBe(200)
    expect((await post('/api/authenticate', { email_token: 'guessed' })).statusCode).toBe(429)
  })

  it('open again after a minute', async () => {
    const { post, clock } = await createApiUnderTest({ authRatePerAddress: 1 })
    await post('/api/login', {})
    expect((await post('/api/login', {})).statusCode).toBe(429)

    clock.now += 60_000

    expect((await post('/api/login', {})).statusCode).toBe(400)
  })

  // Guards people against being locked out for as long as a clock was wrong.
  it('open again after a minute even when the clock was set back meanwhile', async () => {
    const { post, clock } = await createApiUnderTest({ authRatePerAddress: 1 })
    await post('/api/login', {})
    expect((await post('/api/login', {})).statusCode).toBe(429)

    clock.now -= 3_600_000
    clock.setBackMs += 3_600_000
    expect(Number((await post('/api/login', {})).headers['retry-after'])).toBeLessThanOrEqual(60)
    clock.now += 60_000

    expect((await post('/api/login', {})).statusCode).toBe(400)
  })

  // Guards the thread that serves everybody: each of these costs more to answer than to send.
  it.each([
    ['/api/captcha', 12],
    ['/status', 180],
    ['/status.json', 180],
    ['/docs/swaps', 600],
    ['/api/unknown', 120],
    ['/nowhere', 120],
    ['/docs/nowhere', 120],
    ['/dev/nowhere', 120],
  ])('apply to what strangers may request: %s, %i times a minute from one address', async (url, most) => {
    const parts = { accounts: NO_ACCOUNTS, authRatePerAddress: 2, docs: theDocs() }
    const { app, clock } = await createApiUnderTest(parts)
    for (let count = 0; count < most; count++) {
      const { statusCode } = await app.inject({ method: 'HEAD', url })
      if (statusCode === 429) expect.fail(`the call ${count} was refused`)
    }

    const refused = await app.inject({ url, headers: { accept: 'text/html' } })
    const other = await app.inject({ url, remoteAddress: '192.0.2.7' })
    clock.now += 60_000
    const later = await app.inject(url)

    expect(refused.statusCode).toBe(429)
    expect(refused.json().errorType).toBe('ERR_RATE_LIMITED')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(other.statusCode).not.toBe(429)
    expect(later.statusCode).not.toBe(429)
  })

  it.each(['/healthz', '/readyz', '/metrics'])(
    'do not apply to what monitors the service: %s',
    async (url) => {
      const app = await theApp()

      // More than any call may be made but those of the docs.
      for (let count = 0; count < 200; count++) expect((await app.inject(url)).statusCode).toBe(200)
    },
  )

  it('allow one account 120 other calls a minute', async () => {
    const { app, signIn } = await createApiUnderTest()
    const headers = { authorization: `Bearer ${await signIn()}` }
    const statuses = []
    for (let count = 0; count < 121; count++) {
      statuses.push((await app.inject({ url: '/api/account', headers })).statusCode)
    }

    expect(statuses.filter((status) => status === 200)).toHaveLength(120)
    expect(statuses.at(-1)).toBe(429)
  })

  it('do not trust a forwarded address from a stranger', async () => {
    const { app } = await createApiUnderTest({ authRatePerAddress: 1 })
    const login = (from: string) =>
      app.inject({ method: 'POST', url: '/api/login', payload: {}, headers: { 'x-forwarded-for': from } })

    await login('192.0.2.1')

    expect((await login('192.0.2.2')).statusCode).toBe(429)
  })

  it('count by the forwarded address behind a trusted proxy', async () => {
    const { app } = await createApiUnderTest({ authRatePerAddress: 1, trustProxy: ['127.0.0.1'] })
    const login = (from: string) =>
      app.inject({ method: 'POST', url: '/api/login', payload: {}, headers: { 'x-forwarded-for': from } })

    await login('192.0.2.1')

    expect((await login('192.0.2.2')).statusCode).toBe(400)
    expect((await login('192.0.2.1')).statusCode).toBe(429)
  })

  it('count the addresses of one IPv6 network as one', async () => {
    const { app } = await createApiUnderTest({ authRatePerAddress: 1 })
    const login = (remoteAddress: string) =>
      app.inject({ method: 'POST', url: '/api/login', payload: {}, remoteAddress })

    await login('2001:db8::1')

    expect((await login('2001:db8::2')).statusCode).toBe(429)
    expect((await login('2001:db8:0:1::1')).statusCode).toBe(400)
  })
})

describe('mails to one email', () => {
  it('are limited to five an hour per address, in any case; beyond that the answer is 200 and none is sent', async () => {
    const api = await createApiUnderTest()
    await api.register()

    for (let count = 0; count < 7; count++) {
      const email = count % 2 ? api.email : api.email.toUpperCase()
      const answer = await api.post('/api/login', { email })
      expect(answer.statusCode).toBe(200)
      expect(answer.json()).toEqual({ ok: true })
    }
    expect(await mailsOf(api)).toBe(5)

    api.clock.now += 60 * 60_000
    await api.post('/api/login', { email: api.email })
    expect(await mailsOf(api)).toBe(6)
  })

  it('are still sent to the owner after a stranger has used up a share, however often the stranger tried', async () => {
    const api = await createApiUnderTest()
    await api.register()
    for (let count = 0; count < 60; count++) await logIn(api, api.email, '198.51.100.7')
    expect(await mailsOf(api)).toBe(1 + 5)

    const answer = await logIn(api, api.email, '203.0.113.24')

    expect(answer.statusCode).toBe(200)
    expect(await mailsOf(api)).toBe(1 + 5 + 1)
  })

  it('are limited to fifty an hour from everywhere: beyond that the answer is 200 and none is sent, earlier links stay valid, and after 15 minutes without one the owner gets one, whatever strangers used up', async () => {
    const api = await createApiUnderTest()
    await api.register()
    const email_token = tokenOf(api.mailbox)
    await askFromEverywhere(api, 60)
    expect(await mailsOf(api)).toBe(50)

    expect((await logIn(api, api.email, '203.0.113.24')).statusCode).toBe(200)
    expect(await mailsOf(api)).toBe(50)
    expect((await api.post('/api/authenticate', { email_token })).statusCode).toBe(200)

    api.clock.now += 15 * 60_000
    await logIn(api, api.email, '203.0.113.24')
    await logIn(api, api.email, '203.0.113.24')
    expect(await mailsOf(api)).toBe(51)
    expect((await api.post('/api/authenticate', { email_token: tokenOf(api.mailbox) })).statusCode).toBe(200)
  })

  it('count by the /64 of an IPv6 address', async () => {
    const api = await createApiUnderTest()
    await api.register()
    for (let count = 0; count < 8; count++) await logIn(api, api.email, `2001:db8::${count + 1}`)

    expect(await mailsOf(api)).toBe(1 + 5)
  })

  it('do not count if none is sent: for an unknown email and for one that registers again', async () => {
    const api = await createApiUnderTest()
    for (let count = 0; count < 8; count++) {
      expect((await api.post('/api/login', { email: api.email })).statusCode).toBe(401)
    }
    await api.register()
    for (let count = 0; count < 8; count++) expect((await api.register()).statusCode).toBe(409)

    for (let count = 0; count < 4; count++) await api.post('/api/login', { email: api.email })

    expect(await mailsOf(api)).toBe(5)
  })
})

function logIn({ app }: ApiUnderTest, email: string, remoteAddress: string) {
  return app.inject({ method: 'POST', url: '/api/login', payload: { email }, remoteAddress })
}

/** Login calls for the email, four from each of many addresses. */
async function askFromEverywhere(api: ApiUnderTest, calls: number): Promise<void> {
  for (let call = 0; call < calls; call++) {
    const answer = await logIn(api, api.email, `198.51.100.${Math.floor(call / 4)}`)
    expect(answer.statusCode).toBe(200)
  }
}

async function mailsOf({ mailbox, mailsSettled, email }: ApiUnderTest): Promise<number> {
  await mailsSettled()
  return mailbox.list().filter(({ to }) => to === email).length
}

/** Token of the newest mail's link. */
function tokenOf(mailbox: ApiUnderTest['mailbox']): string {
  return new URL(mailbox.list()[0]!.link).searchParams.get('t')!
}
