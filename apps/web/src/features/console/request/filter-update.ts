import { readObject } from '@pairwire/basics/json'
import { fieldsOf } from '../feed/read-event.ts'
import type { OpenSubscription } from '../feed/worker-messages.ts'

/**
 * Returns the request that sets an open subscription's filter to that of `text`, a subscribe of the same kind.
 *
 * @returns `undefined` if `text` is none, or no subscription of its kind is open.
 */
export function filterUpdate(text: string, subscriptions: readonly OpenSubscription[]): string | undefined {
  const request = readObject(text)
  if (!request) return undefined
  // Cursor and commitment are fixed when a subscription begins.
  const { resume_from, commitment = 'confirmed', ...params } = fieldsOf(request.params)
  const subscription = subscriptions.find(
    (open) =>
      request.method === `${open.kind}Subscribe` &&
      (fieldsOf(JSON.parse(open.params)).commitment ?? 'confirmed') === commitment,
  )
  if (!subscription) return undefined
  const update = {
    id: request.id ?? 1,
    method: 'updateSubscriptionParams',
    params: { subscription_id: subscription.id, params },
  }
  return JSON.stringify(update, null, 2)
}
