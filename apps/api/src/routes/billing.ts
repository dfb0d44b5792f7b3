import { AppError, LATER_PATHS } from '@pairwire/contract'
import type { FastifyInstance } from 'fastify'
import type { Billing } from '../adapters/billing.ts'
import type { ApiParts } from '../parts.ts'
import { takeWebhook, type WebhookParts } from '../take-webhook.ts'
import { DONE } from './api-route.ts'

/** Largest webhook in bytes: a subscription with all its members has about 10 KiB. */
const WEBHOOK_MAX_BYTES = 256 * 1024

/**
 * POST /api/billing/webhook: the payment provider's reports, each applied once and passed to the gateways. The provider
 * retries later after anything but a success.
 */
export async function addBillingRoutes(
  app: FastifyInstance,
  parts: WebhookParts & Pick<ApiParts, 'webhooks'>,
  billing: Billing,
): Promise<void> {
  await app.register(async (scope) => {
    // The signature covers the bytes as received.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    scope.route({
      method: LATER_PATHS.billingWebhook.method,
      url: LATER_PATHS.billingWebhook.path,
      bodyLimit: WEBHOOK_MAX_BYTES,
      handler: async (request) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const signature = request.headers['paddle-signature']
        try {
          await takeWebhook(parts, billing, body, typeof signature === 'string' ? signature : undefined)
        } catch (error) {
          if (error instanceof AppError && error.errorType !== 'ERR_UNAVAILABLE')
            parts.webhooks.note('refused')
          if (error instanceof AppError && error.errorType === 'ERR_FORBIDDEN') parts.webhooks.noteForged()
          throw error
        }
        parts.webhooks.note('received')
        return DONE
      },
    })
  })
}
