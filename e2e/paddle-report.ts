import { createHmac, randomUUID } from 'node:crypto'

/** Settings of a service that takes payments by Paddle, whose reports {@link sendPaidReport} can sign. */
export const PADDLE_SETTINGS = {
  PAYMENT_PROVIDER: 'paddle',
  PADDLE_API_KEY: 'key',
  PADDLE_CLIENT_TOKEN: 'test_token',
  PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_test',
  PADDLE_PRICE_1: 'pri_1',
  PADDLE_PRICE_2: 'pri_2',
  PADDLE_PRICE_3: 'pri_3',
} as const

/** Reports a subscription that was paid for a month from now, as Paddle does. @returns the status of the answer */
export async function sendPaidReport(
  serviceUrl: string,
  userID: string,
  { subscription = `sub_${randomUUID()}`, price = 'pri_3' } = {},
): Promise<number> {
  const seconds = Math.floor(Date.now() / 1_000)
  const body = JSON.stringify({
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
