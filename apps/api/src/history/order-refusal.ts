import type { HistoryOrder, SampleOrder } from '@pairwire/accounts'
import { AppError } from '@pairwire/contract'
import { dayText } from '../day-text.ts'

/** Why nothing of an order may be downloaded, in words for its owner; undefined if it may. */
export function orderRefusal(order: HistoryOrder | SampleOrder | undefined): AppError | undefined {
  if (!order) return new AppError('PAYMENT_REQUIRED', 'This address needs the token of a paid order.')
  if (order.status === 'sample' || order.downloadToken !== null) return undefined

  const { id, status, expiresAt } = order
  if (status === 'refunded') return new AppError('PAYMENT_REQUIRED', `Order ${id} was refunded.`)
  if (status === 'expired' && expiresAt) {
    return new AppError('PAYMENT_REQUIRED', `Order ${id} expired on ${dayText(expiresAt)}.`)
  }
  return new AppError('PAYMENT_REQUIRED', `Order ${id} is not paid yet.`)
}
