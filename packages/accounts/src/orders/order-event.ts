import type { OrderState } from './order-state.ts'

/** A payment provider's report on a single payment, in our own terms. */
export type OrderReport =
  /**
   * Money was taken. `amount` is in the currency's smallest unit; `priceId` names what was bought, null unless it is one
   * piece of one price.
   */
  | Readonly<{ type: 'charged'; amount: bigint; currency: string; priceId: string | null }>
  /** The whole of it was given back; taken back by the payer's bank; given to us again by that bank. */
  | Readonly<{ type: 'refunded' | 'charged_back' | 'restored' }>

/** A payment by its provider's name for it. */
export type ProviderTransaction = Readonly<{ provider: string; transactionId: string }>

/** A provider's report on a payment that belongs to no subscription. Whose it is stands with the order alone. */
export type OrderEvent = ProviderTransaction &
  Readonly<{
    /** The provider's name of the event: the same one in every delivery of it. */
    id: string
    /** When it happened at the provider, which is not the order in which events come. */
    occurredAt: Date
    /** Whether it looks like a payment for history: a stranger's word, which can raise an alarm and nothing else. */
    isForHistory: boolean
    /** The message itself, as JSON, without secrets. */
    raw: unknown
    report: OrderReport
  }>

/** What became of an order event. */
export type OrderOutcome =
  | Readonly<{ outcome: 'applied'; orderId: number; from: OrderState; to: OrderState }>
  /** It was applied by an earlier delivery. */
  | Readonly<{ outcome: 'repeated' }>
  /** Something else was paid for: a single sale that has nothing to do with history. */
  | Readonly<{ outcome: 'not_ours' }>
  /** Money that gives nobody hours: there is no such order, it costs another price, or its account is gone. It is kept. */
  | Readonly<{ outcome: 'nobodys'; isCharged: boolean; orderId: number | undefined }>
