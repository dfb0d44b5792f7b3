import type { BillingEvent, BillingOutcome, OrderEvent, OrderOutcome } from '@pairwire/accounts'
import type { Log } from '@pairwire/basics'
import type { Billing } from './adapters/billing.ts'
import type { ApiParts } from './parts.ts'

/** What {@link takeWebhook} needs. */
export type WebhookParts = Pick<ApiParts, 'accounts' | 'bus' | 'log'>

/**
 * Applies a payment provider's report on a plan or an order, and tells the gateways of a changed plan.
 *
 * @throws what `Billing.readWebhook` throws
 */
export async function takeWebhook(
  { accounts, bus, log }: WebhookParts,
  billing: Billing,
  body: Uint8Array,
  signature: string | undefined,
): Promise<void> {
  const event = billing.readWebhook(body, signature)
  if (!event) return
  if (!('subscriptionId' in event)) return logOrder(log, event, await accounts.applyOrderEvent(event))

  const result = await accounts.applyBillingEvent(event)
  logPlan(log, event, result)
  if (result.outcome === 'applied')
    await bus.sendControl({ type: 'planChanged', accountId: result.accountId })
}

/** Logs an error if money arrived that gives nobody hours. */
function logOrder(log: Log, { id, report, transactionId }: OrderEvent, result: OrderOutcome): void {
  const about = { event: id, transaction: transactionId, report: report.type }
  if (result.outcome === 'applied') {
    const { orderId, from, to } = result
    log.info('A payment for history was reported.', { order: orderId, report: report.type, from, to })
  }
  if (result.outcome !== 'nobodys') return
  const fields = { ...about, order: result.orderId }
  if (result.isCharged) {
    const sentence =
      'The provider took money that gives nobody history: no order has this payment, it is for another price, ' +
      'or the account is gone. Refund it there.'
    log.error(sentence, fields)
  } else log.warn('A refund was reported for a payment that belongs to no order.', fields)
}

/** Logs an error if the operator must act: money is taken and nobody gets a plan for it. */
function logPlan(
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
