import { DAY_MS, HISTORY_OFFERS, planById } from '@pairwire/contract'
import * as z from 'zod'
import { paddleUrl } from '../../adapters/billing-paddle.ts'
import { createPaddleApi } from '../../adapters/paddle-api.ts'
import type { DoorConfig } from '../../config.ts'
import { type Check, type Checks, type Finding, fail, skipped, together, warn } from './check.ts'
import type { DoctorParts } from './doctor-parts.ts'

/** Ids in Paddle's form that nothing has: what is asked of them is refused, but not for lack of a permission. */
const none = (kind: string) => `${kind}_${'0'.repeat(26)}`

/** What the key must be allowed, with a call that changes nothing; `doctor` if only these checks need it. */
const PERMISSIONS: readonly Readonly<{
  name: string
  line: string
  body?: object
  for?: 'orders' | 'doctor'
}>[] = [
  { name: 'customer.read', line: 'GET /customers?per_page=1' },
  {
    ...{ name: 'customer_portal_session.write', line: `POST /customers/${none('ctm')}/portal-sessions` },
    body: { subscription_ids: [none('sub')] },
  },
  { name: 'subscription.read', line: 'GET /subscriptions?per_page=1' },
  {
    ...{ name: 'subscription.write', line: `POST /subscriptions/${none('sub')}/cancel` },
    body: { effective_from: 'immediately' },
  },
  { name: 'transaction.write', line: 'POST /transactions', body: { items: [] }, for: 'orders' },
  {
    ...{ name: 'adjustment.write', line: 'POST /adjustments', for: 'orders' },
    body: { action: 'refund', type: 'full', transaction_id: none('txn'), reason: 'doctor' },
  },
  { name: 'price.read', line: 'GET /prices?per_page=1', for: 'doctor' },
  { name: 'notification_setting.read', line: 'GET /notification-settings?per_page=1', for: 'doctor' },
  { name: 'notification.read', line: 'GET /notifications?per_page=1', for: 'doctor' },
]

/** Events that change plans and orders here. */
const EVENTS = [
  ...['activated', 'canceled', 'created', 'past_due', 'paused', 'resumed', 'trialing', 'updated'].map(
    (what) => `subscription.${what}`,
  ),
  ...['transaction.completed', 'adjustment.created', 'adjustment.updated'],
]

const Price = z.object({
  status: z.string(),
  billing_cycle: z.object({ interval: z.string(), frequency: z.number() }).nullish(),
  unit_price: z.object({ amount: z.string(), currency_code: z.string() }),
})

const Destinations = z.array(
  z.object({
    id: z.string(),
    destination: z.string(),
    active: z.boolean(),
    subscribed_events: z.array(z.object({ name: z.string() })),
    endpoint_secret_key: z.string(),
  }),
)

type Paddle = Extract<DoorConfig['payment'], { provider: 'paddle' }>
type Api = ReturnType<typeof createPaddleApi>

/** Checks of what is set up at Paddle. */
export function paddleChecks({ config }: DoctorParts): Checks {
  const { payment, production, publicUrl } = config
  if (payment?.provider !== 'paddle') {
    const skip: Check = () => skipped('Paddle is not set up.')
    return { 'paddle-key': skip, 'paddle-prices': skip, 'paddle-webhook': skip }
  }
  const api = createPaddleApi({ url: paddleUrl({ ...payment, production }), apiKey: payment.apiKey })
  return {
    'paddle-key': (signal) => checkKey(api, payment, production, signal),
    'paddle-prices': (signal) => checkPrices(api, payment, signal),
    'paddle-webhook': (signal) => checkWebhook(api, payment, publicUrl, signal),
  }
}

async function checkKey(
  api: Api,
  { apiKey, orderPrices }: Paddle,
  production: boolean,
  signal: AbortSignal,
): Promise<Finding> {
  const [, kind] = /^pdl_(sdbx|live)_/.exec(apiKey) ?? []
  if (kind && (kind === 'live') !== production) {
    const wanted = production ? 'live account' : 'sandbox'
    return fail(
      `PADDLE_API_KEY is not of Paddle’s ${wanted}.`,
      `Make a key in Paddle’s ${wanted}, and set it.`,
    )
  }
  const wanted = PERMISSIONS.filter((one) => one.for !== 'orders' || orderPrices)
  const asked = await Promise.all(
    wanted.map(async ({ line, body, ...permission }) => {
      const [method, path = ''] = line.split(' ')
      return {
        ...permission,
        ...(await api.ask({ method: method as 'GET', path, body, signal }, z.unknown())),
      }
    }),
  )
  const failures = asked.flatMap((one) => ('failure' in one ? [one] : []))
  const unknown = failures.find(
    ({ failure, code }) => failure === 'status 401' || /^(invalid_token|authentication_)/.test(code ?? ''),
  )
  if (unknown)
    return fail(
      'Paddle does not know this PADDLE_API_KEY.',
      'Make a key in Paddle under Developer tools, Authentication, and set it.',
    )
  const away = failures.find(({ failure }) => !failure.startsWith('status 4'))
  if (away) return fail(`Paddle’s API does not answer: ${away.failure}.`, AWAY_FIX)
  const denied = failures.filter(({ failure }) => failure === 'status 403')
  const names = (only: boolean) =>
    denied.filter((one) => (one.for === 'doctor') === only).map(({ name }) => name)
  const fix = 'Give the key these permissions in Paddle under Developer tools, Authentication.'
  return together(
    [
      names(false).length > 0 && fail(`PADDLE_API_KEY lacks permissions: ${names(false).join(', ')}.`, fix),
      names(true).length > 0 && warn(`The doctor cannot read ${names(true).join(', ')}.`, fix),
    ],
    `PADDLE_API_KEY has all ${wanted.length} permissions.`,
  )
}

const AWAY_FIX = 'Let this machine reach PADDLE_API_URL, or Paddle’s own address, over https, and try again.'

async function checkPrices(api: Api, { prices, orderPrices }: Paddle, signal: AbortSignal): Promise<Finding> {
  const plans = ([1, 2, 3] as const).flatMap((planId) =>
    prices[planId].map((id, at) => ({
      ...{ id, name: `PADDLE_PRICE_${planId}`, isMonthly: true },
      // Older customers may pay another price.
      usd: at === 0 ? planById(planId)!.usdPerMonth : undefined,
    })),
  )
  const orders = HISTORY_OFFERS.flatMap(({ id, usd }) =>
    orderPrices
      ? [{ id: orderPrices[id], name: `PADDLE_PRICE_${id.toUpperCase()}`, isMonthly: false, usd }]
      : [],
  )
  const faults = await Promise.all(
    [...plans, ...orders].map(async ({ id, name, isMonthly, usd }): Promise<Finding | undefined> => {
      const found = await api.ask({ method: 'GET', path: `/prices/${encodeURIComponent(id)}`, signal }, Price)
      if ('failure' in found) {
        if (!found.failure.startsWith('status 4'))
          return fail(`${name}: Paddle does not answer: ${found.failure}.`, AWAY_FIX)
        return fail(
          `${name}: Paddle shows no price ${id}.`,
          `Copy the id of a price from Paddle’s catalogue into ${name}; the key needs the permission price.read.`,
        )
      }
      const { billing_cycle: cycle, status, unit_price } = found.data
      const { amount, currency_code } = unit_price
      const isRightCycle = isMonthly ? cycle?.interval === 'month' && cycle.frequency === 1 : !cycle
      const isRightSum = usd === undefined || (amount === String(usd * 100) && currency_code === 'USD')
      if (status === 'active' && isRightCycle && isRightSum) return undefined
      const wanted = `${usd === undefined ? '' : `${usd.toFixed(2)} USD, `}${isMonthly ? 'each month' : 'once'}`
      const given = `${amount} ${currency_code} in its smallest unit, ${cycle ? `each ${cycle.frequency} ${cycle.interval}` : 'once'}, ${status}`
      return fail(
        `${name}: the price ${id} should be ${wanted}, and is ${given}.`,
        `Make an active price in Paddle’s catalogue for ${wanted}, and put its id first in ${name}.`,
      )
    }),
  )
  return together(faults, `All ${faults.length} prices exist and fit.`)
}

async function checkWebhook(
  api: Api,
  { webhookSecret }: Paddle,
  publicUrl: string,
  signal: AbortSignal,
): Promise<Finding> {
  const ask = <Schema extends z.ZodType>(path: string, answer: Schema) =>
    api.ask({ method: 'GET', path, signal }, answer)
  const address = `${publicUrl}/api/billing/webhook`
  const listed = await ask('/notification-settings?per_page=200', Destinations)
  if ('failure' in listed) {
    return fail(
      `Paddle does not show its destinations: ${listed.code ?? listed.failure}.`,
      'Give the key the permission notification_setting.read, and let this machine reach Paddle.',
    )
  }
  const ours = listed.data.find(({ destination }) => destination.replace(/\/+$/, '') === address)
  const where = 'In Paddle under Developer tools, Notifications,'
  if (!ours) {
    return fail(
      `Paddle reports payments to no destination ${address}.`,
      `${where} add it with the events ${EVENTS.join(', ')}, and set PADDLE_WEBHOOK_SECRET to its secret key.`,
    )
  }
  const missing = EVENTS.filter((event) => !ours.subscribed_events.some(({ name }) => name === event))
  const since = new Date(Date.now() - DAY_MS).toISOString()
  const query = `notification_setting_id=${ours.id}&status=failed&from=${since}&per_page=200`
  const failed = await ask(`/notifications?${query}`, z.array(z.unknown()))
  const count = 'data' in failed ? failed.data.length : 0
  return together(
    [
      !ours.active && fail(`The destination ${address} is not active.`, `${where} activate it.`),
      missing.length > 0 &&
        fail(`The destination lacks events: ${missing.join(', ')}.`, `${where} add these events to it.`),
      ours.endpoint_secret_key !== webhookSecret &&
        fail(
          'PADDLE_WEBHOOK_SECRET is not the secret key of the destination, so every report is refused.',
          `${where} copy its secret key into PADDLE_WEBHOOK_SECRET, and restart the service.`,
        ),
      count > 0 &&
        warn(
          `${count} reports of the last 24 hours did not arrive.`,
          `${where} look at what the service answered, mend it, and send them again.`,
        ),
    ],
    `Paddle reports all ${EVENTS.length} events to ${address}, signed with our secret.`,
  )
}
