import { STEP_MS } from '@pairwire/accounts/testing/authenticator'
import { anyText } from '@pairwire/basics/testing/any-text'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { VERBS } from '@pairwire/contract/operator'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRoomUnderTest } from '../../testing/room-under-test.ts'

describe('a verb of the room', () => {
  it('answers its rows, with the headers of the room', async () => {
    const { email, signedIn } = await createRoomUnderTest()
    const mine = await signedIn()

    const made = await mine.post('account/create', { emails: [email], plan: 'basic' })
    const shown = await mine.post('account/show', { who: email })

    expect(made.json()).toMatchObject({ rows: [{ user: { Email: email } }], next: null })
    expect(shown.json()).toEqual(made.json())
    expect(shown.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self';/),
    })
  })

  it('refuses what the registry refuses, and a list that is not given as CSV', async () => {
    const { signedIn } = await createRoomUnderTest()
    const mine = await signedIn()
    const ask = async (path: string, body: unknown, headers = {}) => {
      const answer = await mine.post(path, body, headers)
      return [answer.statusCode, answer.json().errorType]
    }

    expect(await ask('account/shoe', {})).toEqual([404, 'ERR_NOT_FOUND'])
    expect(await ask('account/show', {})).toEqual([400, 'ERR_VALIDATION'])
    expect(await ask('account/show', { who: 'nobody@example.org' })).toEqual([404, 'ERR_NOT_FOUND'])
    expect(await ask('order/list', {}, { accept: 'text/csv' })).toEqual([400, 'ERR_VALIDATION'])
  })

  it('is given whole as CSV, and leaves an act of the operator', async () => {
    const { accounts, email, operator, signedIn } = await createRoomUnderTest()
    const mine = await signedIn()
    await mine.post('account/create', { emails: [email] })

    const answer = await mine.post('account/list', { search: email }, { accept: 'text/csv' })

    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="account-list.csv"',
    })
    const [head, row] = answer.payload.split('\r\n')
    expect(head!.split(',')).toContain('email')
    expect(row).toContain(email)
    const acts = await accounts.listActs({}, 3)
    const by = { actor: operator.email, via: 'room', address: '127.0.0.1', outcome: 'done' }
    expect(acts).toMatchObject([
      { ...by, verb: 'account list' },
      { ...by, verb: 'account create' },
      { ...by, verb: 'session open' },
    ])
  })

  // Guards operators: a session must not be able to make another operator.
  it('is never one that only the machine has', async () => {
    const { accounts, signedIn, operator } = await createRoomUnderTest()
    const mine = await signedIn()
    const machine = Object.entries(VERBS).filter(([, { access }]) => access === 'machine')

    for (const [name] of machine) {
      const { statusCode } = await mine.post(name.replace(' ', '/'), { email: 'new@example.org' })
      expect(statusCode, name).toBe(404)
    }

    expect(machine.map(([name]) => name)).toContain('operator add')
    expect((await mine.session()).json().verbs).not.toContain('operator list')
    expect((await accounts.listOperators()).map(({ email }) => email)).toContain(operator.email)
    expect((await accounts.listOperators()).map(({ email }) => email)).not.toContain('new@example.org')
  })

  it('changes nothing and exports nothing for a viewer', async () => {
    const { accounts, signedIn } = await createRoomUnderTest({ role: 'viewer' })
    const mine = await signedIn()
    const changing = Object.entries(VERBS).filter(
      ([, { access }]) => access === 'write' || access === 'grave',
    )

    for (const [name] of changing) {
      const answer = await mine.post(name.replace(' ', '/'), {
        emails: ['x@example.org'],
        who: 'x@example.org',
      })
      expect([answer.statusCode, answer.json().errorType], name).toEqual([403, 'ERR_FORBIDDEN'])
    }
    expect((await mine.post('order/list', {}, { accept: 'text/csv' })).statusCode).toBe(403)
    expect((await mine.post('order/list')).statusCode).toBe(200)
    const { verbs } = (await mine.session()).json()
    expect(verbs).toContain('order list')
    expect(verbs.filter((name: string) => changing.some(([other]) => other === name))).toEqual([])
    await expect(accounts.findAccount('x@example.org')).rejects.toThrow('There is no account')
  })

  // Guards keys: a person with one streams on its owner's plan.
  it('shows a key to an operator whole, and to a viewer by its first and last characters', async () => {
    const shownTo = async (role: 'operator' | 'viewer') => {
      const { accounts, email, signedIn } = await createRoomUnderTest({ role })
      const { APIKey } = (await accounts.createAccount(email)).account.user
      const { rows } = (await (await signedIn()).post('account/show', { who: email })).json()
      return [rows[0].user.APIKey, APIKey]
    }

    const [toOperator, whole] = await shownTo('operator')
    expect(toOperator).toBe(whole)
    const [toViewer, hidden] = await shownTo('viewer')
    expect(toViewer).toBe(`${hidden.slice(0, 4)}…${hidden.slice(-2)}`)
  })

  it('needs a code of the last five minutes if it is grave', async () => {
    const { clock, code, signedIn } = await createRoomUnderTest()
    const mine = await signedIn()
    const refund = async () => (await mine.post('order/refund', { id: 1 })).json().errorType

    expect(await refund()).toBe('ERR_NOT_FOUND') // allowed, but there is no such order
    clock.now += 5 * 60_000
    expect(await refund()).toBe('CODE_REQUIRED')
    expect((await mine.post('order/refund', { id: 1 })).statusCode).toBe(403)
    const close = async (input: object) => (await mine.post('connections/close', input)).json().errorType
    expect(await close({ account: 'a@b.example' })).toBe('CODE_REQUIRED')
    expect(await close({ id: 'c1' })).toBe('ERR_NOT_FOUND')
    expect((await mine.post('session/confirm', { code: code(9) })).statusCode).toBe(401)
    expect(await refund()).toBe('CODE_REQUIRED')
    const [confirmed, again] = [code(), code()]
    expect((await mine.post('session/confirm', { code: confirmed })).statusCode).toBe(200)
    expect(await refund()).toBe('ERR_NOT_FOUND')
    clock.now += STEP_MS
    expect((await mine.post('session/confirm', { code: again })).statusCode).toBe(401)
  })

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: '' }],
    ['another site', { origin: '', 'sec-fetch-site': 'same-site' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['a lookalike of JSON', { 'content-type': 'application/jsonx' }],
  ])('is refused from %s, with the sign-in’s calls, and changes nothing', async (_name, headers) => {
    const { accounts, browser, code, link, signedIn } = await createRoomUnderTest()
    const mine = await signedIn()
    const t = await link()
    const body = JSON.stringify({ emails: ['x@example.org'], t, code: code(), email: 'x@example.org' })

    for (const path of ['account/create', 'session/confirm', 'session/end', 'session/link']) {
      const answer = await mine.post(path, body, headers)
      expect([answer.statusCode, answer.json().errorType], path).toEqual([403, 'ERR_FORBIDDEN'])
    }
    expect((await browser().post('session/open', body, headers)).statusCode).toBe(403)

    expect((await mine.session()).statusCode).toBe(200)
    await expect(accounts.findAccount('x@example.org')).rejects.toThrow('There is no account')
    const own = { origin: '', 'sec-fetch-site': 'same-origin' }
    expect((await browser().post('session/open', { t, code: code() }, own)).statusCode).toBe(200)
  })

  // Guards the room against whatever a stranger inside the list, or a viewer's browser, may send.
  it('has no effect and answers no 5xx for thousands of random requests', async () => {
    const { accounts, app, clock, logged, signedIn } = await createRoomUnderTest({ role: 'viewer' })
    const mine = await signedIn()
    const cookie = [...mine.cookies].map((pair) => pair.join('=')).join('; ')
    const before = await accounts.listOperators()
    const segments = fc.constantFrom(
      ...['session', 'link', 'open', 'confirm', 'account', 'create', 'plan', 'operator', 'add', 'assets'],
      ...['order', 'list', 'refund', '%2e%2e', '..', '%00', '', '\u00e9', 'status', 'clear', 'x'.repeat(600)],
    )
    const body = fc.oneof(
      fc.json(),
      anyText(),
      fc
        .dictionary(
          fc.constantFrom('t', 'code', 'email', 'emails', 'who', 'plan', 'id', 'limit', 'details'),
          fc.oneof(fc.jsonValue(), fc.constant('123456'), fc.constant('a@b.example')),
        )
        .map((value) => JSON.stringify(value)),
    )
    const request = fc.record({
      root: fc.constantFrom('/api/operator', '/admin'),
      method: fc.constantFrom('GET', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
      path: fc.array(segments, { maxLength: 4 }),
      payload: body,
      type: fc.constantFrom('application/json', 'application/json', 'text/plain', 'nonsense'),
      cookie: fc.constantFrom(cookie, 'pairwire-operator=x', ''),
      accept: fc.constantFrom('application/json', 'text/csv'),
    })

    await fc.assert(
      fc.asyncProperty(request, async ({ root, method, path, payload, type, ...headers }) => {
        clock.now += 1_000 // else the rates would answer instead
        const { statusCode } = await app.inject({
          method: method as 'GET',
          url: [root, ...path].join('/'),
          headers: {
            ...headers,
            origin: 'http://localhost:23000',
            'content-type': type,
            'pairwire-refresh': '1',
          },
          ...(method === 'POST' || method === 'PUT' ? { payload } : {}),
        })
        expect(statusCode).toBeLessThan(500)
      }),
      { numRuns: inCi(3_000, 300) },
    )

    expect(await accounts.listOperators()).toEqual(before)
    expect(await accounts.listNotices()).toEqual([])
    expect(logged.filter((line) => /failed|error/i.test(line))).toEqual([])
  }, 120_000)
})
