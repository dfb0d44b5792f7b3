import type { Refund } from '../billing/billing-event.ts'
import type { Money } from '../database/money.ts'
import type { OrderState } from './order-state.ts'

/** A payment provider's report on a single payment, in our own terms. */
export type OrderReport =
  /**
   * Money was taken. `priceId` names the product, null unless exactly one piece of one price was bought.
   */
  | (Readonly<{ type: 'charged'; priceId: string | null }> & Money)
  /** The whole of it was refunded, or a part; charged back by the payer's bank; returned to us by that bank. */
  | (Readonly<{ type: 'refunded' | 'refunded_in_part' | 'charged_back' | 'restored' }> & Refund)

/** A payment by its provider and the provider's id. */
export type ProviderTransaction = Readonly<{ provider: string; transactionId: string }>

/** A provider's report on a payment that belongs to no subscription. Its owner is known from the order alone. */
export type OrderEvent = ProviderTransaction &
  Readonly<{
    /** The provider's id of the event, the same in every delivery. */
    id: string
    /** When it happened at the provider; events arrive in another order. */
    occurredAt: Date
    /** Whether it looks like a payment for history: an unverified claim, which can only raise an alarm. */
    isForHistory: boolean
    /** The message itself, as JSON, without secrets. */
    raw: unknown
    report: OrderReport
  }>

/** The outcome of an order event. */
export type OrderOutcome =
  | Readonly<{ outcome: 'applied'; orderId: number; from: OrderState; to: OrderState }>
  /** It was applied by an earlier delivery. */
  | Readonly<{ outcome: 'repeated' }>
  /** Another product was paid for: a single sale that has nothing to do with history. */
  | Readonly<{ outcome: 'not_ours' }>
  /** Money that gives nobody hours: the order does not exist, it costs another price, or its account is gone. It is kept. */
  | Readonly<{ outcome: 'nobodys'; isCharged: boolean; orderId: number | undefined }>
