import { type AddressInfo, connect } from 'node:net'
import { anyText } from '@pairwire/basics/testing/any-text'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { ERROR_TYPES, ErrorBody, LATER_PATHS, PATHS } from '@pairwire/contract'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createApiUnderTest, theDocs } from '../testing/api-under-test.ts'

describe('errors of the API', () => {
  it.each([
    ['JSON that is broken', '{"email":', 'application/json', 400, 'ERR_VALIDATION'],
    ['a body that is empty', '', 'application/json', 400, 'ERR_VALIDATION'],
    ['a body of null', 'null', 'application/json', 400, 'ERR_VALIDATION'],
    ['a list', '[]', 'application/json', 400, 'ERR_VALIDATION'],
    [
      'a prototype in disguise',
      '{"__proto__":{"email":"a@b.example"}}',
      'application/json',
      400,
      'ERR_VALIDATION',
    ],
    ['another content type', 'email=a', 'application/x-www-form-urlencoded', 400, 'ERR_VALIDATION'],
    ['plain text', '{"email":"a@b.example"}', 'text/plain', 400, 'ERR_VALIDATION'],
    ['a body over 64 KiB', `{"email":"${'a'.repeat(70_000)}"}`, 'application/json', 413, 'ERR_TOO_LARGE'],
  ])('have the contract’s form for %s', async (_case, payload, contentType, status, errorType) => {
    const { app } = await createApiUnderTest()

    const answer = await app.inject({
      method: 'POST',
      url: '/api/login',
      headers: { 'content-type': contentType },
      payload,
    })

    expect(answer.statusCode).toBe(status)
    expectContractError(answer, errorType)
  })

  // Code that walks through a value in tens of thousands of others overflows the stack.
  it('have the contract’s form for nested lists and objects, wherever a body has room for them', async () => {
    const { app, signIn } = await createApiUnderTest()
    const headers = { authorization: `Bearer ${await signIn()}`, 'content-type': 'application/json' }
    const [list, object] = [
      `${'['.repeat(25_000)}${']'.repeat(25_000)}`,
      `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
    ]

    for (const deep of [list, object, `{"include":{"baseTokenMint":${list}}}`]) {
      for (const [url, body] of [
        ['/v1/webhooks', `{"kind":"swap","url":"https://hooks.example.com/","params":${deep}}`],
        ['/api/filter/try', `{"kind":"swap","hours":1,"params":${deep}}`],
        ['/api/login', `{"email":${deep}}`],
      ] as const) {
        const answer = await app.inject({ method: 'POST', url, headers, payload: body })

        expect([url, answer.statusCode, answer.json().errorType]).toEqual([url, 400, 'ERR_VALIDATION'])
      }
    }
  })

  it('do not take brackets within a text for lists and objects', async () => {
    const { app, signIn } = await createApiUnderTest()
    const headers = { authorization: `Bearer ${await signIn()}`, 'content-type': 'application/json' }
    const text = `\\"${'[{'.repeat(2_000)}`

    for (const [hours, status] of [
      ['1', 409],
      [`${'['.repeat(2_000)}${']'.repeat(2_000)}`, 400],
    ] as const) {
      const payload = `{"kind":"swap","params":{},"hours":${hours},"note":"${text}"}`
      const answer = await app.inject({ method: 'POST', url: '/api/filter/try', headers, payload })

      expect([hours.length, answer.statusCode]).toEqual([hours.length, status])
    }
  })

  it.each([
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/unknown'],
    ['POST', '/api/unknown'],
    ['DELETE', '/api/account/deleted'],
    ['GET', '/api/account/../../x'],
  ] as const)('have the contract’s form for an unknown address: %s %s', async (method, url) => {
    const { app } = await createApiUnderTest()

    const answer = await app.inject({ method, url, headers: { accept: 'text/html' } })

    if (answer.statusCode === 302) return expect(url).toContain('..')
    expect(answer.statusCode).toBe(404)
    expectContractError(answer, 'ERR_NOT_FOUND')
  })

  it('link to the page that explains them', async () => {
    const { app } = await createApiUnderTest({ docs: theDocs() })

    const answer = await app.inject('/api/account')

    expect(answer.headers.link).toBe('</docs/errors/login-required>; rel="help"')
    expect((await app.inject('/docs/errors/login-required')).statusCode).toBe(200)
  })

  it('name the right methods for a wrong one', async () => {
    const { app } = await createApiUnderTest()

    for (const { path, method } of Object.values({ ...PATHS, ...LATER_PATHS })) {
      const answer = await app.inject({ method: 'PUT', url: path })
      expect(answer.statusCode, path).toBe(405)
      expect(String(answer.headers.allow).split(', ')).toContain(method)
      expectContractError(
        answer,
        'ERR_METHOD_NOT_ALLOWED',
        path.startsWith('/v1/') ? { docs: z.string() } : {},
      )
    }
  })

  it.each([
    ['/api/%zz', {}],
    ['/v1/%zz', { docs: z.string() }],
  ])('have the contract’s form for an address that cannot be read: %s', async (url, more) => {
    const { app } = await createApiUnderTest()

    const answer = await app.inject(url)

    expect(answer.statusCode).toBe(400)
    expectContractError(answer, 'ERR_VALIDATION', more)
  })

  it('have the contract’s form for bytes that are not HTTP', async () => {
    const { app } = await createApiUnderTest()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo

    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'))
      let received = ''
      socket.on('data', (bytes) => {
        received += bytes
      })
      socket.on('end', () => resolve(received))
      socket.on('error', reject)
    })
    await app.close()

    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(ErrorBody.parse(JSON.parse(text.split('\r\n\r\n')[1]!)).errorType).toBe('ERR_VALIDATION')
  })

  it('answer a bug with 500, reveal nothing of it, and log its place but no parameter', async () => {
    const bug = new Error('insert into accounts failed, params: mara@example.com, secret-token', {
      cause: Object.assign(new Error('detail: mara@example.com'), { code: '22P02' }),
    })
    const { accounts } = await createApiUnderTest()
    const { post, logged } = await createApiUnderTest({
      accounts: { ...accounts, findLogin: () => Promise.reject(bug) },
    })

    const answer = await post('/api/login', { email: 'mara@example.com' })

    expect(answer.statusCode).toBe(500)
    expectContractError(answer, 'ERR_UNKNOWN')
    expect(logged.join()).toContain('22P02')
    expect(logged.join()).toContain('/api/login')
    expect(logged.join()).toContain('errors.test.ts')
    expect(logged.join()).not.toMatch(/mara|secret-token|params/)
  })

  // Guards against an unexpected body: it must be refused, never break the call.
  it('never answer 500, whatever the body', async () => {
    const { app, logged } = await createApiUnderTest()
    const paths = Object.values({ ...PATHS, ...LATER_PATHS }).filter(({ method }) => method === 'POST')
    const fields = ['email', 'recaptcha_token', 'enable_marketing_emails', 'origin', 'email_token', 'plan_id']
    const body = fc.oneof(
      fc.json(),
      anyText(),
      fc
        .dictionary(
          fc.constantFrom(...fields),
          fc.oneof(fc.jsonValue(), fc.emailAddress(), fc.constant('friend')),
        )
        .map((value) => JSON.stringify(value)),
    )

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), body, async ({ path }, payload) => {
        const answer = await app.inject({
          method: 'POST',
          url: path,
          headers: { 'content-type': 'application/json', authorization: 'Bearer x.y.z' },
          payload,
        })

        expect(answer.statusCode).toBeGreaterThanOrEqual(400)
        expect(answer.statusCode).toBeLessThan(500)
        expectContractError(answer)
      }),
      { numRuns: inCi(400, 100) },
    )
    expect(logged).toEqual([])
  })

  it('never answer 500, whatever the address and the session', async () => {
    const { app } = await createApiUnderTest()

    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), fc.string(), async (path, query, token) => {
        const answer = await app.inject({
          url: `/api${path}?${query}`,
          headers: { authorization: `Bearer ${encodeURIComponent(token)}` },
        })

        if (answer.statusCode !== 200) expectContractError(answer)
      }),
      { numRuns: 200 },
    )
  })
})

function expectContractError(
  answer: LightMyRequestResponse,
  errorType?: string,
  extra: z.core.$ZodLooseShape = {},
): void {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  const body = z.strictObject({ ...ErrorBody.shape, ...extra }).parse(answer.json())
  expect(Object.keys(ERROR_TYPES)).toContain(body.errorType)
  expect(ERROR_TYPES[body.errorType as keyof typeof ERROR_TYPES].status).toBe(answer.statusCode)
  if (errorType) expect(body.errorType).toBe(errorType)
}
