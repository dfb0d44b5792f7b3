import { randomUUID } from 'node:crypto'
import type { OpenStream } from '@pairwire/contract'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { type ApiUnderTest, createApiUnderTest } from '../testing/api-under-test.ts'

const CALLS = [
  ['GET', '/api/usage'],
  ['GET', '/api/connections'],
  ['POST', '/api/connections/close'],
] as const

const read = (api: ApiUnderTest, url: string, token: string) =>
  api.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${token}` } })
const idOf = (token: string) => String(decodeJwt(token).sub)

const aStream = (over: Partial<OpenStream> = {}): OpenStream => ({
  id: randomUUID(),
  address: '192.0.2.7',
  client: 'bot/1.2',
  connectedAt: 0,
  lastSeenAt: 0,
  subscriptions: [{ id: 1, kind: 'swap' }],
  sentEvents: 3,
  sentBytes: 900,
  queuedBytes: 0,
  ...over,
})

describe('GET /api/usage', () => {
  it('200 returns the last 30 days, today last, with zeros for days without events', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()
    const today = new Date(api.clock.now).toISOString().slice(0, 10)
    const row = { accountId: idOf(token), planInForceId: randomUUID(), period: today, day: today }
    await api.accounts.recordDelivered([
      { ...row, kind: 'newPair', count: 1 },
      { ...row, kind: 'buy', count: 20 },
      { ...row, kind: 'sell', count: 300, face: 'http' },
    ])

    const answer = await read(api, '/api/usage', token)

    const { days } = answer.json()
    expect(answer.statusCode).toBe(200)
    expect(days).toHaveLength(30)
    expect(days[29]).toEqual({ day: today, newPairs: 1, buys: 20, sells: 300, http: 300, webhooks: 0 })
    expect(days[28]).toMatchObject({ newPairs: 0, buys: 0, sells: 0 })
  })
})

describe('GET /api/connections', () => {
  it('200 names the gateways that did not list their open connections', async () => {
    const missing = ['gateway 2 of 3']
    const api = await createApiUnderTest({ openStreams: async () => ({ open: [], missing }) })

    const answer = await read(api, '/api/connections', await api.signIn())

    expect([answer.statusCode, answer.json().missing]).toEqual([200, missing])
  })

  it('200 says whether blocks come from the chain', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    const isFlowing = async () => (await read(api, '/api/connections', token)).json().isFlowing
    const before = await isFlowing()
    api.source.up = false

    expect([before, await isFlowing()]).toEqual([true, false])
  })

  it('200 says how a connection ended that its gateway recorded just before listing the open ones', async () => {
    const api = await createApiUnderTest({
      openStreams: async (accountId) => {
        const at = new Date(api.clock.now)
        const note = {
          id: randomUUID(),
          accountId,
          address: '192.0.2.8',
          client: '',
          sentEvents: 7,
          faults: {},
        }
        await api.accounts.recordConnections([
          { ...note, openedAt: at, seenAt: at, closedAt: at, ended: 'noPlan' },
        ])
        return { open: [], missing: [] }
      },
    })

    const answer = (await read(api, '/api/connections', await api.signIn())).json()

    // A stream over HTTP ends so when the swaps of a plan that goes on are used up.
    const sentence = 'The plan ended, or allows no more of this stream.'
    expect(answer.closed).toMatchObject([{ ended: 'noPlan', sentence, sentEvents: 7 }])
  })

  it('200 returns the open ones, how the last ones ended, and the times in which any was open', async () => {
    const open: OpenStream[] = []
    const api = await createApiUnderTest({ openStreams: async () => ({ open, missing: [] }) })
    const token = await api.signIn()
    const { now } = api.clock
    const at = (minutes: number) => new Date(now - minutes * 60_000)
    open.push(aStream({ connectedAt: at(10).getTime(), lastSeenAt: at(1).getTime() }))
    const note = { accountId: idOf(token), address: '192.0.2.8', client: '', sentEvents: 7, faults: {} }
    await api.accounts.recordConnections([
      { ...note, id: open[0]!.id, openedAt: at(10), seenAt: at(1), closedAt: null, ended: null },
      {
        ...note,
        id: randomUUID(),
        openedAt: at(70),
        seenAt: at(60),
        closedAt: at(60),
        ended: 'slowConsumer',
      },
      { ...note, id: randomUUID(), openedAt: at(90), seenAt: at(70.5), closedAt: null, ended: null },
    ])

    const answer = (await read(api, '/api/connections', token)).json()

    expect(answer.open).toEqual([
      {
        id: open[0]!.id,
        address: '192.0.2.7',
        client: 'bot/1.2',
        openedAt: at(10).toISOString(),
        lastSeenAt: at(1).toISOString(),
        subscriptions: [{ id: 1, kind: 'swap' }],
        sentEvents: 3,
        sentBytes: 900,
        queuedBytes: 0,
      },
    ])
    expect(answer.closed).toMatchObject([
      {
        closedAt: at(60).toISOString(),
        ended: 'slowConsumer',
        sentence: 'It read too slowly.',
      },
      {
        closedAt: at(70.5).toISOString(),
        ended: 'unknown',
        sentence: 'The service stopped while it was open.',
      },
    ])
    expect(answer.spans).toEqual([
      { from: at(90).toISOString(), to: at(60).toISOString() },
      { from: at(10).toISOString(), to: at(0).toISOString() },
    ])
  })
})

describe('POST /api/connections/close', () => {
  it('200 tells the gateways', async () => {
    const stream = aStream()
    const api = await createApiUnderTest({ openStreams: async () => ({ open: [stream], missing: [] }) })
    const token = await api.signIn()

    const answer = await api.post('/api/connections/close', { id: stream.id }, token)

    expect(answer.statusCode).toBe(200)
    expect(api.sent).toEqual([{ type: 'closeConnection', accountId: idOf(token), connectionId: stream.id }])
  })

  it("404 for a closed one, or another account's", async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    const answer = await api.post('/api/connections/close', { id: randomUUID() }, token)

    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toEqual({
      errorType: 'ERR_NOT_FOUND',
      errorMessage: 'This connection is already closed.',
    })
    expect(api.sent).toEqual([])
  })

  it('400 for an invalid connection id', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    for (const body of [{}, { id: 7 }, { id: 'all' }]) {
      expect((await api.post('/api/connections/close', body, token)).statusCode).toBe(400)
    }
  })
})

it('401 without a session, and once the account is gone', async () => {
  const api = await createApiUnderTest()
  const token = await api.signIn()
  await api.accounts.deleteAccount(idOf(token))

  for (const [method, url] of CALLS) {
    const payload = method === 'POST' ? { payload: { id: randomUUID() } } : {}
    expect((await api.app.inject({ method, url, ...payload })).statusCode).toBe(401)
    const headers = { authorization: `Bearer ${token}` }
    expect((await api.app.inject({ method, url, headers, ...payload })).statusCode).toBe(401)
  }
})
