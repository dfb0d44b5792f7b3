import { NoAnswerError } from '@pairwire/bus'
import { ARCHIVE_ASKS, encodeBase58, HOUR_MS, hourName, type TryAnswer, TryAsk } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { anArchive } from '../testing/an-archive.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'

const LAST = Date.now() - (Date.now() % HOUR_MS)
const NOW = LAST + HOUR_MS / 2
const ago = (hours: number) => hourName(LAST - hours * HOUR_MS)
const time = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
const MINT = encodeBase58(new Uint8Array(32).fill(7))

/** The app over an archive of three hours, and an archiver that gives `answer` to each request after `tookMs`. */
async function createTrialsUnderTest({
  count = 3,
  tookMs = 100,
  held = Promise.resolve(),
  answer = () => ({}),
}: {
  count?: number
  tookMs?: number
  /** Waited for before every answer. */
  held?: Promise<void>
  answer?: (ask: TryAsk) => Partial<Extract<TryAnswer, { outcome: 'tried' }>> | Error
} = {}) {
  const asked: TryAsk[] = []
  const kept = anArchive(NOW, count)
  let now = 0
  const under = await createApiUnderTest({
    archive: kept.archive,
    elapsed: () => now,
    archiver: {
      async request(subject, body, timeoutMs) {
        expect(subject).toBe(ARCHIVE_ASKS.try)
        asked.push(TryAsk.parse(body))
        now += Math.min(tookMs, timeoutMs)
        await held
        if (tookMs > timeoutMs) throw new NoAnswerError(subject, 'timeout')
        const given = answer(asked.at(-1)!)
        if (given instanceof Error) throw given
        return { outcome: 'tried', matched: 4, total: 60, busiestMinute: null, sample: [], ...given }
      },
    },
  })
  const token = await under.signIn()
  const post = (payload: object) =>
    under.app.inject({
      ...{ method: 'POST', url: '/api/filter/try', payload },
      headers: { authorization: `Bearer ${token}` },
    })
  return { ...under, asked, post, state: kept.state }
}

describe('POST /api/filter/try', () => {
  it('200 searches hour by hour, newest first, and gives the verdict of each plan', async () => {
    const params = { include: { baseTokenMint: [MINT, encodeBase58(new Uint8Array(32).fill(8))] } }
    const frame = { cursor: 'c', params: { swap: {} } }
    const { post, asked } = await createTrialsUnderTest({
      answer: ({ hour }) => ({
        matched: hour === ago(1) ? 6 : 2,
        busiestMinute: {
          at: LAST / 1_000 - (hour === ago(1) ? 60 : 7_200),
          matched: hour === ago(1) ? 3 : 1,
        },
        sample: Array.from({ length: 15 }, () => frame),
      }),
    })

    const answer = await post({ kind: 'swap', params, hours: 2 })

    expect(asked).toEqual(
      [ago(1), ago(2)].map((hour) => ({ source: 'simulator', hour, kind: 'swap', params })),
    )
    expect(answer.json()).toEqual({
      ...{ from: time(LAST - 2 * HOUR_MS), to: time(LAST), matched: 8, total: 120, perMonth: 2_880 },
      byHour: [
        { hour: ago(1), matched: 6, total: 60 },
        { hour: ago(2), matched: 2, total: 60 },
      ],
      busiestMinute: { at: time(LAST - 60_000), matched: 3 },
      sample: Array.from({ length: 20 }, () => ({
        ...{ subscription_id: 1, method: 'swapNotification' },
        ...frame,
      })),
      plans: [
        {
          ...{ id: 1, name: 'NewPairs Only', allowed: false, share: 2.88 },
          reason: 'The filter names 2 accounts. NewPairs Only allows 1 in all its lists together.',
        },
        { id: 2, name: 'Basic', allowed: true, reason: null, share: null },
        { id: 3, name: 'Pro', allowed: true, reason: null, share: null },
      ],
      cheapest: 2,
    })
  })

  it('200 answers after 8 s with the finished hours', async () => {
    const { post, asked } = await createTrialsUnderTest({ tookMs: 5_000 })

    const answer = await post({ kind: 'newPair', params: null, hours: 3 })

    expect(asked).toHaveLength(2)
    expect(answer.json()).toMatchObject({
      byHour: [{ hour: ago(1) }],
      from: time(LAST - HOUR_MS),
      cheapest: 1,
    })
  })

  it('400 with the stream’s sentence for params that it would refuse', async () => {
    const { post, asked } = await createTrialsUnderTest()

    const answer = await post({ kind: 'swap', params: { include: { baseTokenMint: [] } }, hours: 1 })

    expect([answer.statusCode, answer.json().errorType]).toEqual([400, 'ERR_VALIDATION'])
    expect(answer.json().errorMessage).toContain('include.baseTokenMint is an empty list')
    expect(asked).toEqual([])
  })

  it('400 for no hour, and for more than a day', async () => {
    const { post } = await createTrialsUnderTest()

    for (const hours of [0, 25, 1.5]) expect((await post({ kind: 'swap', hours })).statusCode).toBe(400)
  })

  it('401 without a session', async () => {
    const { app } = await createTrialsUnderTest()
    const answer = await app.inject({
      method: 'POST',
      url: '/api/filter/try',
      payload: { kind: 'swap', hours: 1 },
    })

    expect(answer.statusCode).toBe(401)
  })

  it('409 while no hour is archived', async () => {
    const { post } = await createTrialsUnderTest({ count: 0 })

    expect((await post({ kind: 'swap', hours: 1 })).json()).toEqual({
      errorType: 'HISTORY_UNAVAILABLE',
      errorMessage: 'No hour is archived yet.',
    })
  })

  it('429 while another filter of the account is tried, and beyond ten a minute', async () => {
    const held = withResolvers()
    const { post } = await createTrialsUnderTest({ held: held.promise })
    const body = { kind: 'swap', hours: 1 }

    const [first, second] = [post(body), post(body)]
    const refused = await Promise.race([first, second])
    held.resolve()
    const both = await Promise.all([first, second])
    expect(refused.statusCode).toBe(429)
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 429])
    for (let more = 0; more < 8; more++) expect((await post(body)).statusCode).toBe(200)
    expect((await post(body)).headers).toHaveProperty('retry-after')
  })

  it('503 if no hour is done within 9 s, and if nobody answers', async () => {
    const slow = await createTrialsUnderTest({ tookMs: 9_500 })
    const away = await createTrialsUnderTest({
      answer: () => new NoAnswerError(ARCHIVE_ASKS.try, 'nobody'),
    })

    for (const { post } of [slow, away]) {
      expect((await post({ kind: 'swap', hours: 2 })).json()).toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    }
  })

  it('503 while the storage of the archive is away', async () => {
    const { post, state } = await createTrialsUnderTest()
    state.isAway = true

    const answer = await post({ kind: 'swap', hours: 1 })

    expect([answer.statusCode, answer.json().errorType]).toEqual([503, 'ERR_UNAVAILABLE'])
  })
})

function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
