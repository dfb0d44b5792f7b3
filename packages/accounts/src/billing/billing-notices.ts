import type { PlanId } from '@pairwire/contract'
import type { Queries } from '../database/open-database.ts'
import { type NoticeLetter, queueNotice } from '../mails/queue-mail.ts'
import { accessOf, type SubscriptionKind, type SubscriptionState } from '../standing/subscription-state.ts'
import type { Store } from '../store.ts'
import type { ProviderSubscription } from './billing-event.ts'

/**
 * Queues the notice for a change of a paid subscription, if one is due, in the transaction that makes the change. `from` is
 * the state known before, null if there was none.
 */
export async function tellOfChange(
  store: Store,
  queries: Queries,
  change: {
    subscription: ProviderSubscription
    accountId: string
    from: SubscriptionKind | null
    to: SubscriptionState
  },
): Promise<void> {
  const { subscription, accountId, from, to } = change
  if (from === to.kind) return
  const notice = noticeOf(from, to)
  if (!notice) return

  const { letter, since } = notice
  // A report that arrived late: the future it speaks of is past.
  if (letter.template !== 'ended' && letter.endsAt <= store.now()) return
  const occasion = `${letter.template} ${subscription.provider} ${subscription.subscriptionId} ${since.toISOString()}`
  await queueNotice(store, queries, { accountId, letter, occasion })
}

function noticeOf(
  from: SubscriptionKind | null,
  to: SubscriptionState,
): { letter: NoticeLetter; since: Date } | undefined {
  const endsAt = accessOf(to)?.endsAt
  switch (to.kind) {
    case 'past_due':
      return endsAt && { letter: about('payment_failed', to.planId, endsAt), since: to.failedAt }
    case 'cancelled':
      return endsAt && { letter: about('cancelled', to.planId, endsAt), since: to.cancelledAt }
    case 'ended':
      // A user who cancelled was told the last day; a plan that had already ended when we first heard of it needs no notice.
      if (from === null || from === 'cancelled' || to.planId === undefined) return undefined
      return { letter: about('ended', to.planId, to.endedAt), since: to.endedAt }
    default:
      return undefined
  }
}

function about(template: NoticeLetter['template'], planId: PlanId, endsAt: Date): NoticeLetter {
  return { template, planId, endsAt }
}
