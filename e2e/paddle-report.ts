import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Settings of a service that takes payments with Paddle, whose reports can be signed here. */
export const PADDLE_SETTINGS = {
  PAYMENT_PROVIDER: 'paddle',
  PADDLE_API_KEY: 'key',
  PADDLE_CLIENT_TOKEN: 'test_token',
  PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_test',
  PADDLE_PRICE_1: 'pri_1',
  PADDLE_PRICE_2: 'pri_2',
  PADDLE_PRICE_3: 'pri_3',
  PADDLE_PRICE_HOUR: 'pri_hour',
  PADDLE_PRICE_DAY: 'pri_day',
  PADDLE_PRICE_WEEK: 'pri_week',
  PADDLE_PRICE_MONTH: 'pri_month',
} as const

/** Reports a subscription that was paid for a month from now, like Paddle. @returns the status of the answer */
export function sendPaidReport(
  serviceUrl: string,
  userID: string,
  { subscription = `sub_${randomUUID()}`, price = 'pri_3' } = {},
): Promise<number> {
  return send(serviceUrl, {
    event_id: `evt_${randomUUID()}`,
    event_type: 'subscription.updated',
    occurred_at: new Date().toISOString(),
    data: {
      id: subscription,
      status: 'active',
      customer_id: 'ctm_1',
      custom_data: { userID },
      items: [{ price: { id: price } }],
      current_billing_period: { ends_at: new Date(Date.now() + 30 * 86_400_000).toISOString() },
    },
  })
}

/** Reports that a single payment was completed, like Paddle. @returns the status of the answer */
export function sendOrderReport(serviceUrl: string, transaction: string, price: string): Promise<number> {
  return send(serviceUrl, {
    event_id: `evt_${randomUUID()}`,
    event_type: 'transaction.completed',
    occurred_at: new Date().toISOString(),
    data: {
      id: transaction,
      customer_id: 'ctm_1',
      items: [{ quantity: 1, price: { id: price } }],
      details: { totals: { grand_total: '500', currency_code: 'USD' } },
    },
  })
}

/** A stand-in for Paddle's API that creates each requested payment, for an hour of history, and records the requests. */
export async function startPaddleApi() {
  const asked: unknown[] = []
  const server = createServer(async (request, response) => {
    asked.push(await json(request))
    const totals = { subtotal: '500', currency_code: 'USD' }
    const data = { id: `txn_${asked.length}`, status: 'ready', details: { totals } }
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function send(serviceUrl: string, message: object): Promise<number> {
  const seconds = Math.floor(Date.now() / 1_000)
  const body = JSON.stringify(message)
  const hash = createHmac('sha256', PADDLE_SETTINGS.PADDLE_WEBHOOK_SECRET)
    .update(`${seconds}:${body}`)
    .digest('hex')
  const answer = await fetch(`${serviceUrl}/api/billing/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'paddle-signature': `ts=${seconds};h1=${hash}` },
    body,
  })
  return answer.status
}
