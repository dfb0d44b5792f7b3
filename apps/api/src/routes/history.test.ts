import { HISTORY_OFFERS, HOUR_MS, hourName } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { aManifest, anArchive, HALF_PAST } from '../testing/an-archive.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'
import { give } from '../testing/paddle-double.ts'
import { createPaddleUnderTest } from '../testing/paddle-under-test.ts'

const LAST = HALF_PAST - HOUR_MS / 2
const ago = (hours: number) => hourName(LAST - hours * HOUR_MS)
const time = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

/** The app over an archive of the last `count` hours. */
async function createShopUnderTest(count = 720, over: Parameters<typeof createApiUnderTest>[0] = {}) {
  const kept = anArchive(HALF_PAST, count)
  const under = await createApiUnderTest({ archive: kept.archive, ...over })
  // Captchas and mails use the real clock.
  const token = await under.signIn()
  under.clock.now = HALF_PAST
  const shop = async (query = '') => (await under.app.inject(`/api/history${query}`)).json()
  const offer = async (id: string) => (await shop()).offers.find((offer: { id: string }) => offer.id === id)
  return { ...under, ...kept, token, shop, offer }
}

describe('GET /api/history', () => {
  it('200 shows the 720 hours up to the last whole one, and the content of each offer', async () => {
    const { shop } = await createShopUnderTest()

    const { hours, offers, ...rest } = await shop()

    expect(rest).toEqual({
      source: 'simulator',
      simulated: true,
      reason: null,
      sample: ago(720),
      to: time(LAST),
    })
    expect(hours).toHaveLength(720)
    expect(hours[0].hour).toBe(ago(720))
    expect(hours[719]).toEqual({ hour: ago(1), state: 'complete', swaps: 60, pairs: 2, size: 1_000 })
    expect(offers.map(({ id }: { id: string }) => id)).toEqual(HISTORY_OFFERS.map(({ id }) => id))
    expect(offers[1]).toEqual({
      id: 'day',
      usd: 10,
      from: time(LAST - 24 * HOUR_MS),
      to: time(LAST),
      available: true,
      reason: null,
      incomplete: [],
      swaps: 24 * 60,
      pairs: 48,
      zipBytes: 24_000,
      parquetBytes: 24 * 300,
    })
  })

  it('says which hours are expected, incomplete or missing, and which of them prevent an order', async () => {
    const { hours, offer, shop } = await createShopUnderTest()
    hours.delete(ago(1))
    for (const hour of [10, 30, 31]) hours.set(ago(hour), { ...hours.get(ago(hour))!, complete: false })
    for (const hour of [300, 301, 302, 303]) hours.delete(ago(hour))

    expect((await shop()).hours.slice(-2).map(({ state }: { state: string }) => state)).toEqual([
      'complete',
      'pending',
    ])
    expect(await offer('hour')).toMatchObject({
      available: false,
      reason: `The first hour, ${ago(1)}, is not written yet.`,
    })
    expect((await offer('day')).reason).toBe(`The archive has gaps in ${ago(10)}.`)
    expect(await offer('week')).toMatchObject({
      reason: `The archive has gaps in ${ago(31)}, ${ago(30)}, ${ago(10)}.`,
      incomplete: [ago(31), ago(30), ago(10)],
    })
    expect((await offer('month')).reason).toBe(
      `The archive does not have ${ago(303)}, ${ago(302)}, ${ago(301)} and 1 more.`,
    )
  })

  it('sells a week with one incomplete hour and a month with seven, but nothing that begins with an empty hour', async () => {
    const { hours, offer } = await createShopUnderTest()
    const spoil = (hour: number) => hours.set(ago(hour), { ...hours.get(ago(hour))!, complete: false })
    for (const hour of [25, 200, 201, 202, 203, 204, 205]) spoil(hour)
    const empty = aManifest(LAST - 24 * HOUR_MS)
    hours.set(ago(24), { ...empty, counts: { ...empty.counts, swaps: 0, pairs: 0 } })

    expect([await offer('week'), await offer('month')]).toMatchObject([
      { available: true },
      { available: true },
    ])
    expect((await offer('day')).reason).toBe(`The first hour, ${ago(24)}, holds no event.`)
  })

  it('ends at the requested hour, and is cached for 30 s', async () => {
    const { hours, shop, clock } = await createShopUnderTest()
    const to = `?to=${time(LAST - 24 * HOUR_MS)}`

    expect((await shop(to)).hours.at(-1).hour).toBe(ago(25))
    hours.clear()
    clock.now += 29_999
    expect((await shop(to)).hours.at(-1).state).toBe('complete')
    clock.now += 1
    expect((await shop(to)).hours.at(-1).state).toBe('missing')
  })

  it('ends a recording with its newest hour', async () => {
    const { hours, shop } = await createShopUnderTest(0, { sourceKind: 'recording' })
    const start = Date.UTC(2025, 0, 1, 5)
    hours.set(hourName(start), aManifest(start, { source: 'recording' }))

    expect(await shop()).toMatchObject({ to: '2025-01-01T06:00:00Z', source: 'recording' })
  })

  it('400 for an invalid or future hour', async () => {
    const { app } = await createShopUnderTest(1)

    for (const to of ['2026-11-23T13:30:00Z', 'yesterday', time(LAST + HOUR_MS), '']) {
      const answer = await app.inject(`/api/history?to=${to}`)
      expect([answer.statusCode, answer.json().errorType]).toEqual([400, 'ERR_VALIDATION'])
    }
  })

  it('400 for an hour so early that those before it have no names', async () => {
    const { app } = await createShopUnderTest(1)

    for (const to of ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00%2B14:00', '1970-01-30T23:00:00Z']) {
      const answer = await app.inject(`/api/history?to=${to}`)
      expect(answer.statusCode, to).toBe(400)
      expect(answer.json()).toEqual({
        errorType: 'ERR_VALIDATION',
        errorMessage: 'This hour lies too far in the past.',
      })
    }
    expect((await app.inject('/api/history?to=1970-01-31T00:00:00Z')).statusCode).toBe(200)
  })

  it('says that ordering is not open if no hours are archived, or nobody takes payments', async () => {
    for (const over of [{ archive: undefined }, { billing: undefined, sandbox: undefined }]) {
      const { shop } = await createShopUnderTest(720, over)

      const { reason, offers } = await shop()

      expect(reason).toBe('Ordering is not open yet.')
      expect(offers.some(({ available }: { available: boolean }) => available)).toBe(false)
    }
  })

  it('stays open while no window with this end can be ordered: one with another end may be', async () => {
    const { hours, shop } = await createShopUnderTest(3)
    hours.set(ago(1), { ...hours.get(ago(1))!, complete: false })

    const { reason, offers } = await shop()

    expect(reason).toBeNull()
    expect(offers[0].reason).toBe(`The archive has gaps in ${ago(1)}.`)
    expect((await shop(`?to=${time(LAST - HOUR_MS)}`)).offers[0].available).toBe(true)
  })

  it('says that a source of program logs has no history', async () => {
    const { shop } = await createShopUnderTest(0, { hasPlaces: false })

    expect((await shop()).reason).toContain('program logs')
  })

  it('503 while the archive is away, and works again with it', async () => {
    const { app, state } = await createShopUnderTest(1)
    state.isAway = true
    expect((await app.inject('/api/history')).statusCode).toBe(503)

    state.isAway = false

    expect((await app.inject('/api/history')).statusCode).toBe(200)
  })
})

describe('POST /api/history/orders', () => {
  it('200 creates an order and says where to pay, and finds it again while it is unpaid', async () => {
    const { post, token } = await createShopUnderTest()

    const answer = await post('/api/history/orders', { offer: 'day' }, token)
    const again = await post('/api/history/orders', { offer: 'day', to: time(LAST) }, token)

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      order: {
        offer: 'day',
        from: time(LAST - 24 * HOUR_MS),
        to: time(LAST),
        usd: 10,
        status: 'awaiting_payment',
        hours: 24,
        readyHours: 24,
        downloadToken: null,
      },
      checkout: { provider: 'sandbox', url: expect.stringMatching(/^\/sandbox\/checkout\//) },
    })
    expect(again.json().order).toEqual(answer.json().order)
  })

  it('200 makes the browser open exactly the payment created at Paddle', async () => {
    const kept = anArchive(HALF_PAST, 24)
    const under = await createPaddleUnderTest({}, { archive: kept.archive })
    const { paddle, post, token, accounts, accountId } = under
    under.clock.now = HALF_PAST
    paddle.answers['POST /transactions'] = give(
      { id: 'txn_01', details: { totals: { subtotal: '1000', currency_code: 'USD' } } },
      201,
    )

    const order = async () => (await post('/api/history/orders', { offer: 'day' }, token)).json()
    const [first, second] = [await order(), await order()]

    expect(first.checkout).toEqual({ provider: 'paddle', transactionId: 'txn_01' })
    expect(second).toEqual(first)
    expect(paddle.asked).toHaveLength(1)
    expect(await accounts.listOrders(accountId)).toMatchObject([
      { id: first.order.id, transactionId: 'txn_01' },
    ])
  })

  it('200 opens a payment of the provider that is used now for an order that waits for another’s', async () => {
    const { post, token, accounts, archive, sandbox } = await createShopUnderTest()
    const { order } = (await post('/api/history/orders', { offer: 'day' }, token)).json()
    const now = await createApiUnderTest({
      accounts,
      archive,
      clock: () => HALF_PAST,
      billing: {
        ...sandbox,
        provider: 'paddle',
        orders: {
          createTransaction: async () => ({ provider: 'paddle', transactionId: 'txn_9', priceId: 'pri_day' }),
          openCheckout: async (_order, transactionId) => ({ provider: 'paddle', transactionId }),
        },
      },
    })

    const answer = (await now.post('/api/history/orders', { offer: 'day' }, token)).json()

    expect(answer).toEqual({ order, checkout: { provider: 'paddle', transactionId: 'txn_9' } })
  })

  it('409 with the hours that prevent it, or if no hours are archived', async () => {
    const { post, token, hours } = await createShopUnderTest()
    hours.delete(ago(5))

    const gap = await post('/api/history/orders', { offer: 'day' }, token)
    const off = await createShopUnderTest(0, { archive: undefined })
    const none = await off.post('/api/history/orders', { offer: 'hour' }, off.token)

    expect([gap, none].map(({ statusCode }) => statusCode)).toEqual([409, 409])
    expect(gap.json()).toEqual({
      errorType: 'HISTORY_UNAVAILABLE',
      errorMessage: `The archive does not have ${ago(5)}.`,
    })
  })

  it('429 beyond five unpaid orders', async () => {
    const { post, token } = await createShopUnderTest()
    const statuses: number[] = []

    for (let hours = 0; hours < 6; hours++) {
      const to = time(LAST - hours * HOUR_MS)
      statuses.push((await post('/api/history/orders', { offer: 'hour', to }, token)).statusCode)
    }

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })

  it('503 if nobody takes payments, if Paddle asks another price, and while Paddle is away', async () => {
    const nobody = await createShopUnderTest(720, { billing: undefined, sandbox: undefined })
    const kept = anArchive(HALF_PAST, 24)
    const under = await createPaddleUnderTest({}, { archive: kept.archive })
    const { paddle, post, token, errors } = under
    under.clock.now = HALF_PAST
    const order = () => post('/api/history/orders', { offer: 'day' }, token)

    const closed = await nobody.post('/api/history/orders', { offer: 'day' }, nobody.token)
    const away = await order()
    paddle.answers['POST /transactions'] = give(
      { id: 'txn_01', details: { totals: { subtotal: '500', currency_code: 'USD' } } },
      201,
    )
    const other = await order()

    expect([closed, away, other].map(({ statusCode }) => statusCode)).toEqual([503, 503, 503])
    expect(closed.json().errorMessage).toBe('Ordering is not open yet.')
    expect(errors.join()).toMatch(/500 USD cents.*1000 USD cents/)
  })

  it('400 for another offer or hour, and 401 without a session', async () => {
    const { post, token } = await createShopUnderTest()

    for (const body of [{ offer: 'year' }, {}, { offer: 'day', to: '2026-11-23T13:30:00Z' }]) {
      expect((await post('/api/history/orders', body, token)).statusCode).toBe(400)
    }
    expect((await post('/api/history/orders', { offer: 'day' })).statusCode).toBe(401)
  })
})

describe('GET /api/history/orders', () => {
  const get = (under: Awaited<ReturnType<typeof createShopUnderTest>>, path: string, token: string) =>
    under.app.inject({ url: `/api/history/orders${path}`, headers: { authorization: `Bearer ${token}` } })

  it('200 lists the account’s orders with the state of their hours, and one with its files', async () => {
    const under = await createShopUnderTest()
    const { token } = under
    await under.post('/api/history/orders', { offer: 'hour' }, token)
    const { order } = (await under.post('/api/history/orders', { offer: 'day' }, token)).json()
    under.hours.delete(ago(7))
    under.hours.set(ago(9), { ...under.hours.get(ago(9))!, complete: false })

    const list = (await get(under, '', token)).json()
    const one = (await get(under, `/${order.id}`, token)).json()

    expect(list).toHaveLength(2)
    const { files, ...listed } = one
    expect(list).toContainEqual(listed)
    expect(listed).toMatchObject({
      id: order.id,
      hours: 24,
      readyHours: 23,
      incompleteHours: 1,
      zipBytes: 23_000,
    })
    expect(files).toHaveLength(23)
    expect(files[0]).toMatchObject({
      hour: ago(24),
      complete: true,
      files: [{ bytes: 1_000, rows: 60 }, {}, {}, {}],
    })
  })

  it('200 returns the sample as order 1 of everybody, 404 while there is none', async () => {
    const under = await createShopUnderTest(2)
    const { token } = under

    expect((await get(under, '/1', token)).json()).toMatchObject({
      id: 1,
      status: 'sample',
      offer: 'hour',
      usd: 0,
      from: time(LAST - 2 * HOUR_MS),
      expiresAt: null,
      files: [{ hour: ago(2) }],
      downloadToken: expect.stringMatching(/^[A-Za-z0-9_-]{40,100}$/),
    })
    under.hours.clear()
    expect((await get(under, '/1', token)).statusCode).toBe(404)
  })

  it('404 for an invalid order number, or somebody else’s, and 401 without a session', async () => {
    const under = await createShopUnderTest()
    const { token } = under
    const other = await under.accounts.createAccount(`other-${under.email}`)
    const { id } = await under.accounts.grantOrder(`other-${under.email}`, {
      source: 'simulator',
      offer: 'day',
      to: new Date(LAST),
    })

    for (const path of [`/${id}`, '/x', '/999999999999', '/1.5', '/-1', '/0x1', '/%00']) {
      expect((await get(under, path, token)).statusCode, path).toBe(404)
    }
    expect(await under.accounts.findOrder(other.accountId, id)).toBeDefined()
    expect((await get(under, '', 'x')).statusCode).toBe(401)
  })
})
