import type {
  BillingEvent,
  HistoryOrder,
  OrderEvent,
  PaidSubscription,
  ProviderSubscription,
} from '@pairwire/accounts'
import type { NewOrder, PaymentConfig, PlanId } from '@pairwire/contract'

/** Takes money for plans, and for history. It reports payments by webhook only; they are read here and applied elsewhere. */
export type Billing = Readonly<{
  /** What the browser needs to open a checkout. */
  settings: PaymentConfig
  /** Sources that the pages' policy must allow beside their own. */
  sources: Readonly<{ script: readonly string[]; style: readonly string[]; frame: readonly string[] }>
  /**
   * Reads a webhook whose signature is good.
   *
   * @param body the bytes as they came: they are what was signed
   * @returns undefined for one that says nothing about a plan or an order
   * @throws AppError ERR_FORBIDDEN for a signature that is wrong or old, ERR_VALIDATION for a body of another form
   */
  readWebhook(body: Uint8Array, signature: string | undefined): BillingEvent | OrderEvent | undefined
  /** Name under which accounts keep what it reports. */
  provider: string
  /** The plan that is sold at a price, today or once. */
  planOf(priceId: string): PlanId | undefined
  /**
   * Address of a page on which the payer manages the plan. A payer with another email than `email`, which is the
   * account's, signs in there first: the page may show all that was ever bought under it.
   *
   * @throws AppError ERR_UNAVAILABLE, and ERR_FORBIDDEN where there is no page to sign in on
   */
  openPortal(subscription: PaidSubscription, email: string): Promise<string>
  /** Ends a subscription at once and for good; one that is over is left as it is. @throws AppError ERR_UNAVAILABLE */
  endSubscription(subscription: ProviderSubscription): Promise<void>
  /** Address of a page on which to pay; undefined where the checkout is opened in the browser. */
  openCheckout: ((accountId: string, planId: PlanId) => Promise<string>) | undefined
  /** Sells history; undefined where it has no prices. */
  orders: OrderBilling | undefined
  /**
   * Asks for the whole money of a paid order to be given back. It is once that is reported.
   *
   * @returns the report where that is made here, at once @throws AppError ERR_UNAVAILABLE, with the reason
   */
  refundOrder(order: HistoryOrder): Promise<SignedWebhook[]>
}>

/** Takes money for history, one payment for each order. */
export type OrderBilling = Readonly<{
  /**
   * Makes the payment for an order: one piece of one price, which is the order's. What a browser says of it later changes
   * nothing.
   *
   * @throws AppError ERR_UNAVAILABLE, also where the provider's price is another one than ours
   */
  createTransaction(
    order: HistoryOrder,
  ): Promise<Readonly<{ provider: string; transactionId: string; priceId: string }>>
  /** Where the payment that was made for an order is paid. */
  openCheckout(order: HistoryOrder, transactionId: string): Promise<NewOrder['checkout']>
}>

/** A webhook as it is sent. */
export type SignedWebhook = Readonly<{ body: string; signature: string }>
