import { AppError, type PlanId } from '@pairwire/contract'
import { z } from 'zod'
import type { Billing } from './billing.ts'
import { readPaddleWebhook } from './paddle-webhook.ts'

/** Name under which accounts keep what Paddle says. */
export const PADDLE = 'paddle'

/** Milliseconds for Paddle's answer: the dashboard gives a call up after 10 s and should get an answer. */
const PORTAL_TIMEOUT_MS = 8_000

/** What {@link createPaddleBilling} needs. */
export type PaddleParts = Readonly<{
  apiKey: string
  /** For the browser; not secret. */
  clientToken: string
  webhookSecret: string
  /** Paddle's price of each plan. */
  prices: Readonly<Record<PlanId, string>>
  /** In production money moves; elsewhere Paddle's sandbox is asked. */
  production: boolean
  /** In place of Paddle's own address. */
  apiUrl?: string | undefined
  clock: () => number
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  timeoutMs?: number
}>

/**
 * Paddle Billing. The checkout is opened in the browser by Paddle's own script; here its webhooks are read, and
 * pages for managing a plan are asked for.
 */
export function createPaddleBilling(parts: PaddleParts): Billing {
  const environment = parts.production ? 'production' : 'sandbox'
  const apiUrl = (parts.apiUrl ?? API_URLS[environment]).replace(/\/+$/, '')
  const planOf = (priceId: string) => PLAN_IDS.find((planId) => parts.prices[planId] === priceId)
  const { webhookSecret: secret, clock, warn } = parts

  return {
    settings: {
      provider: 'paddle',
      environment,
      clientToken: parts.clientToken,
      prices: { ...parts.prices },
    },
    sources: SOURCES[environment],
    openCheckout: undefined,

    readWebhook: (body, signature) =>
      readPaddleWebhook({ provider: PADDLE, secret, clock, planOf, warn }, body, signature),

    async openPortal({ provider, customerId, subscriptionId }) {
      if (provider !== PADDLE || !customerId || !subscriptionId) throw new AppError('ERR_UNAVAILABLE')

      const answer = await ask(`${apiUrl}/customers/${encodeURIComponent(customerId)}/portal-sessions`, {
        apiKey: parts.apiKey,
        body: { subscription_ids: [subscriptionId] },
        timeoutMs: parts.timeoutMs ?? PORTAL_TIMEOUT_MS,
      })
      if ('failure' in answer) {
        warn('Paddle gave no page for managing a plan.', { failure: answer.failure })
        throw new AppError('ERR_UNAVAILABLE')
      }
      return answer.url
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

/** @see https://developer.paddle.com/api-reference/customer-portals/create-customer-portal-session */
const PortalSession = z.object({
  data: z.object({ urls: z.object({ general: z.object({ overview: z.url({ protocol: /^https?$/ }) }) }) }),
})

/** `failure` names what went wrong and holds nothing of what was sent or answered. */
async function ask(
  url: string,
  call: { apiKey: string; body: unknown; timeoutMs: number },
): Promise<{ url: string } | { failure: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${call.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(call.body),
      redirect: 'error',
      signal: AbortSignal.timeout(call.timeoutMs),
    })
    if (!response.ok) return { failure: `status ${response.status}` }

    const session = PortalSession.safeParse(await response.json())
    return session.success ? { url: session.data.data.urls.general.overview } : { failure: 'unknown form' }
  } catch (error) {
    return { failure: error instanceof Error ? error.name : typeof error }
  }
}
