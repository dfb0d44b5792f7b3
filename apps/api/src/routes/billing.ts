import type { BillingEvent, BillingOutcome } from '@pairwire/accounts'
import type { Log } from '@pairwire/basics'
import { PATHS } from '@pairwire/contract'
import type { FastifyInstance } from 'fastify'
import type { Billing } from '../adapters/billing.ts'
import type { ApiParts } from '../parts.ts'
import { DONE } from './api-route.ts'

/** Bytes of a webhook: a subscription with everything in it has about 10 KiB. */
const WEBHOOK_MAX_BYTES = 256 * 1024

/**
 * POST /api/billing/webhook: the payment provider's reports, each applied once and passed to the gateways. Anything
 * but a success is sent again by the provider, later.
 */
export async function addBillingRoutes(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'accounts' | 'bus' | 'log'>,
  billing: Billing,
): Promise<void> {
  await app.register(async (scope) => {
    // The signature covers the bytes as they came.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    scope.route({
      method: PATHS.billingWebhook.method,
      url: PATHS.billingWebhook.path,
      bodyLimit: WEBHOOK_MAX_BYTES,
      handler: async (request) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const signature = request.headers['paddle-signature']
        const event = billing.readWebhook(body, typeof signature === 'string' ? signature : undefined)
        if (!event) return DONE

        const result = await parts.accounts.applyBillingEvent(event)
        logOutcome(parts.log, event, result)
        if (result.outcome === 'applied') {
          await parts.bus.sendControl({ type: 'planChanged', accountId: result.accountId })
        }
        return DONE
      },
    })
  })
}

/** Logs an error where the operator must act: money is taken and nobody gets a plan for it. */
function logOutcome(
  log: Log,
  { id, report, subscriptionId, priceIds }: BillingEvent,
  result: BillingOutcome,
): void {
  if (result.outcome === 'repeated') return
  const about = { event: id, subscription: subscriptionId, report: report.type }

  if ('planId' in report && report.planId === null) {
    const sentence =
      'A subscription has a price that belongs to no plan here; its account keeps its plan. Add the price to PADDLE_PRICE_1..3 and restart.'
    log.error(sentence, { ...about, prices: priceIds })
  }
  if (result.outcome === 'applied') {
    const { accountId, from, to } = result
    log.info('A payment was reported.', { accountId, report: report.type, from, to })
  }
  if (result.outcome === 'unknown_account' && result.isCharged) {
    log.error(
      'The provider charges an account that does not exist. Refund the payment and end the subscription there.',
      about,
    )
  } else if (result.outcome === 'unknown_account') {
    log.warn('A payment was reported for an account that does not exist.', about)
  }
}
