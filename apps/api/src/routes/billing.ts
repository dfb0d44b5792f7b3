import { PATHS } from '@pairwire/contract'
import type { FastifyInstance } from 'fastify'
import type { Billing } from '../adapters/billing.ts'
import type { ApiParts } from '../parts.ts'
import { DONE } from './api-route.ts'

/** Bytes of a webhook: a subscription with everything in it has about 10 KiB. */
const WEBHOOK_MAX_BYTES = 256 * 1024

/**
 * POST /api/billing/webhook: what the payment provider reports, taken once each and told to the gateways. Anything
 * but a success is sent again by the provider, later.
 */
export async function addBillingRoutes(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'accounts' | 'bus' | 'log'>,
  billing: Billing,
): Promise<void> {
  await app.register(async (scope) => {
    // The bytes as they came are what was signed.
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
        if (result.outcome === 'applied') {
          const { accountId, from, to } = result
          parts.log.info('A payment was reported.', { accountId, report: event.report.type, from, to })
          await parts.bus.sendControl({ type: 'planChanged', accountId })
        }
        if (result.outcome === 'unknown_account') {
          parts.log.warn('A payment was reported for an account that there is not.', { event: event.id })
        }
        return DONE
      },
    })
  })
}
