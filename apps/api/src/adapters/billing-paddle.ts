import { AppError, type PlanId } from '@pairwire/contract'
import { z } from 'zod'
import type { Billing } from './billing.ts'
import { createPaddleApi } from './paddle-api.ts'
import { readPaddleWebhook } from './paddle-webhook.ts'

/** Name under which accounts keep what Paddle says. */
const PADDLE = 'paddle'

/** Milliseconds for Paddle's answers: the dashboard gives up on a call after 10 s and should get an answer before. */
const ANSWER_TIMEOUT_MS = 8_000

/** What {@link createPaddleBilling} needs. */
export type PaddleParts = Readonly<{
  apiKey: string
  /** For the browser; not secret. */
  clientToken: string
  webhookSecret: string
  /** Paddle's prices of each plan: the first is for new customers, the others are paid by older ones. */
  prices: Readonly<Record<PlanId, readonly [string, ...string[]]>>
  /** In production money moves; elsewhere Paddle's sandbox is asked. */
  production: boolean
  /** In place of Paddle's own address. */
  apiUrl?: string | undefined
  clock: () => number
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  timeoutMs?: number
}>

/**
 * Paddle Billing. The checkout is opened in the browser by Paddle's own script; here its webhooks are read, pages
 * for managing a plan are asked for, and subscriptions of accounts that go are ended.
 */
export function createPaddleBilling(parts: PaddleParts): Billing {
  const { webhookSecret: secret, clock, warn, prices } = parts
  const environment = parts.production ? 'production' : 'sandbox'
  const api = createPaddleApi({
    url: (parts.apiUrl ?? API_URLS[environment]).replace(/\/+$/, ''),
    apiKey: parts.apiKey,
  })
  const planOf = (priceId: string) => PLAN_IDS.find((planId) => prices[planId].includes(priceId))
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
      readPaddleWebhook({ provider: PADDLE, secret, clock, planOf, warn }, body, signature),

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

    async endSubscription({ provider, subscriptionId }) {
      if (provider !== PADDLE) throw new AppError('ERR_UNAVAILABLE')

      const path = `/subscriptions/${encodeURIComponent(subscriptionId)}`
      const signal = limit()
      const ended = await api.ask(
        { method: 'POST', path: `${path}/cancel`, body: { effective_from: 'immediately' }, signal },
        Subscription,
      )
      if ('data' in ended && ended.data.status === 'canceled') return

      // Refused, or only planned: it may be over already.
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

const PLAN_IDS = [1, 2, 3] as const

/** @see https://developer.paddle.com/api-reference/about/environments */
const API_URLS = { production: 'https://api.paddle.com', sandbox: 'https://sandbox-api.paddle.com' } as const

/** Paddle's script has one address; its window is framed from one for each environment. */
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

const OTHER_PAYER =
  'This plan was paid for with another email address. Use the links in the emails sent there, or write to support.'

function isSameEmail(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase()
}

/**
 * The portal's public address, where a payer signs in by mail: the session's address without its token. Its links
 * for single subscriptions are no way around that, since each carries the same token.
 *
 * @returns undefined for an address of another form, whose secret may be anywhere
 */
function signInPage(overview: string): string | undefined {
  const { origin, pathname, searchParams } = new URL(overview)
  return searchParams.has('token') && /^\/cpl_[0-9a-z]+$/.test(pathname) ? `${origin}${pathname}` : undefined
}
