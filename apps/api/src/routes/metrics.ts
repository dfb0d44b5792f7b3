import {
  askParts,
  bringsToken,
  createLocalCheck,
  createMetrics,
  diskFigures,
  type Figures,
  metricsOf,
  partFigures,
} from '@pairwire/process'
import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import type { ApiParts } from '../parts.ts'

/**
 * GET /metrics, as Prometheus text, for who brings the token or is at this machine; 404 for everyone else. No label
 * names a user, an address or anything a stranger can choose.
 */
export function addMetrics(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'accounts' | 'health' | 'diskFreeBytes' | 'figures' | 'isLocal' | 'metricsToken'>,
): void {
  const metrics = createMetrics([
    partFigures(() => askParts(parts)),
    diskFigures(parts.diskFreeBytes),
    ...parts.figures,
    billingFigures(parts.accounts),
  ])

  const calls = new Histogram({
    name: 'pairwire_http_request_seconds',
    help: 'Time from request to answer, by route pattern and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [metrics.registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    calls.observe(
      { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode },
      reply.elapsedTime / 1_000,
    )
  })

  const isFromHere = createLocalCheck(parts)
  app.get('/metrics', async (request, reply) => {
    if (!isFromHere(request) && !bringsToken(request.headers.authorization, parts.metricsToken))
      return reply.callNotFound()
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text())
  })
}

/** Money that an operator must look at. */
const billingFigures =
  (accounts: Pick<ApiParts['accounts'], 'countBillingAlarms'>): Figures =>
  (registry) => {
    const { gauge } = metricsOf(registry)
    const unknownPrices = gauge(
      'pairwire_billing_unknown_price_subscriptions',
      'Subscriptions whose price belongs to no plan here. Alarm on more than 0: add the price to PADDLE_PRICE_n.',
    )
    const goneAccounts = gauge(
      'pairwire_billing_gone_account_subscriptions',
      'Subscriptions charged for a deleted account. Alarm on more than 0: refund the payment.',
    )
    return async () => {
      // They stay as they were while the database is away, which is told by its own metric.
      const billing = await accounts.countBillingAlarms().catch(() => undefined)
      if (!billing) return
      unknownPrices.set(billing.unknownPrices)
      goneAccounts.set(billing.goneAccounts)
    }
  }
