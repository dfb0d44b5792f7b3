import type { PublicConfig } from '@pairwire/contract'
import type { PlanId } from '@pairwire/contract/plans'
import { api } from '../../api/api.ts'
import { leaveFor, unlessLeft } from '../../api/use-call.ts'
import { loadPaddle } from './load-paddle.ts'

/** Who buys which plan. */
type Purchase = Readonly<{ planId: PlanId; userId: string; email: string }>

/** Where every provider returns after a payment. */
const PAID_PATH = '/dashboard/account?s=subscription'

/**
 * Opens the payment provider's checkout: its page replaces this one, or its window opens over it.
 *
 * @throws ApiError when the service gave no page, or the provider's script did not load
 */
export async function openCheckout(
  payment: NonNullable<PublicConfig['payment']>,
  { planId, userId, email }: Purchase,
): Promise<void> {
  if (payment.provider === 'sandbox') {
    return leaveFor(api.checkout({ plan_id: planId }))
  }
  const paddle = await unlessLeft(loadPaddle(payment))
  paddle.Checkout.open({
    items: [{ priceId: payment.prices[planId], quantity: 1 }],
    customData: { userID: userId },
    customer: { email },
    settings: { successUrl: new URL(PAID_PATH, window.location.origin).href },
  })
}
