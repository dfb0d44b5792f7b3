import type { HistoryOrder } from '@pairwire/accounts'
import { AppError, type HistoryOffer, type PlanId } from '@pairwire/contract'
import * as z from 'zod'
import type { Billing, OrderBilling } from './billing.ts'
import { createPaddleApi } from './paddle-api.ts'
import { readPaddleWebhook } from './paddle-webhook.ts'

/** Name under which accounts store Paddle's reports. */
const PADDLE = 'paddle'

/** Milliseconds for Paddle's answers: the dashboard times out after 10 s and should get an answer before. */
const ANSWER_TIMEOUT_MS = 8_000

type OrderPrices = Readonly<Record<HistoryOffer['id'], string>>

/** What {@link createPaddleBilling} needs. */
export type PaddleParts = Readonly<{
  apiKey: string
  /** For the browser; not secret. */
  clientToken: string
  webhookSecret: string
  /** Paddle's prices of each plan: the first is for new customers, the others are paid by older ones. */
  prices: Readonly<Record<PlanId, readonly [string, ...string[]]>>
  /** Paddle's one-off prices of history; undefined if it is not sold. */
  orderPrices: OrderPrices | undefined
  /** Production moves money; everything else uses Paddle's sandbox. */
  production: boolean
  /** Replaces Paddle's own address. */
  apiUrl?: string | undefined
  clock: () => number
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  error(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  timeoutMs?: number
}>

/**
 * Paddle Billing. Paddle's own script opens the checkout in the browser; this adapter reads its webhooks, requests pages for
 * managing a plan, and ends subscriptions of deleted accounts.
 */
export function createPaddleBilling(parts: PaddleParts): Billing {
  const { webhookSecret: secret, clock, warn, prices, orderPrices } = parts
  const environment = parts.production ? 'production' : 'sandbox'
  const api = createPaddleApi({ url: paddleUrl(parts), apiKey: parts.apiKey })
  const planOf = (priceId: string) => PLAN_IDS.find((planId) => prices[planId].includes(priceId))
  const isHistoryPrice = (priceId: string) => Object.values(orderPrices ?? {}).includes(priceId)
  const limit = () => AbortSignal.timeout(parts.timeoutMs ?? ANSWER_TIMEOUT_MS)

  return {
    provider: PADDLE,
    settings: {
      provider: 'paddle',
      environment,
      clientToken: parts.clientToken,
      prices: { 1: prices[1][0], 2: prices[2][0], 3: prices[3][0] },
    },
    sources: SOURCES[environment],
    openCheckout: undefined,
    planOf,

    readWebhook: (body, signature) =>
      readPaddleWebhook({ provider: PADDLE, secret, clock, planOf, isHistoryPrice, warn }, body, signature),

    async openPortal({ provider, customerId, subscriptionId }, email) {
      if (provider !== PADDLE || !customerId || !subscriptionId) throw new AppError('ERR_UNAVAILABLE')

      const customer = `/customers/${encodeURIComponent(customerId)}`
      const signal = limit()
      const [payer, session] = await Promise.all([
        api.ask({ method: 'GET', path: customer, signal }, Customer),
        api.ask(
          {
            method: 'POST',
            path: `${customer}/portal-sessions`,
            body: { subscription_ids: [subscriptionId] },
            signal,
          },
          PortalSession,
        ),
      ])
      if ('failure' in session) {
        warn('Paddle returned no page for managing a plan.', { failure: session.failure })
        throw new AppError('ERR_UNAVAILABLE')
      }
      const { overview } = session.data.urls.general
      if ('data' in payer && isSameEmail(payer.data.email, email)) return overview

      warn(
        'A plan may have been paid for under another email than its account’s: the payer has to sign in at Paddle.',
        {
          subscription: subscriptionId,
          ...('failure' in payer && { failure: payer.failure }),
        },
      )
      const page = signInPage(overview)
      if (page === undefined) throw new AppError('ERR_FORBIDDEN', OTHER_PAYER)
      return page
    },

    pageOf: (kind, id) => `${VENDOR_URLS[environment]}/${kind}s-v2/${encodeURIComponent(id)}`,

    orders: orderPrices && sellOrders({ ...parts, orderPrices }, api, limit),

    refundOrder: (order) => askForRefund(order, api, limit()),

    async endSubscription({ provider, subscriptionId }) {
      if (provider !== PADDLE) throw new AppError('ERR_UNAVAILABLE')

      const path = `/subscriptions/${encodeURIComponent(subscriptionId)}`
      const signal = limit()
      const ended = await api.ask(
        { method: 'POST', path: `${path}/cancel`, body: { effective_from: 'immediately' }, signal },
        Subscription,
      )
      if ('data' in ended && ended.data.status === 'canceled') return

      // Refused, or only scheduled: it may have ended already.
      const found = await api.ask({ method: 'GET', path, signal }, Subscription)
      if ('data' in found && found.data.status === 'canceled') return

      warn('Paddle did not end a subscription.', {
        subscription: subscriptionId,
        ...('failure' in ended ? ended : { failure: `status is ${ended.data.status}` }),
      })
      throw new AppError('ERR_UNAVAILABLE')
    },
  }
}

/** The address of Paddle's API, without a slash at its end. */
export function paddleUrl({ apiUrl, production }: Pick<PaddleParts, 'apiUrl' | 'production'>): string {
  return (apiUrl ?? API_URLS[production ? 'production' : 'sandbox']).replace(/\/+$/, '')
}

/** Creates payments for orders, which the browser opens by their ids. */
function sellOrders(
  { orderPrices, warn, error }: Pick<PaddleParts, 'warn' | 'error'> & { orderPrices: OrderPrices },
  api: ReturnType<typeof createPaddleApi>,
  limit: () => AbortSignal,
): OrderBilling {
  return {
    async createTransaction({ id, accountId, offer, usd }) {
      const priceId = orderPrices[offer]
      const body = {
        items: [{ price_id: priceId, quantity: 1 }],
        currency_code: 'USD',
        custom_data: { userID: accountId, orderID: id },
      }
      const made = await api.ask(
        { method: 'POST', path: '/transactions', body, signal: limit() },
        Transaction,
      )
      if ('failure' in made) {
        warn('Paddle made no payment for an order.', { order: id, ...made })
        throw new AppError('ERR_UNAVAILABLE')
      }
      const { subtotal, currency_code } = made.data.details.totals
      const wanted = `${usd * 100} USD cents`
      if (subtotal !== String(usd * 100) || currency_code !== 'USD') {
        error(
          `PADDLE_PRICE_${offer.toUpperCase()}: Paddle asks another price than ours, so nothing is sold at it.`,
          { price: priceId, paddle: `${subtotal} ${currency_code} cents`, ours: wanted },
        )
        throw new AppError('ERR_UNAVAILABLE')
      }
      return { provider: PADDLE, transactionId: made.data.id, priceId }
    },
    openCheckout: async (_order, transactionId) => ({ provider: 'paddle', transactionId }),
  }
}

/** Requests a full refund of a payment: Paddle reviews it first, and reports it once approved. */
async function askForRefund(
  { id, provider, transactionId }: HistoryOrder,
  api: ReturnType<typeof createPaddleApi>,
  signal: AbortSignal,
): Promise<[]> {
  if (provider !== PADDLE || !transactionId) throw new AppError('ERR_UNAVAILABLE')
  const body = { action: 'refund', type: 'full', transaction_id: transactionId, reason: `order ${id}` }
  const asked = await api.ask({ method: 'POST', path: '/adjustments', body, signal }, Adjustment)
  if (!('failure' in asked)) return []
  const reason = asked.code ?? asked.failure
  throw new AppError('ERR_UNAVAILABLE', `Paddle did not take the refund of order ${id}: ${reason}.`)
}

const PLAN_IDS = [1, 2, 3] as const

/** Paddle's pages for sellers. Documented nowhere, as public integrations have them. */
const VENDOR_URLS = {
  production: 'https://vendors.paddle.com',
  sandbox: 'https://sandbox-vendors.paddle.com',
} as const

/** @see https://developer.paddle.com/api-reference/about/environments */
const API_URLS = { production: 'https://api.paddle.com', sandbox: 'https://sandbox-api.paddle.com' } as const

/** Paddle's script has one address; its frame has one for each environment. */
const SOURCES = {
  production: {
    script: ['https://cdn.paddle.com'],
    style: ['https://cdn.paddle.com'],
    frame: ['https://buy.paddle.com'],
  },
  sandbox: {
    script: ['https://cdn.paddle.com'],
    style: ['https://cdn.paddle.com', 'https://sandbox-cdn.paddle.com'],
    frame: ['https://sandbox-buy.paddle.com'],
  },
} as const

/** @see https://developer.paddle.com/api-reference/customers/get-customer */
const Customer = z.object({ email: z.string().max(1_000) })

/** @see https://developer.paddle.com/api-reference/customer-portals/create-customer-portal-session */
const PortalSession = z.object({
  urls: z.object({ general: z.object({ overview: z.url({ protocol: /^https?$/ }) }) }),
})

/** @see https://developer.paddle.com/api-reference/subscriptions/cancel-subscription */
const Subscription = z.object({ status: z.string().regex(/^[a-z_]{1,100}$/) })

/** @see https://developer.paddle.com/api-reference/transactions/create-transaction */
const Transaction = z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  details: z.object({
    totals: z.object({ subtotal: z.string().max(20), currency_code: z.string().length(3) }),
  }),
})

/** @see https://developer.paddle.com/api-reference/adjustments/create-adjustment */
const Adjustment = z.object({ status: z.string() })

const OTHER_PAYER =
  'This plan was paid for with another email address. Use the links in the emails sent there, or write to support.'

function isSameEmail(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase()
}

/**
 * The portal's public address, where a payer signs in by mail: the session's address without its token. The links to single
 * subscriptions are no alternative, since each carries the same token.
 *
 * @returns undefined for an address of another form, whose secret may be anywhere
 */
function signInPage(overview: string): string | undefined {
  const { origin, pathname, searchParams } = new URL(overview)
  return searchParams.has('token') && /^\/cpl_[0-9a-z]+$/.test(pathname) ? `${origin}${pathname}` : undefined
}
