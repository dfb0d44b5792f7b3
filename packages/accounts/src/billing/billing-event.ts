import type { PlanId } from '@pairwire/contract'
import type { Money } from '../database/money.ts'
import type { SubscriptionKind } from '../standing/subscription-state.ts'

/** A payment provider's report on a subscription, in our own terms. */
export type BillingReport =
  /** It runs and is paid for until `until`: begun, renewed, changed to another plan, or no longer cancelled. */
  | Readonly<{ type: 'paid'; planId: ReportedPlan; until: Date }>
  /** A payment that was due failed; the provider keeps trying. */
  | Readonly<{ type: 'payment_failed'; planId: ReportedPlan }>
  /** It will not renew and runs until `until`. */
  | Readonly<{ type: 'cancelled'; planId: ReportedPlan; until: Date }>
  /** It has ended for good at the provider. */
  | Readonly<{ type: 'ended' }>
  /** Money was taken for the time from `from` until `until`. `origin`: the provider's word for why; null if it gives none. */
  | (Readonly<{ type: 'charged'; transactionId: string; from: Date; until: Date; origin: string | null }> &
      Money)
  /** The whole of a payment was refunded or charged back; a part of it, which changes no plan; a chargeback was reversed. */
  | (Readonly<{ type: 'refunded' | 'refunded_in_part' | 'restored'; transactionId: string }> & Refund)

/** What is known of a refund. The provider reports the same one several times, by one `adjustmentId`. */
export type Refund = Readonly<{ adjustmentId?: string | undefined; money?: Money | undefined }>

/** The plan that a subscription is for; null while its price is no plan here. */
export type ReportedPlan = PlanId | null

/** A subscription by its provider's name for it. */
export type ProviderSubscription = Readonly<{ provider: string; subscriptionId: string }>

/** A provider's report with the fields that identify it. */
export type BillingEvent = ProviderSubscription &
  Readonly<{
    /** The provider's id of the event, the same in every delivery. */
    id: string
    /** When it happened at the provider; events arrive in another order. */
    occurredAt: Date
    /** The provider's ids of the prices of the subscription; empty if the event does not name them. */
    priceIds: readonly string[]
    /** The provider's id of the payer, if the event names it. */
    customerId: string | undefined
    /** The account that the checkout was opened for, if the event names it. */
    accountId: string | undefined
    /** The message itself, as JSON, for looking things up later; without secrets. */
    raw: unknown
    report: BillingReport
  }>

/** The outcome of a billing event. */
export type BillingOutcome =
  | Readonly<{ outcome: 'applied'; accountId: string; from: SubscriptionKind; to: SubscriptionKind }>
  /** It was applied by an earlier delivery. */
  | Readonly<{ outcome: 'repeated' }>
  /** It is kept until another event names the owner of its subscription. */
  | Readonly<{ outcome: 'waiting' }>
  /** The account is gone, or never existed. `isCharged`: money is taken anyway, and the charge is kept on record. */
  | Readonly<{ outcome: 'unknown_account'; isCharged: boolean }>
