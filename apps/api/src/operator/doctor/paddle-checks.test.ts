import { describe, expect, it } from 'vitest'
import { findWith, PUBLIC_HOST } from '../../testing/doctor-under-test.ts'
import {
  aDestination,
  aPaddleAccount,
  give,
  PADDLE_PRICES,
  refuse,
  startPaddle,
} from '../../testing/paddle-double.ts'

const WEBHOOK = 'https://stream.example/api/billing/webhook'
const SECRET = 'pdl_ntfset_secret'
const PADDLE = {
  ...PUBLIC_HOST,
  ...{ PAYMENT_PROVIDER: 'paddle', PADDLE_API_KEY: 'pdl_live_apikey_x', PADDLE_CLIENT_TOKEN: 'live_x' },
  ...{ PADDLE_WEBHOOK_SECRET: SECRET, PADDLE_PRICE_1: 'pri_1', PADDLE_PRICE_2: 'pri_2, pri_old' },
  ...{ PADDLE_PRICE_3: 'pri_3', PADDLE_PRICE_HOUR: 'pri_hour', PADDLE_PRICE_DAY: 'pri_day' },
  ...{ PADDLE_PRICE_WEEK: 'pri_week', PADDLE_PRICE_MONTH: 'pri_month' },
}

/** What a check finds of an account at Paddle where all is well but for these answers. */
async function find(
  check: 'paddle-key' | 'paddle-prices' | 'paddle-webhook',
  answers: Parameters<typeof startPaddle>[0] = {},
  environment: Record<string, string> = {},
) {
  const { url, asked } = await startPaddle({ ...aPaddleAccount(WEBHOOK, SECRET), ...answers })
  const found = await findWith(check, { ...PADDLE, PADDLE_API_URL: url, ...environment })
  return { ...found, asked }
}

describe('the checks of Paddle', () => {
  it('are content with an account that is set up, and change nothing there', async () => {
    for (const check of ['paddle-key', 'paddle-prices', 'paddle-webhook'] as const) {
      expect(await find(check), check).toMatchObject({ state: 'ok', fix: null })
    }
    const { asked } = await find('paddle-key')
    for (const { line } of asked.filter(({ line }) => line.startsWith('POST'))) {
      expect(line).toMatch(/\/(ctm|sub)_0{26}\/|\/transactions$|\/adjustments$/)
    }
    expect(await findWith('paddle-key')).toMatchObject({ state: 'skipped' })
  })

  it('name what the key may not do, one that is unknown, and one of the other environment', async () => {
    const denied = refuse(403, 'forbidden')
    expect(
      await find('paddle-key', { 'POST /transactions': denied, 'GET /customers?per_page=1': denied }),
    ).toMatchObject({
      state: 'fail',
      sentence: 'PADDLE_API_KEY lacks permissions: customer.read, transaction.write.',
      fix: expect.stringContaining('Authentication'),
    })
    expect(await find('paddle-key', { 'GET /prices?per_page=1': denied })).toMatchObject({ state: 'warn' })
    const unknown = refuse(403, 'invalid_token')
    expect(await find('paddle-key', { 'GET /customers?per_page=1': unknown })).toMatchObject({
      state: 'fail',
      sentence: 'Paddle does not know this PADDLE_API_KEY.',
    })
    expect(await find('paddle-key', {}, { PADDLE_API_KEY: 'pdl_sdbx_apikey_x' })).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('live account'),
    })
    expect(await find('paddle-key', {}, { PADDLE_API_URL: 'http://127.0.0.1:1' })).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('PADDLE_API_URL'),
    })
  })

  it.each([
    ['costs another sum', 'pri_1', { unit_price: { amount: '2800', currency_code: 'USD' } }],
    ['is in another currency', 'pri_3', { unit_price: { amount: '19900', currency_code: 'EUR' } }],
    ['is for a year', 'pri_2', { billing_cycle: { interval: 'year', frequency: 1 } }],
    ['is archived', 'pri_day', { status: 'archived' }],
    [
      'is charged each month though it is of history',
      'pri_hour',
      { billing_cycle: { interval: 'month', frequency: 1 } },
    ],
  ])('name a price that %s', async (_name, id, change) => {
    const found = await find('paddle-prices', {
      [`GET /prices/${id}`]: give({ ...PADDLE_PRICES[id], ...change }),
    })

    expect(found).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining(`the price ${id} should be`),
      fix: expect.stringMatching(/^Make an active price/),
    })
  })

  it('name a price that does not exist, and let older ones cost what they like', async () => {
    expect(await find('paddle-prices', { 'GET /prices/pri_1': refuse(404, 'not_found') })).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('into PADDLE_PRICE_1'),
    })
  })

  it.each([
    ['is not there', { destination: 'https://other.example/hook' }, /add it with the events/],
    ['is not active', { active: false }, /activate it/],
    ['lacks an event', { subscribed_events: [{ name: 'transaction.completed' }] }, /add these events/],
    ['signs with another secret', { endpoint_secret_key: 'pdl_ntfset_other' }, /copy its secret key/],
  ])('name a destination that %s', async (_name, change, fix) => {
    const listed = give([{ ...aDestination(WEBHOOK, SECRET), ...change }])
    const found = await find('paddle-webhook', { 'GET /notification-settings?per_page=200': listed })

    expect(found).toMatchObject({ state: 'fail', fix: expect.stringMatching(fix) })
    expect(JSON.stringify(found)).not.toMatch(/pdl_ntfset_(other|secret)/)
  })

  it('name reports that did not arrive', async () => {
    expect(await find('paddle-webhook', { 'GET /notifications': give([{}, {}]) })).toMatchObject({
      state: 'warn',
      sentence: '2 reports of the last 24 hours did not arrive.',
      fix: expect.stringContaining('send them again'),
    })
  })
})
