import { randomUUID } from 'node:crypto'
import type { OrderEvent, OrderReport } from '../orders/order-event.ts'
import { at, someMoney } from './a-billing-event.ts'

/** A report on one payment, on a day after the start. */
export function anOrderEvent(
  transactionId: string,
  day: number,
  report: OrderReport,
  over: Partial<OrderEvent> = {},
): OrderEvent {
  return {
    provider: 'paddle',
    id: randomUUID(),
    transactionId,
    occurredAt: at(day),
    isForHistory: true,
    raw: { said: report.type },
    report,
    ...over,
  }
}

/** Money taken for one piece of a price. */
export const bought = (priceId: string | null = 'pri_day') =>
  ({ type: 'charged', ...someMoney(1_000n), priceId }) as const
