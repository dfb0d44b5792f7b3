import type { ProviderSubscription } from '@pairwire/accounts'
import { AppError } from '@pairwire/contract'
import type { Billing } from './billing.ts'
import { SANDBOX } from './billing-sandbox.ts'

/**
 * Ends the subscription of an account that is to be deleted.
 *
 * @throws AppError ACTIVE_SUBSCRIPTION, whose sentence the dashboard shows
 */
export async function endAtProvider(
  billing: Billing | undefined,
  subscription: ProviderSubscription,
): Promise<void> {
  // No money moves in the sandbox, and its subscriptions are deleted with the account.
  if (subscription.provider === SANDBOX) return
  try {
    if (billing?.provider !== subscription.provider) throw new AppError('ERR_UNAVAILABLE')
    await billing.endSubscription(subscription)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError('ACTIVE_SUBSCRIPTION', STILL_CHARGED)
  }
}

const STILL_CHARGED =
  'The payment provider did not end your subscription and could still charge you, so nothing was deleted. Try again in a minute.'
