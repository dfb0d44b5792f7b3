import { STEP_MS } from '@pairwire/accounts/testing/authenticator'
import { MINUTE_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createRoomUnderTest } from '../../testing/room-under-test.ts'

describe('signing in to the room', () => {
  it('takes a mailed link in the browser that asked, and a code', async () => {
    const { browser, code, mailedToken, operator } = await createRoomUnderTest()
    const mine = browser()

    const asked = await mine.post('session/link', { email: operator.email.toUpperCase() })
    const t = await mailedToken()
    const opened = await mine.post('session/open', { t, code: code() })

    expect([asked.statusCode, asked.json()]).toEqual([200, {}])
    expect(String(asked.headers['set-cookie'])).toMatch(
      /^pairwire-operator-browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    expect([opened.statusCode, opened.json()]).toEqual([200, { email: operator.email, role: 'operator' }])
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(/^pairwire-operator=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringContaining('Max-Age=0'),
    ])
    expect((await mine.session()).json()).toMatchObject({
      email: operator.email,
      role: 'operator',
      sessions: [{ address: '127.0.0.1', isThis: true }],
      verbs: expect.arrayContaining(['account show', 'account plan', 'order refund']),
    })
  })

  it('keeps its cookies to https and its own host where the room has https', async () => {
    const adminUrl = 'https://ops.pairwire.example'
    const headers = { origin: adminUrl, host: 'ops.pairwire.example', 'content-type': 'application/json' }
    const { browser, code, link } = await createRoomUnderTest({ adminUrl, adminAllow: 'any', headers })

    const opened = await browser().post('session/open', { t: await link(), code: code() })

    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-pairwire-operator=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
      expect.stringMatching(/^__Host-pairwire-operator-browser=;/),
    ])
  })

  it('shows the token of a session in its cookie alone, and lets no page read, frame or name what it answers', async () => {
    const { browser, code, link } = await createRoomUnderTest()
    const mine = browser()

    const opened = await mine.post('session/open', { t: await link(), code: code() })

    const token = mine.cookies.get('pairwire-operator')!
    for (const { payload, headers } of [opened, await mine.session()]) {
      expect(payload).not.toContain(token)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      const policy = String(headers['content-security-policy'])
      for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(part)
      expect(policy).not.toMatch(/object-src|unsafe/)
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  // Guards the operator: who tries doors is seen.
  it('logs what it refuses by route and address, and neither link, code, token nor email', async () => {
    const { browser, code, link, logged, operator, signedIn } = await createRoomUnderTest({ role: 'viewer' })
    const t = await link()
    const mine = await signedIn()
    logged.length = 0

    await browser().post('session/open', { t, code: code(9) })
    await browser().post('session/open', { t: 'guessed', code: code() })
    await browser().post('account/list')
    await mine.post('account/create', { emails: [operator.email] })
    await mine.post('account/list', {}, { origin: 'https://evil.example' })

    const refusals = logged.filter((line) => line.startsWith('The operator’s room refused a call.'))
    expect(refusals.map((line) => JSON.parse(line.slice(line.indexOf('{'))))).toEqual(
      [
        ['session/open', 401],
        ['session/open', 401],
        [':group/:verb', 401],
        [':group/:verb', 403],
        [':group/:verb', 403],
      ].map(([route, status]) => ({ route: `/api/operator/${route}`, status, address: '127.0.0.1' })),
    )
    const secrets = [t, code(9), operator.secret, operator.email, ...mine.cookies.values()]
    for (const secret of secrets) expect(logged.join()).not.toContain(secret)
  })

  it('answers the same for an email of nobody, and mails nothing', async () => {
    const { browser, mailbox, mailsSettled } = await createRoomUnderTest()

    for (const email of ['nobody@example.org', 'nobody', 'a\0@example.org', '\ud800', '']) {
      const answer = await browser().post('session/link', { email })
      await mailsSettled()

      expect([answer.statusCode, answer.json()]).toEqual([200, {}])
      expect(answer.headers['set-cookie']).toContain('pairwire-operator-browser=')
    }
    expect(mailbox.list()).toEqual([])
  })

  it('mails five links an hour to one operator, and answers the same beyond', async () => {
    const { browser, clock, mailedToken, operator } = await createRoomUnderTest()
    const mine = browser()

    for (let asked = 1; asked <= 7; asked++) {
      expect((await mine.post('session/link', { email: operator.email })).statusCode).toBe(200)
      await mailedToken(Math.min(asked, 5))
    }
    clock.now += 60 * MINUTE_MS + 1
    await mine.post('session/link', { email: operator.email })
    await mailedToken(6)
  })

  it.each([
    ['a guessed link', async () => 'A'.repeat(43)],
    [
      'a link of ten minutes ago',
      async ({ link, clock }) => {
        const t = await link()
        clock.now += 10 * MINUTE_MS
        return t
      },
    ],
    [
      'a used link',
      async ({ link, browser, code, clock }) => {
        const t = await link()
        expect((await browser().post('session/open', { t, code: code() })).statusCode).toBe(200)
        clock.now += STEP_MS
        return t
      },
    ],
    [
      'a link that another browser asked for',
      async ({ browser, operator, mailedToken }) => {
        await browser().post('session/link', { email: operator.email })
        return mailedToken()
      },
    ],
  ] satisfies [string, (room: Awaited<ReturnType<typeof createRoomUnderTest>>) => Promise<string>][])(
    'refuses %s, and uses up no code',
    async (_name, tokenOf) => {
      const room = await createRoomUnderTest()
      const { browser, code, link } = room
      const mine = browser()
      const t = await tokenOf(room)

      const refused = await mine.post('session/open', { t, code: code() })

      expect([refused.statusCode, refused.json()]).toEqual([
        401,
        { errorType: 'ERR_LOGIN_REQUIRED', errorMessage: 'The link or the code is not right.' },
      ])
      expect(refused.headers['set-cookie']).toBeUndefined()
      expect((await mine.session()).statusCode).toBe(401)
      expect((await mine.post('session/open', { t: await link(), code: code() })).statusCode).toBe(200)
    },
  )

  it('takes the code of this step and of the one before, each once', async () => {
    const { browser, clock, code, link } = await createRoomUnderTest()
    const open = async (steps: number) =>
      (await browser().post('session/open', { t: await link(), code: code(steps) })).statusCode

    expect([await open(2), await open(-1)]).toEqual([401, 401])
    expect([await open(1), await open(1), await open(0), await open(0), await open(1)]).toEqual([
      ...[200, 401, 200, 401, 401],
    ])
    clock.now += STEP_MS
    expect([await open(1), await open(0)]).toEqual([401, 200])
  })

  it('gives one of many attempts at the same time the session', async () => {
    const { browser, code, link } = await createRoomUnderTest()
    const t = await link()

    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser().post('session/open', { t, code: code() })),
    )

    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401])
  })

  it('ends a link after five wrong codes', async () => {
    const { browser, code, link } = await createRoomUnderTest()
    const t = await link()
    const mine = browser()

    for (let wrong = 0; wrong < 5; wrong++) await mine.post('session/open', { t, code: code(9) })

    expect((await mine.post('session/open', { t, code: code() })).statusCode).toBe(401)
    expect((await mine.post('session/open', { t: await link(), code: code() })).statusCode).toBe(200)
  })

  it('closes for the rest of the hour after ten wrong codes, mails it, and counts it', async () => {
    const { app, browser, clock, code, link, mailbox, mailsSettled } = await createRoomUnderTest()
    const mine = browser()
    const open = async (given: string) => mine.post('session/open', { t: await link(), code: given })

    for (let wrong = 1; wrong < 10; wrong++) expect((await open(code(9))).statusCode).toBe(401)
    const tenth = await open(code(9))
    const right = await open(code())
    await mailsSettled()

    expect([tenth.statusCode, right.statusCode]).toEqual([429, 429])
    expect(right.json().errorType).toBe('ERR_RATE_LIMITED')
    expect(mailbox.list()).toMatchObject([{ subject: 'Your operator’s sign-in is closed for an hour' }])
    expect((await app.inject('/metrics')).payload).toMatch(/^pairwire_operator_sign_ins_closed_total 1$/m)
    clock.now += 60 * MINUTE_MS
    expect((await open(code())).statusCode).toBe(200)
  })

  it('mails a sign-in from an address that was not seen for 30 days', async () => {
    const { clock, mailbox, mailsSettled, signedIn } = await createRoomUnderTest()
    const countAfter = async (days: number) => {
      clock.now += days * 24 * 60 * MINUTE_MS
      await signedIn()
      await mailsSettled()
      return mailbox.list().filter(({ subject }) => subject === 'You signed in from a new address').length
    }

    expect([await countAfter(0), await countAfter(29), await countAfter(30)]).toEqual([1, 1, 2])
  })
})

describe('a session of the room', () => {
  it('ends after half an hour without a request, and the room’s own refreshing is none', async () => {
    const { clock, signedIn } = await createRoomUnderTest()
    const mine = await signedIn()
    const list = (headers = {}) => mine.post('order/list', {}, headers).then(({ statusCode }) => statusCode)

    clock.now += 29 * MINUTE_MS
    expect(await list()).toBe(200)
    clock.now += 29 * MINUTE_MS
    expect(await list({ 'pairwire-refresh': '1' })).toBe(200)
    clock.now += MINUTE_MS
    expect(await list()).toBe(401)
  })

  it('ends after 12 hours in any case', async () => {
    const { clock, signedIn } = await createRoomUnderTest()
    const mine = await signedIn()

    const codes = []
    for (let minutes = 0; minutes < 12 * 60; minutes += 20) {
      codes.push((await mine.session()).statusCode)
      clock.now += 20 * MINUTE_MS
    }

    expect(new Set(codes)).toEqual(new Set([200]))
    expect((await mine.session()).statusCode).toBe(401)
  })

  it('is ended by a sixth of the same operator, by its operator, and by nobody else', async () => {
    const { accounts, browser, signedIn } = await createRoomUnderTest()
    const browsers = [await signedIn()]
    while (browsers.length < 6) browsers.push(await signedIn())
    const [first, second, third] = browsers

    expect((await first!.session()).statusCode).toBe(401)
    const { sessions } = (await second!.session()).json()
    expect(sessions).toHaveLength(5)
    const other = await accounts.addOperator('other@example.org', 'operator')
    await expect(accounts.endOperatorSession(other.email, sessions[0].id)).rejects.toThrow()
    const ids = await third!.session().then((answer) => answer.json().sessions)
    const idOfThird = ids.find((one: { isThis: boolean }) => one.isThis).id
    expect((await second!.post('session/end', { id: idOfThird })).statusCode).toBe(200)
    expect((await second!.post('session/end', { id: idOfThird })).statusCode).toBe(404)
    expect((await third!.session()).statusCode).toBe(401)
    expect((await second!.post('session/end')).statusCode).toBe(200)
    expect((await second!.session()).statusCode).toBe(401)
    expect((await browser().post('session/end')).statusCode).toBe(401)
  })

  it('is no session of the dashboard, nor the other way round', async () => {
    const { app, browser, signedIn, signIn } = await createRoomUnderTest()
    const token = await signIn()
    const mine = await signedIn()
    const cookie = [...mine.cookies].map((pair) => pair.join('=')).join('; ')

    const stolen = browser()
    stolen.cookies.set('pairwire-operator', token)
    const answers = [
      await stolen.post('order/list', {}, { authorization: `Bearer ${token}` }),
      await app.inject({ url: '/api/account', headers: { cookie } }),
      await app.inject({
        url: '/api/account',
        headers: { authorization: `Bearer ${mine.cookies.get('pairwire-operator')}` },
      }),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401])
  })

  it('ends with its operator, and with the old secret of codes', async () => {
    const { accounts, code, link, browser, operator, signedIn } = await createRoomUnderTest()
    const before = await signedIn()
    const t = await link()

    await accounts.resetOperatorCode(operator.email)
    expect((await before.session()).statusCode).toBe(401)
    expect((await browser().post('session/open', { t, code: code() })).statusCode).toBe(401)
    expect((await browser().post('session/open', { t: await link(), code: code() })).statusCode).toBe(401)
    await accounts.removeOperator(operator.email)

    expect((await before.post('account/create', { emails: ['x@example.org'] })).statusCode).toBe(401)
    await expect(accounts.findAccount('x@example.org')).rejects.toThrow('There is no account')
  })
})
