import type { OpenSubscription } from './worker-messages.ts'

/**
 * The request that gives an open subscription the filter of `text`, a subscribe of the same kind.
 *
 * @returns `undefined` where `text` is none, or nothing of its kind is open.
 */
export function filterUpdate(
  text: string,
  subscriptions: readonly OpenSubscription[],
  id?: number,
): string | undefined {
  let request: Members
  try {
    request = membersIn(JSON.parse(text))
  } catch {
    return undefined
  }
  // Where it resumes from and how sure it is are settled when a subscription begins.
  const { resume_from, commitment = 'confirmed', ...params } = membersIn(request.params)
  const subscription = subscriptions.find(
    (open) =>
      request.method === `${open.kind}Subscribe` &&
      (id === undefined || open.id === id) &&
      (membersIn(JSON.parse(open.params)).commitment ?? 'confirmed') === commitment,
  )
  if (!subscription) return undefined
  const update = {
    id: request.id ?? 1,
    method: 'updateSubscriptionParams',
    params: { subscription_id: subscription.id, params },
  }
  return JSON.stringify(update, null, 2)
}

/** The members of a JSON object that are still to be read. */
export type Members = Readonly<Record<string, unknown>>

/** The members of a value; none of what is no object. */
export function membersIn(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}
