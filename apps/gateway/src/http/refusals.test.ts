import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { address, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { readStream } from '../testing/stream-reader.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const opened: TestGateway[] = []
const open = async (...options: Parameters<typeof openGateway>) => {
  const gateway = await openGateway(...options)
  opened.push(gateway)
  return gateway
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((gateway) => gateway.close()))
})

const KEY = keyNumber(1)
const SWAPS = '/v1/stream/swaps'
const BROWSER = { accept: 'text/event-stream', 'sec-fetch-mode': 'cors' }

/** A gateway with one account, on this plan. */
async function openOn(planId: 1 | 2 | 3 | null = 3, options: Parameters<typeof openGateway>[0] = {}) {
  const gateway = await open(options)
  gateway.accounts.set('a1', { key: KEY, planId })
  return gateway
}

/** What a request that is refused gets. */
async function refused(
  { port }: TestGateway,
  path: string,
  { headers = {}, ...rest }: { headers?: Record<string, string>; method?: string; body?: string } = {},
) {
  const reader = await readStream(port, path, { headers: { 'x-api-key': KEY, ...headers }, ...rest })
  const text = await reader.ended
  return { status: reader.status, headers: reader.headers, text, ...(text && JSON.parse(text)) }
}

describe('a refused stream over HTTP', () => {
  it.each([
    ['include.walletAccount=', 'EMPTY_LIST'],
    ['include.walletAccount=abc', 'INVALID_ADDRESS'],
    [`walletAccount=${address(1)}`, 'FILTER_OUTSIDE_INCLUDE'],
    ['include.usdValue=much', 'INVALID_USD_VALUE'],
    [`include.walletAcount=${address(1)}`, 'UNKNOWN_FILTER_FIELD'],
    ['include=1', 'INVALID_PARAMS'],
    ['match=none', 'INVALID_PARAMS'],
    ['facts=yes', 'INVALID_PARAMS'],
    ['params.include.usdValue=1', 'INVALID_PARAMS'],
    ['limit=0', 'INVALID_PARAMS'],
    ['limit=10001', 'INVALID_PARAMS'],
    ['limit=1.5', 'INVALID_PARAMS'],
    ['seconds=301', 'INVALID_PARAMS'],
    ['replay.from=2026-11-23T13:00:00Z', 'NOT_AVAILABLE'],
    ['resume_from=latest', 'INVALID_CURSOR'],
    ['commitment=processed', 'NOT_AVAILABLE'],
    ['__proto__.usdValue=1&constructor=1&match=none', 'INVALID_PARAMS'],
  ])('says what is wrong with ?%s by the sentence of the stream: %s', async (query, errorType) => {
    const gateway = await openOn(3, { servesEarly: false })

    const answer = await refused(gateway, `${SWAPS}?${query}`)

    expect(answer).toMatchObject({
      status: 400,
      errorType,
      docs: `https://docs.example/errors/${errorType.toLowerCase().replaceAll('_', '-')}`,
    })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.errorMessage).toMatch(/[.?]$/)
  })

  it.each([
    ['NOT_JSON', '{"include":'],
    ['INVALID_PARAMS', '[1]'],
    ['INVALID_PARAMS', '{"params":{"include":{"usdValue":1}}}'],
    ['INVALID_USD_VALUE', '{"include":{"usdValue":"1"}}'],
    ['TOO_MANY_MEMBERS', `{${Array.from({ length: 300 }, (_, at) => `"a${at}":1`).join()}}`],
  ])('says what is wrong with a body: %s', async (errorType, body) => {
    const gateway = await openOn()

    expect(await refused(gateway, SWAPS, { method: 'POST', body })).toMatchObject({ status: 400, errorType })
  })

  it('names the key first, whatever else is wrong', async () => {
    const gateway = await openOn()
    const wrong = `${SWAPS}?match=none`
    const other = { 'x-api-key': keyNumber(9) }

    expect(await refused(gateway, wrong, { headers: other })).toMatchObject({
      status: 401,
      errorType: 'KEY_UNKNOWN',
    })
  })

  it('takes the key from its header, a bearer or the query, and no session', async () => {
    const gateway = await openOn()
    const ask = (headers: Record<string, string>, query = '') =>
      readStream(gateway.port, `${SWAPS}?limit=1${query}`, { method: 'HEAD', headers })

    expect((await ask({ 'X-Api-Key': KEY })).status).toBe(200)
    expect((await ask({ authorization: `Bearer ${KEY}` })).status).toBe(200)
    expect((await ask({}, `&key=${KEY}`)).status).toBe(200)
    expect((await ask({})).status).toBe(401)
    // Both at once: a program that has a session may still open a stream with its key.
    expect((await ask({ authorization: 'Bearer a.session.token', 'X-Api-Key': KEY })).status).toBe(200)
    expect((await ask({ authorization: `Bearer ${keyNumber(0xab).toUpperCase()}` })).status).toBe(401)
    const answer = await refused(gateway, SWAPS, {
      headers: { 'x-api-key': '', authorization: 'Bearer a.session.token' },
    })

    expect(answer).toMatchObject({ status: 401, errorType: 'KEY_UNKNOWN' })
    expect(answer.errorMessage).toMatch(/session/)
  })

  it.each([
    [null, SWAPS, 'NO_PLAN', 403],
    [2, SWAPS, 'FILTER_REQUIRED', 403],
    [1, `${SWAPS}?include.walletAccount=${address(1)},${address(2)}`, 'FILTER_TOO_LARGE', 403],
  ] as const)('passes the limits of plan %s: %s is %s', async (planId, path, errorType, status) => {
    const gateway = await openOn(planId)

    expect(await refused(gateway, path)).toMatchObject({ status, errorType })
    expect(
      (await readStream(gateway.port, path, { method: 'HEAD', headers: { 'x-api-key': KEY } })).status,
    ).toBe(status)
  })

  it('tells a suspended account where to write', async () => {
    const gateway = await openOn()
    gateway.accounts.set('a1', { isSuspended: true })

    expect(await refused(gateway, SWAPS)).toMatchObject({
      status: 403,
      errorType: 'ACCOUNT_SUSPENDED',
      errorMessage: 'This account is suspended. Write to support@pairwire.example.',
    })
  })

  it('ends a stream whose swaps are used up with the sentence, and refuses the next', async () => {
    const gateway = await openOn(1)
    gateway.accounts.recorded.push({
      ...{
        accountId: 'a1',
        planInForceId: 'paid',
        period: '2026-11-01',
        day: '2026-11-02',
        kind: 'buy',
        count: 998,
      },
    })
    const reader = await readStream(gateway.port, SWAPS, { headers: { 'x-api-key': KEY } })

    await gateway.publish(aSwap(), aSwap(), aSwap())
    await reader.ended

    expect(reader.messages().map(({ data }) => data.method)).toEqual([
      'swapNotification',
      'swapNotification',
      'connectionClosed',
    ])
    expect(reader.messages().at(-1)?.data).toMatchObject({
      code: 4003,
      reason: expect.stringMatching(/^You have used all 1,000/),
    })
    expect(await refused(gateway, SWAPS)).toMatchObject({ status: 403, errorType: 'PLAN_USED_UP' })
  })

  it.each([
    ['a path that is none', '/v1/stream/trades', 'GET', 404, 'ERR_NOT_FOUND'],
    ['the path above', '/v1/stream', 'GET', 404, 'ERR_NOT_FOUND'],
    ['another method', SWAPS, 'DELETE', 405, 'ERR_METHOD_NOT_ALLOWED'],
    ['an address beyond 16 KiB', `${SWAPS}?a=${'b'.repeat(16_385)}`, 'GET', 431, 'ERR_ADDRESS_TOO_LONG'],
  ])('answers %s', async (_what, path, method, status, errorType) => {
    const gateway = await openOn()

    const answer = await refused(gateway, path, { method })

    expect(answer).toMatchObject({ status, errorType })
    if (status === 405) expect(answer.headers.allow).toBe('GET, HEAD, POST, OPTIONS')
  })

  it.each([70_000, 5_000_000])('answers a body of %s bytes, beyond 64 KiB, with 413', async (bytes) => {
    const gateway = await openOn()
    const body = JSON.stringify({ include: { walletAccount: ['x'.repeat(bytes)] } })

    expect(await refused(gateway, SWAPS, { method: 'POST', body })).toMatchObject({
      status: 413,
      errorType: 'ERR_TOO_LARGE',
    })
  })

  it('answers the preflight of any page, and HEAD without taking a place', async () => {
    const gateway = await openOn()
    const origin = { origin: 'https://other.example' }
    const preflight = await readStream(gateway.port, SWAPS, {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-headers': 'x-api-key,last-event-id' },
    })
    const head = await readStream(gateway.port, SWAPS, { method: 'HEAD', headers: { 'x-api-key': KEY } })
    await head.ended

    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('*')
    expect(preflight.headers['access-control-allow-headers']).toMatch(/Last-Event-ID.*X-API-KEY/)
    expect(head.headers['content-type']).toBe('text/event-stream')
    expect(gateway.gateway.stats().connections).toBe(0)
  })

  it('refuses a cursor that cannot be read with the oldest that can', async () => {
    const gateway = await openOn(3, { busMaxBytes: 3_000 })
    const events = Array.from({ length: 50 }, () => aSwap())
    for (const event of events) await gateway.publish(event)

    const answer = await refused(gateway, `${SWAPS}?resume_from=${events[0]!.cursor}`)

    expect(answer).toMatchObject({ status: 410, errorType: 'CURSOR_TOO_OLD' })
    expect(answer.oldest).toBe(await gateway.bus.oldestCursor())
  })

  it.each([
    ['all connections in use', 429, 'CONNECTION_LIMIT', 4029],
    ['a restart', 503, 'ERR_UNAVAILABLE', 1001],
    ['no database', 503, 'ERR_UNAVAILABLE', 1001],
    ['too many connects', 429, 'ERR_RATE_LIMITED', 1001],
    ['too many resumes', 429, 'ERR_RATE_LIMITED', 1001],
  ])('brings back a browser that only has to wait: %s', async (what, status, errorType, code) => {
    const connects = what === 'too many connects' ? { connectsBurstPerKey: 1 } : {}
    const gateway = await openOn(3, { limits: { resumesPerMinute: 0, ...connects } })
    await readStream(gateway.port, SWAPS, { headers: { 'x-api-key': KEY } })
    if (what === 'a restart') void gateway.gateway.drain(1_000)
    if (what === 'no database') gateway.accounts.before = () => Promise.reject(new Error('away'))
    const again = what === 'too many resumes' ? { 'last-event-id': aSwap().cursor } : {}
    // Nobody answers for a stream that has no ids yet, so it is alive.

    const program = await refused(gateway, SWAPS, { headers: again })
    const browser = await readStream(gateway.port, `${SWAPS}?key=${KEY}`, {
      headers: { ...BROWSER, ...again },
    })
    const text = await browser.ended

    expect(program).toMatchObject({ status, errorType })
    expect(program.headers['retry-after']).toBe('1')
    expect(browser.status).toBe(200)
    expect(text).toMatch(/^retry: 5000\n\ndata: /)
    expect(browser.messages()[0]?.data).toMatchObject({ method: 'connectionClosed', code })
  })

  it('refuses a client that comes too often by 429, also in a loop of limit=1', async () => {
    const gateway = await openOn()
    const answers: number[] = []

    for (let round = 0; round < 12; round++) {
      const reader = await readStream(gateway.port, `${SWAPS}?limit=1`, { headers: { 'x-api-key': KEY } })
      answers.push(reader.status)
      if (reader.status !== 200) continue
      await gateway.publish(aSwap(), aSwap())
      await reader.ended
    }
    gateway.clock.advance(2_000)
    await turn()

    expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10)
    expect(answers.at(-1)).toBe(429)
    const sent = answers.filter((status) => status === 200).length
    await expect.poll(() => gateway.accounts.delivered('a1', '2026-11-01', 'swap')).toBe(sent)
    expect(gateway.gateway.stats().connections).toBe(0)
    expect((await readStream(gateway.port, SWAPS, { headers: { 'x-api-key': KEY } })).status).toBe(200)
  })

  it('is counted like a refused websocket: by its status, also where a browser gets 200, and by account if its key is known', async () => {
    const gateway = await openOn(2)
    gateway.accounts.set('a2', { key: keyNumber(2), planId: null })
    await readStream(gateway.port, '/v1/stream/pairs', { headers: { 'x-api-key': KEY } })

    await refused(gateway, '/v1/stream/pairs')
    await (await readStream(gateway.port, `/v1/stream/pairs?key=${KEY}`, { headers: BROWSER })).ended
    await refused(gateway, SWAPS)
    await refused(gateway, `${SWAPS}?match=none`)
    await refused(gateway, SWAPS, { headers: { 'x-api-key': keyNumber(2) } })
    await refused(gateway, SWAPS, { headers: { 'x-api-key': keyNumber(9) } })
    await gateway.connect(2, {}).catch(() => {})

    expect(gateway.gateway.stats().refusedUpgrades).toEqual({ 400: 1, 401: 1, 403: 3, 429: 2 })
    gateway.clock.advance(60_000)
    await turn()
    const counted = gateway.accounts.refused.map((row) => `${row.accountId} ${row.refusal} ${row.count}`)
    expect(counted.sort()).toEqual([
      'a1 FILTER_REQUIRED 1',
      'a1 INVALID_PARAMS 1',
      'a1 connectionLimit 2',
      'a2 noPlan 2',
    ])
  })

  it('never logs a key of the query', async () => {
    const gateway = await openOn()
    gateway.accounts.before = async () => {
      throw new Error(`no database for ${KEY}`)
    }

    await refused(gateway, `${SWAPS}?key=${KEY}`, { headers: { 'x-api-key': '' } })
    gateway.clock.advance(2_000)

    expect(gateway.logged.length).toBeGreaterThan(0)
    expect(gateway.logged.join()).not.toContain(KEY)
  })
})
