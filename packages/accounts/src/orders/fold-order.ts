import type { OrderReport } from './order-event.ts'
import { nextOrderState, type OrderInput, type OrderState } from './order-state.ts'

/** An event of an order as input to the fold. */
export type TimedOrderReport = Readonly<{
  occurredAt: Date
  report: Pick<OrderReport, 'type'> & { priceId?: string | null }
}>

/** Facts about an order that its events do not carry. */
export type OrderFacts = Readonly<{
  /** The price it was sold at; null until the provider was asked. */
  priceId: string | null
  /** Whether a day has passed since it was created. */
  isOld: boolean
  /** Whether some of its hours cannot be delivered. */
  isShort: boolean
}>

/** The state that the events of an order lead to, in whatever order they arrived, and when it was paid; null for never. */
export function foldOrder(
  facts: OrderFacts,
  events: readonly TimedOrderReport[],
): { state: OrderState; paidAt: Date | null } {
  const charges = events.filter(
    ({ report: { type, priceId } }) => type === 'charged' && priceId != null && priceId === facts.priceId,
  )
  const isRefunded = events.some(({ report }) => report.type === 'refunded')
  const back = inOrder(events).flatMap(({ report: { type } }): OrderInput[] => {
    if (type === 'refunded' || type === 'charged_back') return ['refunded']
    // A bank cannot return money that we refunded ourselves.
    return type === 'restored' && charges.length > 0 && !isRefunded ? ['restored'] : []
  })
  const inputs: OrderInput[] = [
    ...(facts.isOld ? (['lapsed'] as const) : []),
    ...charges.map(() => 'charged' as const),
    ...back,
    ...(facts.isShort ? (['short'] as const) : []),
  ]
  const times = charges.map(({ occurredAt }) => occurredAt.getTime())
  return {
    state: inputs.reduce(nextOrderState, 'awaiting_payment'),
    paidAt: times.length > 0 ? new Date(Math.min(...times)) : null,
  }
}

/** Sorts events by when they happened; at the same moment the reversal comes last. */
function inOrder(events: readonly TimedOrderReport[]): TimedOrderReport[] {
  const rank = ({ report }: TimedOrderReport) => Number(report.type === 'restored')
  return [...events].sort(
    (left, right) => left.occurredAt.getTime() - right.occurredAt.getTime() || rank(left) - rank(right),
  )
}
