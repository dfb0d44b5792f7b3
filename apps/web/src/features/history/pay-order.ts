import type { PublicConfig } from '@pairwire/contract'
import type { Order } from '@pairwire/contract/history-answers'
import { noAnswer } from '../../api/api-error.ts'
import { historyApi } from '../../api/history-api.ts'
import { leaveFor, unlessLeft } from '../../api/use-call.ts'
import { loadPaddle } from '../plans/load-paddle.ts'

/** The page of the account's orders, where the buyer also arrives after a payment. */
export const ORDERS_PATH = '/dashboard/historical/orders'

/**
 * Creates or finds the order of `offer` that ends at `to`, and opens its checkout: the sandbox's page replaces this
 * one, Paddle's window opens over it, with the transaction that the service created.
 *
 * @throws ApiError when nothing can be ordered, or the provider's script did not load
 */
export async function payOrder(
  payment: PublicConfig['payment'],
  wanted: Readonly<{ offer: Order['offer']; to: string }>,
): Promise<void> {
  const { checkout } = await unlessLeft(historyApi.createOrder(wanted))
  if (checkout.provider === 'sandbox') return leaveFor(checkout.url)
  if (payment?.provider !== 'paddle') throw noAnswer()
  const paddle = await unlessLeft(loadPaddle(payment))
  paddle.Checkout.open({
    transactionId: checkout.transactionId,
    settings: { successUrl: new URL(ORDERS_PATH, window.location.origin).href },
  })
}
