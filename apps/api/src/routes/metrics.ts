import {
  askParts,
  bringsToken,
  createLocalCheck,
  createMetrics,
  diskMetrics,
  metricTable,
  partMetrics,
} from '@pairwire/process'
import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import type { ArchiveFigures } from '../history/archive-keeper.ts'
import type { ApiParts } from '../parts.ts'

/**
 * GET /metrics, as Prometheus text, for callers with the token or on this machine; 404 for everyone else. No label contains a
 * user, an address or anything a stranger can choose.
 */
export function addMetrics(
  app: FastifyInstance,
  parts: Pick<
    ApiParts,
    | 'accounts'
    | 'archiveFigures'
    | 'health'
    | 'diskFreeBytes'
    | 'metrics'
    | 'moneyNow'
    | 'isLocal'
    | 'metricsToken'
  >,
): void {
  const metrics = createMetrics([
    partMetrics(() => askParts(parts)),
    diskMetrics(parts.diskFreeBytes),
    ...parts.metrics,
    billingMetrics(parts.accounts),
    orderMetrics(parts.accounts),
    moneyMetrics(parts.moneyNow),
    archiveMetrics(() => parts.archiveFigures?.()),
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

/** Reports charges that an operator must look at; keeps the last values while the database is away. */
const billingMetrics = (accounts: Pick<ApiParts['accounts'], 'countBillingAlarms'>) =>
  metricTable(
    [
      {
        name: 'pairwire_billing_unknown_price_subscriptions',
        help: 'Subscriptions whose price belongs to no plan here. Alarm on more than 0: add the price to PADDLE_PRICE_n.',
        read: ({ unknownPrices }) => unknownPrices,
      },
      {
        name: 'pairwire_billing_gone_account_subscriptions',
        help: 'Subscriptions and orders charged for a deleted account, or for no order. Alarm on more than 0: refund the payment.',
        read: ({ goneAccounts }) => goneAccounts,
      },
    ],
    () => accounts.countBillingAlarms().catch(() => undefined),
  )

const orderMetrics = (accounts: Pick<ApiParts['accounts'], 'countFailedOrders'>) =>
  metricTable(
    [
      {
        name: 'pairwire_orders_failed',
        help: 'Paid orders of history that lack hours. Alarm on more than 0: make them with backfill, or refund the order.',
        read: ({ failed }) => failed,
      },
    ],
    () =>
      accounts.countFailedOrders().then(
        (failed) => ({ failed }),
        () => undefined,
      ),
  )

const moneyMetrics = (moneyNow: ApiParts['moneyNow']) =>
  metricTable(
    [
      {
        name: 'pairwire_mrr',
        help: 'Monthly recurring revenue, in the smallest unit of each currency.',
        labels: ['currency'],
        read: ({ currencies }) =>
          Object.entries(currencies).map(([currency, { mrr }]) => [Number(mrr), currency]),
      },
      { name: 'pairwire_paying_accounts', help: 'Accounts that pay.', read: ({ counts }) => counts.paying },
      { name: 'pairwire_trials', help: 'Running free trials.', read: ({ counts }) => counts.trials },
      { name: 'pairwire_past_due', help: 'Accounts past due.', read: ({ counts }) => counts.pastDue },
    ],
    () => moneyNow().catch(() => undefined),
  )

const archiveMetrics = (figures: () => ArchiveFigures | undefined) =>
  metricTable(
    [
      {
        name: 'pairwire_archive_hours',
        help: 'Archived hours of the running source.',
        read: ({ hours }) => hours,
      },
      { name: 'pairwire_archive_bytes', help: 'Bytes of their files.', read: ({ bytes }) => bytes },
      {
        name: 'pairwire_archive_gap_hours',
        help: 'Incomplete or missing hours among the newest 720. Make them with backfill --gaps.',
        read: ({ gapHours }) => gapHours,
      },
    ],
    figures,
  )
