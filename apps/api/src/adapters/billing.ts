import type {
  BillingEvent,
  HistoryOrder,
  OrderEvent,
  PaidSubscription,
  ProviderSubscription,
} from '@pairwire/accounts'
import type { NewOrder, PaymentConfig, PlanId } from '@pairwire/contract'

/** Takes payments for plans and for history. It reports them by webhook only, which is read here and applied elsewhere. */
export type Billing = Readonly<{
  /** What the browser needs to open a checkout. */
  settings: PaymentConfig
  /** Sources that the pages' policy must allow beside their own. */
  sources: Readonly<{ script: readonly string[]; style: readonly string[]; frame: readonly string[] }>
  /**
   * Reads a webhook with a valid signature.
   *
   * @param body the bytes as received, which are what was signed
   * @returns undefined for a webhook that is about neither a plan nor an order
   * @throws AppError ERR_FORBIDDEN if the signature is wrong or old, ERR_VALIDATION for a body of another form
   */
  readWebhook(body: Uint8Array, signature: string | undefined): BillingEvent | OrderEvent | undefined
  /** Name under which accounts store its reports. */
  provider: string
  /** The plan sold at a price, now or earlier. */
  planOf(priceId: string): PlanId | undefined
  /**
   * Address of a page on which the payer manages the plan. A payer whose email is not `email`, the account's, signs in there
   * first: the page may show everything ever bought under it.
   *
   * @throws AppError ERR_UNAVAILABLE, and ERR_FORBIDDEN if there is no page to sign in on
   */
  openPortal(subscription: PaidSubscription, email: string): Promise<string>
  /** Ends a subscription at once and for good; does nothing if it has ended. @throws AppError ERR_UNAVAILABLE */
  endSubscription(subscription: ProviderSubscription): Promise<void>
  /** Address of a page on which to pay; undefined if the browser opens the checkout. */
  openCheckout: ((accountId: string, planId: PlanId) => Promise<string>) | undefined
  /** Address of the provider's own page on a subscription or a payment; undefined if it has none. */
  pageOf?(kind: 'subscription' | 'transaction', id: string): string
  /** Sells history; undefined if it has no prices. */
  orders: OrderBilling | undefined
  /**
   * Requests a full refund of a paid order. It counts once the provider reports it.
   *
   * @returns the report if this adapter makes it at once @throws AppError ERR_UNAVAILABLE, with the reason
   */
  refundOrder(order: HistoryOrder): Promise<SignedWebhook[]>
}>

/** Takes payments for history, one per order. */
export type OrderBilling = Readonly<{
  /**
   * Creates the payment for an order: one piece of the order's price. Nothing that a browser sends later changes it.
   *
   * @throws AppError ERR_UNAVAILABLE, also if the provider's price differs from ours
   */
  createTransaction(
    order: HistoryOrder,
  ): Promise<Readonly<{ provider: string; transactionId: string; priceId: string }>>
  /** The page on which the payment of an order is paid. */
  openCheckout(order: HistoryOrder, transactionId: string): Promise<NewOrder['checkout']>
}>

/** A webhook as sent. */
export type SignedWebhook = Readonly<{ body: string; signature: string }>
