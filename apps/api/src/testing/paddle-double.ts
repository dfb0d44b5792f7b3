import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { HISTORY_OFFERS, PLANS } from '@pairwire/contract'
import { onTestFinished } from 'vitest'

/** The double's answer to one call. */
type PaddleAnswer = (response: ServerResponse) => void

/** A test double of Paddle's API, which records its calls. */
type PaddleDouble = Readonly<{
  url: string
  asked: readonly Readonly<{ line: string; authorization: string | undefined; body: unknown }>[]
  /**
   * Its answers by method and path, for example `GET /customers/ctm_01`; those without a query also answer one; anything
   * else gets `not_found`.
   */
  answers: Record<string, PaddleAnswer>
}>

/** Starts it for this test. */
export async function startPaddle(answers: Record<string, PaddleAnswer> = {}): Promise<PaddleDouble> {
  const asked: PaddleDouble['asked'][number][] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const line = `${request.method} ${request.url}`
    asked.push({ line, authorization: request.headers.authorization, body: body && JSON.parse(body) })
    const answer = answers[line] ?? answers[line.split('?')[0]!] ?? refuse(404, 'not_found')
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, answers }
}

/** An answer with the requested data. */
export const give =
  (data: unknown, status = 200): PaddleAnswer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))

/** A refusal by its status and Paddle's name for it. It repeats the key, which must not reach a log. */
export const refuse =
  (status: number, code: string): PaddleAnswer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify({ error: { code, detail: 'key pdl_sdbx_key' } }))

/** Failures, as a person would describe them. */
export const PADDLE_FAILURES: readonly (readonly [string, PaddleAnswer])[] = [
  ['refuses', refuse(403, 'forbidden')],
  ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['answers no JSON', (response) => response.end('<html>')],
  ['answers another form', give({ urls: { general: {} } })],
  ['hangs up', (response) => response.destroy()],
  ['never answers', () => {}],
]

/** The public address of the double's portal, and its sign-in path. */
export const PORTAL = 'https://customer-portal.paddle.com/cpl_01'
const TOKEN = 'token=pga_secret'

/** The portal's page about everything that a customer has. */
export const OVERVIEW = `${PORTAL}?action=overview&${TOKEN}`

/** A portal session as Paddle returns it: its links to single subscriptions carry the same token as the one to all. */
export const givePortal = (overview: unknown = OVERVIEW): PaddleAnswer =>
  give(
    {
      id: 'cpls_01',
      urls: {
        general: { overview },
        subscriptions: [
          {
            id: 'sub_01',
            cancel_subscription: `${PORTAL}?action=cancel_subscription&subscription_id=sub_01&${TOKEN}`,
          },
        ],
      },
    },
    201,
  )

/** A price as Paddle returns it; once if it is not of each month. */
const aPrice = (id: string, usd: number, isMonthly: boolean) => ({
  ...{ id, status: 'active', billing_cycle: isMonthly ? { interval: 'month', frequency: 1 } : null },
  unit_price: { amount: String(usd * 100), currency_code: 'USD' },
})

/** Prices that fit our plans and offers, by id, and one that older customers pay. */
export const PADDLE_PRICES: Readonly<Record<string, ReturnType<typeof aPrice>>> = Object.fromEntries(
  [
    ...PLANS.map(({ id, usdPerMonth }) => aPrice(`pri_${id}`, usdPerMonth, true)),
    ...HISTORY_OFFERS.map(({ id, usd }) => aPrice(`pri_${id}`, usd, false)),
    aPrice('pri_old', 49, true),
  ].map((price) => [price.id, price]),
)

/** A destination that gets every report about plans and orders, and others. */
export const aDestination = (destination: string, secret: string) => ({
  ...{ id: 'ntfset_01', type: 'url', destination, active: true, endpoint_secret_key: secret },
  subscribed_events: [
    ...['activated', 'canceled', 'created', 'past_due', 'paused', 'resumed', 'trialing', 'updated'].map(
      (what) => ({ name: `subscription.${what}` }),
    ),
    ...['transaction.completed', 'transaction.paid', 'adjustment.created', 'adjustment.updated'].map(
      (name) => ({ name }),
    ),
  ],
})

/** Answers of an account that is set up for us, with a key that may do everything. */
export function aPaddleAccount(webhook: string, secret: string): Record<string, PaddleAnswer> {
  return {
    ...Object.fromEntries(
      ['customers', 'subscriptions', 'prices', 'notifications'].map((name) => [`GET /${name}`, give([])]),
    ),
    ...Object.fromEntries(
      Object.values(PADDLE_PRICES).map((price) => [`GET /prices/${price.id}`, give(price)]),
    ),
    'GET /notification-settings': give([aDestination(webhook, secret)]),
  }
}
