import { StorageAwayError } from '@pairwire/archive'
import { DAY_MS, HOUR_MS, hourName, hourStart } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createDeliveryUnderTest } from '../testing/delivery-under-test.ts'

const time = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

describe('GET /order/{id}', () => {
  it('200 returns the token, the hours and their size, in the spellings of both releases of the tool', async () => {
    const { getOrder, order, to } = await createDeliveryUnderTest()

    const answer = await getOrder()

    expect(answer.statusCode).toBe(200)
    const body = answer.json()
    expect(body).toEqual({
      order_id: order.id,
      status: 'paid',
      download_token: expect.stringMatching(/^[A-Za-z0-9_-]{40,100}$/),
      archive_data_from: time(to - DAY_MS),
      archive_data_to: time(to),
      expires_at: order.expiresAt!.toISOString(),
      files: 24,
      size: 24 * 'zip of 20261123-130000'.length,
      DownloadToken: body.download_token,
      ArchiveDataFrom: body.archive_data_from,
      ArchiveDataTo: body.archive_data_to,
    })
    expect((await getOrder()).json()).toEqual(body)
  })

  it('200 ends before the first missing hour, while an order is being prepared', async () => {
    const { getOrder, kept, names, to } = await createDeliveryUnderTest()
    await kept.remove((await kept.find('simulator', names[5]!))!)

    expect((await getOrder()).json()).toMatchObject({
      archive_data_from: time(to - DAY_MS),
      archive_data_to: time(hourStart(names[5]!)!),
      files: 5,
    })
  })

  it('200 gives every account the sample as order 1, with its own token', async () => {
    const { getOrder, newCustomer, kept, customer } = await createDeliveryUnderTest()
    const other = await newCustomer()
    const sample = (await kept.findSample('simulator'))!

    const mine = (await getOrder(1)).json()
    const others = (await getOrder(1, other.key)).json()

    const from = hourStart(sample.hour)!
    expect(mine).toMatchObject({ order_id: 1, status: 'sample', expires_at: null, files: 1 })
    expect([mine.archive_data_from, mine.archive_data_to]).toEqual([time(from), time(from + HOUR_MS)])
    expect(mine.download_token).toMatch(/^[A-Za-z0-9_-]{40,100}$/)
    expect(others.download_token).not.toBe(mine.download_token)
    expect((await getOrder(1, customer.key)).json()).toEqual(mine)
  })

  it('401 for an unknown key, or none', async () => {
    const { getOrder, app, order } = await createDeliveryUnderTest()

    for (const answer of [
      await getOrder(order.id, '0'.repeat(32)),
      await getOrder(order.id, ''),
      await app.inject(`/order/${order.id}`),
    ]) {
      expect(answer.statusCode).toBe(401)
      expect(answer.json().errorType).toBe('KEY_UNKNOWN')
    }
    expect((await app.inject(`/order/${order.id}`)).json().errorMessage).toMatch(/^Send your API key/)
  })

  it('402 with a sentence if an order is not paid or has expired', async () => {
    const { accounts, getOrder, order, clock, customer, to } = await createDeliveryUnderTest()
    const wanted = { source: 'simulator', offer: 'hour', to: new Date(to) } as const
    const owner = (await accounts.findOrderOfKey(customer.key, order.id)) as { order: { accountId: string } }
    const unpaid = await accounts.createOrder(owner.order.accountId, wanted)

    const answer = await getOrder(unpaid.id)
    expect([answer.statusCode, answer.json()]).toEqual([
      402,
      { errorType: 'PAYMENT_REQUIRED', errorMessage: `Order ${unpaid.id} is not paid yet.` },
    ])

    clock.now += 31 * DAY_MS
    const day = order.expiresAt!.getUTCDate()
    const expired = await getOrder()
    expect(expired.statusCode).toBe(402)
    expect(expired.json().errorMessage).toMatch(
      new RegExp(`^Order ${order.id} expired on ${day} [A-Z][a-z]+ \\d{4}\\.$`),
    )
  })

  it('404 for a number that is not an order of this account', async () => {
    const { getOrder } = await createDeliveryUnderTest({ hours: 1 })

    for (const id of ['0', '2', '999999999', '99999999999999', 'x', '1.5', '-1', '1e3', '%00', '..%2f1']) {
      expect((await getOrder(id)).statusCode).toBe(404)
    }
  })

  it('404 for an order of another account', async () => {
    const { getOrder, newCustomer, order } = await createDeliveryUnderTest()

    const answer = await getOrder(order.id, (await newCustomer()).key)

    expect(answer.statusCode).toBe(404)
    expect(answer.json().errorType).toBe('ERR_NOT_FOUND')
  })

  it('503 with the time to retry, while the archive is away', async () => {
    const { app, customer, order } = await createDeliveryUnderTest({
      hours: 0,
      over: { list: () => Promise.reject(new StorageAwayError('away')) },
    })

    const answer = await app.inject({ url: `/order/${order.id}`, headers: { 'x-api-key': customer.key } })

    expect([answer.statusCode, answer.json().errorType]).toEqual([503, 'ERR_UNAVAILABLE'])
    expect(answer.headers['retry-after']).toBe('30')
  })
})

describe('POST /archive/metadata', () => {
  it('200 returns the content of each hour in the requested order, and zeros for a missing one', async () => {
    const { app, customer, names } = await createDeliveryUnderTest()
    const payload = JSON.stringify({ files: [names[3], '20200101-000000', names[0], names[3]] })
    const ask = (type?: string) =>
      app.inject({
        method: 'POST',
        url: '/archive/metadata',
        payload,
        headers: { 'x-api-key': customer.key, ...(type && { 'content-type': type }) },
      })
    const size = 'zip of 20261123-130000'.length
    const hour = { swaps: 2, pairs: 1, size, newpairs: 1, filesize: size }
    const none = { swaps: 0, pairs: 0, size: 0, newpairs: 0, filesize: 0 }

    for (const type of [
      undefined,
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'x/y; z',
    ]) {
      const answer = await ask(type)
      expect([answer.statusCode, answer.json()]).toEqual([200, [hour, none, hour, hour]])
    }
  })

  it('accepts the names of a month; 400 for more, none, or one of another form', async () => {
    const { app, customer, to } = await createDeliveryUnderTest({ hours: 1 })
    const month = Array.from({ length: 750 }, (_, at) => hourName(to - at * HOUR_MS))
    const ask = async (body: string) => {
      const headers = { 'x-api-key': customer.key }
      return (await app.inject({ method: 'POST', url: '/archive/metadata', payload: body, headers }))
        .statusCode
    }

    expect(await ask(JSON.stringify({ files: month }))).toBe(200)
    for (const files of [
      [...month, month[0]],
      [],
      ['20261123-130001'],
      ['../20261123-130000'],
      [7],
      'x',
      null,
    ]) {
      expect(await ask(JSON.stringify({ files }))).toBe(400)
    }
    for (const body of ['', '{', '[]', 'null']) expect(await ask(body)).toBe(400)
  })

  it('401 without a known key', async () => {
    const { app } = await createDeliveryUnderTest({ hours: 1 })

    const answer = await app.inject({ method: 'POST', url: '/archive/metadata', payload: '{"files":[]}' })

    expect([answer.statusCode, answer.json().errorType]).toEqual([401, 'KEY_UNKNOWN'])
  })
})
