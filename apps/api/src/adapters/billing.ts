import type { BillingEvent, PaidSubscription, ProviderSubscription } from '@pairwire/accounts'
import type { PaymentConfig, PlanId } from '@pairwire/contract'

/** Takes money for plans. It reports payments by webhook only; they are read here and applied elsewhere. */
export type Billing = Readonly<{
  /** What the browser needs to open a checkout. */
  settings: PaymentConfig
  /** Sources that the pages' policy must allow beside their own. */
  sources: Readonly<{ script: readonly string[]; style: readonly string[]; frame: readonly string[] }>
  /**
   * Reads a webhook whose signature is good.
   *
   * @param body the bytes as they came: they are what was signed
   * @returns undefined for one that says nothing about a plan
   * @throws AppError ERR_FORBIDDEN for a signature that is wrong or old, ERR_VALIDATION for a body of another form
   */
  readWebhook(body: Uint8Array, signature: string | undefined): BillingEvent | undefined
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
}>

/** A webhook as it is sent. */
export type SignedWebhook = Readonly<{ body: string; signature: string }>
